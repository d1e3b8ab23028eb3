// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// An installation in a directory whose users have more than 64 KB.
@Suite(.watched) struct FullInstallationTests {
    private static func size(_ signet: EmulatedSignet) throws -> Int {
        try #require(try signet.runtime.context.store.value(for: StateKey.identity("till"))).count
    }

    /// Sets texts of 4000 characters.
    private static func fill(_ till: Installation, _ numbers: Range<Int>) async throws {
        for number in numbers {
            try await till.setAttribute(.string(String(repeating: "x", count: 4000)), for: "text-\(number)")
        }
    }

    private static func untilAccepted(_ till: Installation) async {
        await until("the platform has all facts") {
            !till.core.identityState.directory.entries.values.contains { $0.hasUnsentFacts }
        }
    }

    @Test func aTillOf2000CustomersStaysBelow64KBAndKeepsTheLatest() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let first = try EmulatedSignet(in: folder.path)
        let before = try await first.run { signet in
            let till = try await signet.runtime.open("till", identify: .none)
            return try await till.login([.customerID: "customer-0"]).user.mpid
        }
        let signet = try EmulatedSignet(
            in: folder.path,
            platform: first.emulator,
            clock: first.clock,
            observer: observer
        )
        try await signet.run { signet in
            // As 2,000 logins leave it, which a test need not wait for.
            let store = signet.runtime.context.store
            let bytes = try #require(try store.value(for: StateKey.identity("till")))
            var state = try IdentityState(decoding: bytes)
            for number in 1...Int64(2000) {
                var entry = UserDirectory.Entry(firstSeen: number, lastSeen: number)
                entry.isLoggedIn = true
                entry.identities[.customerID] = UserDirectory.StoredIdentity(
                    value: "customer-\(number)",
                    firstSet: number
                )
                state.directory.entries[IdentityFixture.mpid(number)] = entry
            }
            try store.put(state, of: "till")
            signet.clock.advance(by: .seconds(1))
            let till = try await signet.runtime.open("till", identify: .none)
            let latest = try await till.login([.customerID: "latest"]).user.mpid
            #expect(try Self.size(signet) <= SharedStoreLimits.valueBytes)
            #expect(try Self.size(signet) > SharedStoreLimits.valueBytes * 9 / 10)
            let dropped = signet.runtime.statistics.usersDropped
            #expect(observer.usersDropped == [dropped])
            #expect(till.allUsers.count == 2002 - dropped)
            #expect(till.allUsers.map(\.mpid).prefix(3) == [latest, before, IdentityFixture.mpid(2000)])
            #expect(till.user(IdentityFixture.mpid(Int64(dropped))) == nil)
            #expect(till.user(IdentityFixture.mpid(Int64(dropped) + 1)) != nil)
            // The next customer takes the place of a few.
            signet.clock.advance(by: .seconds(1))
            try await till.login([.customerID: "the next one"])
            #expect(try Self.size(signet) <= SharedStoreLimits.valueBytes)
            #expect((0...3).contains(signet.runtime.statistics.usersDropped - dropped))
        }
    }

    @Test func whoHasUnsentAttributesStaysUntilThePlatformHasThem() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let till = try await signet.runtime.open("till", identify: .none)
            let first = try await till.login([.customerID: "c-1"]).user.mpid
            try await Self.fill(till, 0..<8)
            signet.clock.advance(by: .milliseconds(1))
            let second = try await till.login([.customerID: "c-2"]).user.mpid
            try await Self.fill(till, 0..<7)
            let text = AttributeValue.string(String(repeating: "y", count: 4090))
            #expect(await code { try await Self.fill(till, 7..<9) } == .limitReached)
            #expect(try Self.size(signet) <= SharedStoreLimits.valueBytes)
            #expect(await code { try await till.setAttribute(text, for: "over") } == .limitReached)
            #expect(till.currentUser?.attributes["over"] == nil)
            #expect(till.user(first)?.attributes.count == 8)
            #expect(signet.runtime.statistics.usersDropped == 0)
            // Answers that say no, and logins, are taken all the same.
            try await till.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            signet.clock.advance(by: .milliseconds(1))
            try await till.login([.customerID: "c-3"])
            #expect(Set(till.allUsers.map(\.mpid)).isSuperset(of: [first, second]))
            #expect(signet.runtime.statistics.usersDropped == 0)
            signet.emulator.faults.clear()
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
            await Self.untilAccepted(till)
            try await Self.fill(till, 0..<2)
            #expect(Set(till.allUsers.map(\.mpid)).isDisjoint(with: [first]))
            #expect(signet.runtime.statistics.usersDropped == 1)
            let batches = signet.emulator.batches().filter { $0.mpid == first }
            for number in 0..<8 {
                #expect(batches.contains { $0.json["user_attributes"]?["text-\(number)"] != nil }, "nothing was lost")
            }
            // The same user, who is new here.
            let again = try await till.login([.customerID: "c-1"]).user
            #expect(again.mpid == first && again.attributes.isEmpty)
        }
    }

    @Test func whoWasNotSeenForAsLongAsEventsWaitLeavesInAnyCase() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path) { $0.events.storage.maximumAge = .seconds(3600) }
        try await signet.run { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let till = try await signet.runtime.open("till", identify: .none)
            let first = try await till.login([.customerID: "c-1"]).user.mpid
            try await Self.fill(till, 0..<8)
            signet.clock.advance(by: .milliseconds(1))
            try await till.login([.customerID: "c-2"])
            #expect(await code { try await Self.fill(till, 0..<9) } == .limitReached)
            signet.clock.advance(by: .seconds(3601))
            try await Self.fill(till, 7..<10)
            #expect(till.user(first) == nil)
            #expect(signet.runtime.statistics.usersDropped == 1)
            signet.emulator.faults.clear()
        }
    }

    @Test func theEventsOfAUserWhoLeftKeepUserAndConsent() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path) { $0.events.priorityUploadDelay = .seconds(600) }
        try await signet.run { signet in
            let till = try await signet.runtime.open("till", identify: .none)
            let first = try await till.login([.customerID: "c-1"]).user.mpid
            try await till.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try await signet.runtime.upload()
            await Self.untilAccepted(till)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            try till.log(.custom("of the first"))
            try till.leaveBreadcrumb("of the first")
            signet.clock.advance(by: .milliseconds(1))
            try await till.login([.customerID: "c-2"])
            // Alone a user may have more than 64 KB.
            try await Self.fill(till, 0..<20)
            #expect(till.allUsers.count == 1 && till.user(first) == nil)
            #expect(signet.runtime.statistics.usersDropped == 1)
            let number = till.core.identityState.number
            let breadcrumbs = StateKey.breadcrumbs(number, first)
            #expect(try signet.runtime.context.store.value(for: breadcrumbs) == nil)
            signet.emulator.faults.clear()
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
            let batch = signet.emulator.batches().first { batch in
                batch.json["events"]?.array?.contains { $0["data"]?["event_name"]?.string == "of the first" } == true
            }
            #expect(batch?.mpid == first)
            #expect(batch?.json["consent_state"]?["gdpr"]?["ads"]?["consented"]?.bool == true)
        }
    }

    @Test func fullInstallationsMakeRoomForAttributesAndConsentInOneEdit() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let till = try await signet.runtime.open("till", identify: .none)
            try await till.login([.customerID: "c-1"])
            try await Self.fill(till, 0..<15)
            signet.clock.advance(by: .milliseconds(1))
            try await till.login([.customerID: "c-2"])
            let error = await code {
                try await till.withUser { user in
                    for number in 0..<2 { user["text-\(number)"] = .string(String(repeating: "x", count: 4000)) }
                    user.consent.gdpr["ads"] = Consent(true)
                }
            }
            #expect(error == .limitReached)
            // Not even the record of the user that all installations read.
            #expect(till.currentUser?.consent == nil && till.currentUser?.attributes.isEmpty == true)
            signet.emulator.faults.clear()
        }
    }
}
