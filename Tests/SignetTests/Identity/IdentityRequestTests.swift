// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct IdentityRequestTests {
    private static func refusal(_ request: IdentityRequest) -> SignetError? {
        do throws(SignetError) {
            try request.validate()
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Contents

    @Test func nilMarksAnIdentityForRemovalAndForgetTakesItOut() {
        var request: IdentityRequest = [.customerID: "c", .email: nil]
        #expect(request.identities == [.customerID: "c", .email: nil])
        #expect(request.values == [.customerID: "c"])
        request[.customerID] = nil
        request.removeValue(for: .email)
        #expect(request.identities == [.customerID: nil])
        #expect(request[.customerID] == nil)
        #expect(request[.email] == nil)
    }

    @Test func ofTheSameKeyTwiceTheLastCounts() {
        let request: IdentityRequest = [.email: "a", .email: nil, .email: "b"]
        #expect(request.identities == [.email: "b"])
    }

    @Test func aRequestOfAUserIsACopyThatNamesTheUser() throws {
        var machine = IdentityFixture.machine(of: -4, [.customerID: "c", .email: "a@x"])
        let user = try #require(machine.state.directory.currentUser(now: 0))
        let request = IdentityRequest(user: user)
        _ = machine.exchange(.transition(.identify, [.email: "b@x"]), IdentityFixture.reply(-4))
        #expect(request.mpid == IdentityFixture.mpid(-4))
        #expect(request.values == [.customerID: "c", .email: "a@x"])
    }

    @Test func aDescriptionNamesTheKindsAndNoValue() {
        let request: IdentityRequest = [.email: "jane@x", .customerID: "secret-17"]
        #expect(request.description == "IdentityRequest([customerid, email])")
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!dumped.contains("jane@x"))
        #expect(!dumped.contains("secret-17"))
    }

    // MARK: - Validation

    @Test func everyKnownTypeButTheStampIsAllowed() {
        for type in IdentityType.known where type != .deviceApplicationStamp {
            #expect(Self.refusal([type: "value"]) == nil, "\(type)")
        }
        #expect(Self.refusal([.deviceApplicationStamp: "d"])?.code == .invalidArgument)
        #expect(Self.refusal([.deviceApplicationStamp: nil])?.code == .invalidArgument)
    }

    @Test func anEmptyValueIsRefusedAndNilIsNot() {
        #expect(Self.refusal([.email: ""])?.code == .invalidArgument)
        #expect(Self.refusal([.email: nil]) == nil)
        #expect(Self.refusal([:]) == nil)
    }

    @Test func aValueHasAtMost4096Characters() {
        #expect(Self.refusal([.other: String(repeating: "é", count: 4096)]) == nil)
        #expect(Self.refusal([.other: String(repeating: "é", count: 4097)])?.code == .invalidArgument)
    }

    @Test(arguments: ["\u{0}", "a\nb", "\u{1F}", "x\u{7F}"]) func aControlCharacterIsRefused(value: String) {
        #expect(Self.refusal([.email: value])?.code == .invalidArgument)
    }

    @Test(arguments: ["", "Email", "e-mail", "a b", "é", String(repeating: "a", count: 65)])
    func aTypeThatThePlatformCannotKnowIsRefused(name: String) {
        #expect(Self.refusal([IdentityType(wireName: name): "v"])?.code == .invalidArgument)
    }

    @Test func aTypeOfTomorrowIsAllowed() {
        let name = String(repeating: "a", count: 60) + "_" + "9zz"
        #expect(Self.refusal([IdentityType(wireName: name): "v"]) == nil)
    }

    @Test func noRefusalRepeatsTheValue() {
        let value = "person\u{7}@example.com"
        #expect(Self.refusal([.email: value])?.message.contains("person") == false)
    }

    // MARK: - Hashes (vectors made with Python's hashlib)

    @Test(arguments: ["jane.doe@example.com", "Jane.Doe@Example.COM", "  jane.doe@example.com\t\n"])
    func aHashedEmailIsThatOfTheTrimmedLowerCaseAddress(email: String) throws {
        var request = IdentityRequest()
        try request.setHashedEmail(email)
        #expect(
            request.identities == [.other: "86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d"]
        )
    }

    @Test func aHashedEmailIsThatOfItsBytesInUTF8() throws {
        var request = IdentityRequest()
        try request.setHashedEmail("JÜRGEN@example.com")
        #expect(request[.other] == "3d2a5310682ac922a4ba3ffac29753c038ecc44ac4c45c7a3b05ac5e155dd036")
    }

    /// A digit that is passed over would name another person.
    @Test(
        arguments: [
            "+447700900123", " +44 (7700) 900-123 ", "+44.7700.900.123", "+4477009\u{FF10}0123",
            "\u{FF0B}44\u{FF17}\u{FF17}00900123", "+44\u{0667}\u{06F7}0090\u{0660}123",
        ]
    )
    func aHashedNumberIsThatOfItsDigitsWithThePlus(number: String) throws {
        var request = IdentityRequest()
        try request.setHashedMobileNumber(number)
        #expect(
            request.identities == [.other2: "a8acc3a90a7b4e4dc65e93db9240ed26523050ef754d63b75b5161de76781436"]
        )
    }

    @Test func aHashedNumberWithoutAPlusIsThatOfItsDigits() throws {
        var request = IdentityRequest()
        try request.setHashedMobileNumber("44 7700 900123")
        #expect(request[.other2] == "033134b911b137918338415ee3d20a064b24773d36a3b02e8b99fdd3fcd6b4cd")
    }

    @Test(arguments: ["", "  ", "\n\t"])
    func nothingIsNotHashedIntoOnePersonForAll(email: String) {
        var request = IdentityRequest()
        #expect(throws: SignetError.self) { try request.setHashedEmail(email) }
        #expect(throws: SignetError.self) { try request.setHashedMobileNumber(email + "n/a +") }
        #expect(request.identities.isEmpty)
    }
}
