// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipReplyTests {
    private static let person = #"""
        { "externalUserId":"crm-7", "type":"LEAD",
          "firstName":"A","middleName":"B","lastName":"C","gender":"Female","birthday":"1990-02-28",
          "phones":[{"number":"385910000000","preferred":false}],
          "emails":[{"address":"a@example.com","preferred":true}],
          "tags":["t1","t2"],
          "customAttributes":{"s":"x","n":9.5,"b":true,"d":"2020-01-15","dt":"2020-01-15T10:00:00Z",
                              "gone":null,"list":[{"item":"p","price":1000.5,"date":"2020-01-15","used":true}]},
          "instances":[{"pushRegId":"r","isPrimary":true,"regEnabled":true,"os":"iOS"},{"isPrimary":true}] }
        """#

    @Test func aPersonIsReadWhole() throws {
        let user = try InfobipReply.user(Array(Self.person.utf8))
        #expect(user.externalUserID == "crm-7")
        #expect(user.type == .lead)
        #expect([user.firstName, user.middleName, user.lastName] == ["A", "B", "C"])
        #expect(user.gender == .female)
        #expect(user.birthday?.description == "1990-02-28")
        #expect(user.phones == ["385910000000"])
        #expect(user.emails == ["a@example.com"])
        #expect(user.tags == ["t1", "t2"])
        #expect(user.customAttributes.count == 6)
        #expect(user.customAttributes["s"] == "x")
        #expect(user.customAttributes["n"] == 9.5)
        #expect(user.customAttributes["b"] == true)
        #expect(
            user.customAttributes["list"]
                == .list([["item": "p", "price": 1000.5, "date": "2020-01-15", "used": true]])
        )
        // The one without an id is none.
        #expect(user.installations.map(\.pushRegistrationID) == ["r"])
        #expect(user.installations.first?.isPrimary == true)
        #expect(user.installations.first?.system.os == "iOS")
    }

    @Test func aTextIsADateWhereTheCallerSaysSo() throws {
        let user = try InfobipReply.user(Array(Self.person.utf8))
        #expect(user.customAttributes["d"] == "2020-01-15")
        #expect(user.customAttributes["d"]?.day == CalendarDay(year: 2020, month: 1, day: 15))
        #expect(user.customAttributes["dt"]?.moment == Date(timeIntervalSince1970: 1_579_082_400))
        #expect(user.customAttributes["s"]?.day == nil)
        #expect(user.customAttributes["n"]?.moment == nil)
    }

    /// A server that cuts a text in the middle of a character makes half a pair.
    @Test func anUnreadablePartCostsNothingElse() throws {
        let text = #"{"externalUserId":"a","firstName":"Ann \ud83d","lastName":"B","lastName":"C","instances":[]}"#
        let user = try InfobipReply.user(Array(text.utf8))
        #expect(user.externalUserID == "a" && user.firstName == nil && user.lastName == "C")
    }

    /// As large as the sender reads.
    @Test func aPersonWithThousandsOfInstallationsIsRead() throws {
        let one = #"{"pushRegId":"r","isPrimary":true,"regEnabled":true,"os":"iOS","osVersion":"1","appVersion":"2"}"#
        let text =
            #"{"externalUserId":"a","instances":[\#(Array(repeating: one, count: 30_000).joined(separator: ","))]}"#
        #expect(text.utf8.count > 2 << 20)
        #expect(try InfobipReply.user(Array(text.utf8)).installations.count == 30_000)
    }

    @Test(arguments: [
        "{}", #"{"type":"OTHER","gender":"female","birthday":"1990-02-30","phones":{},"tags":"t","instances":[1]}"#,
        #"{"firstName":null,"customAttributes":{"o":{"a":1},"m":[1]},"unknown":[]}"#,
    ])
    func whatIsOfNoKnownValueIsLeftOut(text: String) throws {
        #expect(try InfobipReply.user(Array(text.utf8)) == InfobipUser())
    }

    @Test func anInstallationHasItsDefaults() throws {
        let bare = try InfobipReply.installation(Array(#"{"pushRegId":"r"}"#.utf8))
        #expect(bare.pushRegistrationID == "r")
        #expect(bare.isPushRegistrationEnabled)
        #expect(bare.notificationsEnabled)
        #expect(!bare.isPrimary)
        #expect(bare.system.deviceSecure == false)
        #expect(bare.customAttributes.isEmpty)
        let text = #"""
            {"pushRegId":"r","regEnabled":false,"isPrimary":true,"notificationsEnabled":false,"applicationUserId":"u",
            "customAttributes":{"a":1},"pushServiceType":"GCM","pushServiceToken":"AB","deviceTimezoneOffset":"GMT+03:30",
            "deviceSecure":true,"language":"hr"}
            """#
        let full = try InfobipReply.installation(Array(text.utf8))
        #expect(!full.isPushRegistrationEnabled)
        #expect(full.isPrimary)
        #expect(!full.notificationsEnabled)
        #expect(full.applicationUserID == "u")
        #expect(full.customAttributes == ["a": 1])
        #expect(full.pushServiceType == "GCM")
        #expect(full.pushServiceToken == "AB")
        #expect(full.system.timeZoneOffset == "GMT+03:30")
        #expect(full.system.deviceSecure == true)
    }

    @Test(arguments: [
        (#""pushServiceType":"APNS","#, "ab"), ("", "ab"), (#""pushServiceType":"HMS","#, "aB"),
        (#""pushServiceType":"Firebase","#, "aB"),
    ])
    func aTokenOfAPNSIsHexadecimalAndAnotherIsNot(service: String, token: String) throws {
        let text = #"{"pushRegId":"r",\#(service)"pushServiceToken":"aB"}"#
        let installation = try InfobipReply.installation(Array(text.utf8))
        #expect(installation.pushServiceToken?.withExposed { $0 } == token)
    }

    @Test(arguments: [
        "{}", #"{"pushRegId":""}"#, #"{"pushRegId":1}"#, #"{"pushRegId":"../x"}"#, "[]", "null", "", "<html>",
    ])
    func anInstallationWithoutAnIdIsNone(text: String) {
        #expect(throws: WireError.self) { try InfobipReply.installation(Array(text.utf8)) }
    }

    @Test func theAddressIsOptional() throws {
        #expect(try InfobipReply.baseURL(Array("{}".utf8)) == nil)
        #expect(try InfobipReply.baseURL(Array(#"{"baseUrl":"https://m"}"#.utf8)) == "https://m")
        #expect(throws: WireError.self) { try InfobipReply.baseURL([]) }
    }
}
