//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet

/// What the vendor's documentation promises of visitors, where its clients do otherwise or each its own way.
@Suite struct DocumentedVisitorTests {
    private static let ann = EmulatedVisitorID.email("ann@example.com")
    private static let bob = EmulatedVisitorID.email("bob@example.com")

    /// A release of a client had the master switch on by default.
    @Test func theDefaultsAreTheDocumentedOnes() {
        let visitors = VisitorConfiguration(apiKey: "k")
        #expect(!visitors.isEnabled && visitors.eventThreshold == 100 && visitors.fetchesInForeground)
        #expect(visitors.resolution == IdentityResolution(replaysVisitor: true, mergesUnknown: true))
        #expect(visitors.tokenLead == .seconds(60) && visitors.requestTimeout == .seconds(60))
        #expect(visitors.dialect == .strict && visitors.region == .unitedStates)
        #expect(SignetConfiguration(apiKey: "k", secret: "s", directory: "/nowhere").visitors == nil)
    }

    /// The time of the agreement is told with the replay, and of each user who is known later; in one client never again
    /// once the process has ended.
    @Test func consentIsToldOfEachKnownUserWithItsTime() async throws {
        let world = try VisitorWorld()
        var givenAt: Date?
        try await world.live { _, installation in
            try await installation.visitor.browse()
            givenAt = installation.visitor.consent.givenAt
        }
        world.clock.advance(by: .seconds(3600))
        try await world.live { _, installation in
            let visitor = installation.visitor
            // Read back after a restart.
            #expect(visitor.consent.isGiven && visitor.consent.givenAt == givenAt)
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
            try await visitor.identify(.email("bob@example.com"))
            try await world.settle(installation)
        }
        #expect(world.visitors.consents().map(\.user) == [Self.ann, Self.bob])
        #expect(world.visitors.consents().allSatisfy { $0.isUserKnown && $0.consentedAt == givenAt })
        #expect(givenAt != nil)
    }

    /// A stored update replaces objects as a whole, so its replay never asks the service to merge them; an update of a user
    /// goes out as the app said.
    @Test(arguments: [true, false]) func aReplayedUpdateReplacesNestedObjects(merges: Bool) async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.setConsent(true)
            try await installation.visitor.update(["address": ["city": "Oslo"]], mergeNestedObjects: merges)
        }
        try await world.live { _, installation in
            try await installation.visitor.identify(.email("ann@example.com"))
            try await installation.visitor.update(["address": ["street": "Storgata"]], mergeNestedObjects: merges)
            try await world.settle(installation)
        }
        let updates = world.visitors.requests(on: .updateUser).map { $0.body?["mergeNestedObjects"]?.bool }
        #expect(updates == [false, merges])
    }

    /// The oldest records make room, the update of the visitor's fields is none of them, and each loss is told.
    @Test func theOldestRecordsMakeRoom() async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.eventThreshold = 2 }) { _, installation in
            let visitor = installation.visitor
            try await visitor.setConsent(true)
            try await visitor.update(["plan": "gold"])
            for name in ["one", "two", "three"] { try await visitor.track(name) }
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        #expect(world.visitors.events(of: Self.ann).map(\.name) == ["two", "three"])
        #expect(world.visitors.user(Self.ann)?.fields["plan"] == "gold")
    }
}
