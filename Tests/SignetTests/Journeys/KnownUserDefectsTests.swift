// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// Defects that are in the shipping SDK's code today and must not be in ours: those of users and their attributes (facts of
/// the vendor, 8.2).
@Suite(.watched) struct KnownUserDefectsTests {
    @Test func defectOfAddressedUsersAttributesAndTheirEventsGoToTheUserWhoWasAddressed() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let (one, two) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let one = try #require(visitor.currentUser).mpid
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try await visitor.setAttribute("of one", for: "plan", of: one)
            return (one, two)
        }
        #expect(signet.emulator.user(one)?.attributes["plan"] == "of one")
        #expect(signet.emulator.user(two)?.attributes["plan"] == nil)
        #expect(signet.emulator.events(of: one).contains { $0.type == "user_attribute_change" })
        #expect(!signet.emulator.events(of: two).contains { $0.type == "user_attribute_change" })
    }

    @Test func defectOfDeletedUserAttributesTheyAreInABatchOfTheirUserOfTheirInstallationAndOfNoOther() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let (one, two) = try await signet.run { signet in
            let first = try await signet.runtime.open("v-1", identify: .none)
            let second = try await signet.runtime.open("v-2", identify: .none)
            let one = try await first.login([.customerID: "c-1"]).user.mpid
            let two = try await second.login([.customerID: "c-2"]).user.mpid
            for visitor in [first, second] {
                try await visitor.setAttributes(["a": 1, "b": 2])
                try await visitor.removeAttribute("a")
            }
            _ = try await first.login([.customerID: "c-3"])
            // Both removed for the first user of the first installation only, while another one is current.
            try await first.removeAttribute("b", of: one)
            try second.log(.custom("x"))
            return (one, two)
        }
        func removed(_ mpid: MPID) -> [String] {
            signet.emulator.batches().filter { $0.mpid == mpid }
                .flatMap { $0.json["deleted_user_attributes"]?.array?.compactMap(\.string) ?? [] }
        }
        #expect(removed(one).sorted() == ["a", "b"])
        #expect(removed(two) == ["a"])
        #expect(signet.emulator.user(one)?.attributes == [:])
        #expect(signet.emulator.user(two)?.attributes == ["b": 2])
    }

    @Test func defectOfIncrementsTheSumIsReturned() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            #expect(try await visitor.incrementAttribute("n", by: 41) == 41)
            #expect(try await visitor.incrementAttribute("n") == 42)
        }
    }

    @Test func defectOfLimitsAListWithinTheDocumentedOnesIsTakenThoughItsTextsTogetherAreLong() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let list = AttributeValue.list(Array(repeating: .string(String(repeating: "e", count: 512)), count: 20))
            try await visitor.setAttribute(list, for: "list")
            #expect(visitor.currentUser?.attributes["list"] == list)
        }
    }

    @Test func defectOfUsersTwiceEveryoneIsThereOnceHoweverMuchIsKept() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttributes(["a": 1, "b": 2])
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try await visitor.login([.customerID: "c-2"])
        }
        let signet = try known.next()
        let users = try await signet.runtime.open("one", identify: .none).allUsers
        #expect(users.count == 2)
        #expect(Set(users.map(\.mpid)).count == 2)
        await signet.runtime.shutdown()
    }

    @Test func defectOfIsLoggedInItAndTheAttributesSurviveARestart() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            try await signet.runtime.open("one", identify: .none).setAttribute("gold", for: "tier")
        }
        let signet = try known.next()
        let user = try await signet.runtime.open("one", identify: .none).currentUser
        #expect(user?.isLoggedIn == true)
        #expect(user?.attributes == ["tier": "gold"])
        await signet.runtime.shutdown()
    }

    @Test func defectOfFirstSetDatesTheEventOfAChangedIdentityHasTheDateItWasFirstSet() async throws {
        let known = try await KnownInstallation()
        let firstSet = known.clock.milliseconds
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.modify([.email: "a@x"])
            known.clock.advance(by: .seconds(30))
            try await visitor.modify([.email: "b@x"])
            known.clock.advance(by: .seconds(30))
            try await visitor.modify([.email: nil])
            return try #require(visitor.currentUser).mpid
        }
        let changes = signet.emulator.events(of: mpid).filter { $0.type == "user_identity_change" }.map(\.data)
        let emails = changes.filter { $0["new"]?["identity_type"]?.string == "email" }
        #expect(emails.map { $0["old"]?["identity"]?.string } == [nil, "a@x", "b@x"])
        #expect(emails.map { $0["new"]?["identity"]?.string } == ["a@x", "b@x", nil])
        #expect(emails.map { $0["new"]?["created_this_batch"]?.bool } == [true, false, false])
        #expect(emails.prefix(2).map { $0["new"]?["timestamp_unixtime_ms"]?.number?.int64 } == [firstSet, firstSet])
        #expect(emails.suffix(2).map { $0["old"]?["timestamp_unixtime_ms"]?.number?.int64 } == [firstSet, firstSet])
        // Those of the login, with the life that it happened in.
        #expect(changes.first?["new"]?["identity_type"]?.string == "customer_id")
        #expect(changes.first?["new"]?["identity"]?.string == "c-1")
    }

    /// The platform compares bytes.
    @Test func defectOfTextFormsAnIdentityInAnotherFormIsAChange() async throws {
        let (composed, decomposed) = ("Jos\u{E9}", "Jose\u{301}")
        let known = try await KnownInstallation()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            for name in [composed, decomposed, decomposed] { try await visitor.modify([.other3: name]) }
            return try #require(visitor.currentUser).mpid
        }
        let changes = signet.emulator.events(of: mpid).filter { $0.type == "user_identity_change" }.map(\.data)
        let names = changes.compactMap { $0["new"]?["identity"]?.string }.filter { $0.hasPrefix("Jos") }
        #expect(names.map { Array($0.utf8) } == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test func defectOfIdentityChangesTheUserWhoLosesAnIdentityHearsOfIt() async throws {
        let known = try await KnownInstallation(
            emulator: EmulatorConfiguration(uniqueIdentities: [.customerID, .email])
        )
        let signet = try known.next()
        let (one, two) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let one = try #require(visitor.currentUser).mpid
            try await visitor.modify([.email: "a@x"])
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try await visitor.modify([.email: "a@x"])
            return (one, two)
        }
        func emails(_ mpid: MPID) -> [String?] {
            signet.emulator.events(of: mpid).map(\.data)
                .filter { $0["new"]?["identity_type"]?.string == "email" }.map { $0["new"]?["identity"]?.string }
        }
        #expect(emails(two) == ["a@x"])
        #expect(emails(one) == ["a@x", nil])
    }
}
