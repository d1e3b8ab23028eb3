// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The record of one directory as the state of a row that all replicas read.
@Suite struct DirectoryImportTests {
    private static func state(optedOutAfter: UInt64?, isOptedOut: Bool = false) throws -> IdentityState {
        let (first, second) = (try #require(MPID(rawValue: 7)), try #require(MPID(rawValue: 8)))
        var known = UserDirectory.Entry(firstSeen: 3, lastSeen: 4)
        known.isLoggedIn = true
        known.attributes = ["tier": "gold"]
        known.removals = ["old": 2]
        var state = IdentityState(
            deviceApplicationStamp: UUID(),
            number: 17,
            directory: UserDirectory(
                createdAt: 1,
                entries: [first: known, second: UserDirectory.Entry(firstSeen: 5, lastSeen: 6)],
                current: first,
                firstUser: second,
                pastAttributions: [AnonymousAttribution(upTo: 99, mpid: first)],
                vacantSince: 2,
                anonymousAttributes: ["a": 1],
                lastChange: 2
            ),
            devices: DeviceIdentities(),
            context: "echo",
            isOptedOut: isOptedOut
        )
        state.consent = ConsentState(gdpr: ["analytics": Consent(true)])
        state.consentMoment = 7
        state.optedOutAfter = optedOutAfter
        return state
    }

    @Test func theNumbersOfOneDirectoryAndItsJournalStayThere() throws {
        let state = try Self.state(optedOutAfter: nil)
        let shared = SharedState(importing: state, at: 1_000)
        #expect(shared.identity.number == 0)
        #expect(shared.identity.directory.pastAttributions.isEmpty)
        #expect(shared.part == SharedPart())
        var expected = state
        expected.number = 0
        expected.directory = UserDirectory(
            createdAt: 1,
            entries: state.directory.entries,
            current: state.directory.current,
            firstUser: state.directory.firstUser,
            vacantSince: 2,
            anonymousAttributes: ["a": 1],
            lastChange: 2
        )
        #expect(shared.identity == expected)
        #expect(try SharedState(decoding: shared.encoded()) == shared)
    }

    @Test func whatWasLoggedBeforeAnOptOutStaysDroppedAfterAnOptIn() throws {
        let again = SharedState(importing: try Self.state(optedOutAfter: 5), at: 1_000)
        #expect(again.part.eventsFrom == 1_000)
        #expect(again.identity.optedOutAfter == nil)
        let out = SharedState(importing: try Self.state(optedOutAfter: 5, isOptedOut: true), at: 1_000)
        #expect(out.identity.isOptedOut && out.part.eventsFrom == nil && out.identity.optedOutAfter == nil)
    }
}
