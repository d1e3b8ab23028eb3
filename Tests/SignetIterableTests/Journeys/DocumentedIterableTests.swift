// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetCriteria
import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// What the vendor's documentation promises of visitors, where its clients do otherwise or each its own way.
@Suite struct DocumentedIterableTests {
    private static let ann = EmulatedIterableUserID.email("ann@example.com")
    private static let bob = EmulatedIterableUserID.email("bob@example.com")

    /// A release of a client had the master switch on by default.
    @Test func theDefaultsAreTheDocumentedOnes() {
        let iterable = IterableConfiguration(apiKey: "k")
        #expect(!iterable.isEnabled && iterable.eventThreshold == 100 && iterable.fetchesInForeground)
        #expect(iterable.resolution == IdentityResolution(replayOnVisitorToKnown: true, mergeOnUnknownToKnown: true))
        #expect(iterable.tokenLead == .seconds(60) && iterable.requestTimeout == .seconds(60))
        #expect(iterable.dialect == .strict && iterable.region == .unitedStates)
    }

    /// The time of the agreement is told with the replay, and of each user who is known later; in one client never again
    /// once the process has ended.
    @Test func consentIsToldOfEachKnownUserWithItsTime() async throws {
        let world = try IterableWorld()
        var givenAt: Date?
        try await world.live { _, installation in
            try await installation.iterable.browse()
            givenAt = installation.iterable.consent.givenAt
        }
        world.clock.advance(by: .seconds(3600))
        try await world.live { _, installation in
            let visitor = installation.iterable
            // Read back after a restart.
            #expect(visitor.consent.isGiven && visitor.consent.givenAt == givenAt)
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
            try await visitor.identify(.email("bob@example.com"))
            try await world.settle(installation)
        }
        #expect(world.iterable.consents().map(\.user) == [Self.ann, Self.bob])
        #expect(world.iterable.consents().allSatisfy { $0.isUserKnown && $0.consentedAt == givenAt })
        #expect(givenAt != nil)
    }

    /// A stored update replaces objects as a whole, so its replay never asks the service to merge them; an update of a user
    /// goes out as the app said.
    @Test(arguments: [true, false]) func aReplayedUpdateReplacesNestedObjects(merges: Bool) async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.update(["address": ["city": "Oslo"]], mergeNestedObjects: merges)
        }
        try await world.live { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            try await installation.iterable.update(["address": ["street": "Storgata"]], mergeNestedObjects: merges)
            try await world.settle(installation)
        }
        let updates = world.iterable.requests(on: .updateUser).map { $0.body?["mergeNestedObjects"]?.bool }
        #expect(updates == [false, merges])
    }

    /// The oldest records make room, the update of the visitor's fields is none of them, and each loss is told.
    @Test func theOldestRecordsMakeRoom() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.eventThreshold = 2 }) { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.update(["plan": "gold"])
            for name in ["one", "two", "three"] { try await visitor.track(name) }
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        #expect(world.iterable.events(of: Self.ann).map(\.name) == ["two", "three"])
        #expect(world.iterable.user(Self.ann)?.fields["plan"] == "gold")
    }
}
