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
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// What the vendor's clients get wrong with visitors, and we do not.
@Suite(.watched) struct KnownVisitorDefectsTests {
    private static let ann = EmulatedVisitorID.email("ann@example.com")

    /// There, who takes consent back stays logged in as the unknown user, and what they do goes on being sent.
    @Test func consentThatIsTakenBackEndsTheUnknownUser() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.setConsent(false)
            let count = world.routes.count
            #expect(try await visitor.track("more") == .ignored(.noConsent))
            try await world.settle(installation)
            #expect(world.routes.count == count)
            #expect(visitor.consent.givenAt == nil)
        }
    }

    /// There, agreeing again wipes what was not told yet.
    @Test func agreeingAgainChangesNothing() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.browse()
            let consent = visitor.consent
            world.clock.advance(by: .seconds(5))
            try await visitor.setConsent(true)
            #expect(visitor.consent == consent)
            try await visitor.track("signup")
            try await world.settle(installation)
            #expect(world.visitors.events().count == 4)
            #expect(world.visitors.consents().map(\.consentedAt) == [consent.givenAt])
        }
    }

    /// There, whatever comes replaces the criteria, unread.
    @Test func criteriaThatCannotBeReadDoNotReplaceTheLastGoodOnes() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await world.settle(installation)
        }
        world.visitors.setCriteria(#"{"criteriaSets":[{"criteriaId":1}]}"#)
        try await world.live { _, installation in
            var changes = installation.visitorChanges.makeAsyncIterator()
            try await world.settle(installation)
            #expect(await changes.nextKind() == "criteriaFailed")
            world.visitors.setCriteria(VisitorWorld.onSignup)
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            #expect(world.visitors.events().count == 4)
        }
    }

    /// There, what was tracked before the criteria came waits for the next event.
    @Test func storedRecordsAreHeldAgainstCriteriaThatComeLate() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .criteria, .connectionRefused)
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            #expect(installation.visitor.state == .visitor)
        }
        try await world.live { _, installation in
            try await world.settle(installation)
            #expect(world.visitors.events().count == 4)
        }
    }

    /// There, a Boolean comes back from the disk as a number, and `null` cannot be stored at all.
    @Test func valuesKeepTheirTypesOnDisk() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in try await installation.visitor.browse() }
        try await world.live { _, installation in
            try await installation.visitor.track("signup")
            try await world.settle(installation)
        }
        let fields = try #require(world.visitors.events().first?.json["dataFields"]?.object)
        #expect(fields["first"] == .bool(true))
        #expect(fields["count"]?.number?.text == "1")
        #expect(fields["ratio"]?.number?.text == "1.0")
        #expect(fields["none"] == .null)
    }

    /// There, events that match before the answer comes each make a user, and each try makes another.
    @Test func manyEventsAtOnceMakeOneUnknownUser() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .activation, .replyLost, times: 2)
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.setConsent(true)
            try await visitor.settled()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try await visitor.track("signup") } }
                try await group.waitForAll()
            }
            try await world.settle(installation)
            #expect(world.visitors.activations().count == 3)
            #expect(world.visitors.unknownUsers().count == 1)
            #expect(world.visitors.events().count == 50)
        }
    }

    /// There, `eventType` and `eventTimeStamp` become fields of the profile and of events.
    @Test func nobodysProfileHasOurNotes() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            try await installation.visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        #expect(world.visitors.users().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(world.visitors.events().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(world.visitors.user(Self.ann)?.fields.keys.sorted() == ["plan"])
    }

    /// There, a replayed purchase is said to be of now, and a total is read in the language of the device.
    @Test func everyKindIsReplayedWithItsTimeAndItsNumbers() async throws {
        let world = try VisitorWorld()
        let then = world.clock.date
        try await world.live { _, installation in try await installation.visitor.browse() }
        world.clock.advance(by: .seconds(86_400))
        try await world.live { _, installation in
            try await installation.visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        let events = world.visitors.events(of: Self.ann)
        #expect(events.count == 3)
        for event in events {
            let time = try #require(event.createdAt)
            #expect(abs(time.timeIntervalSince(then)) <= 1)
        }
        #expect(events.compactMap(\.total) == [9.34])
        #expect(events.flatMap(\.items).map(\.price) == [4.67, 4.67])
        #expect(events.flatMap(\.items).map(\.categories) == [["shoes"], ["shoes"]])
        let update = world.visitors.requests(on: .updateUser).first
        #expect(update?.createdAt.map { abs($0.timeIntervalSince(then)) <= 1 } == true)
    }

    /// There, what is tracked while a replay is under way overtakes it.
    @Test func newerEventsWaitForTheReplay() async throws {
        let world = try VisitorWorld()
        let gate = EmulatorGate()
        world.emulator.weather.next(on: .trackEvent, .held(gate))
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.settled()
            try await installation.visitor.track("signup")
            await gate.arrived()
            #expect(try await installation.visitor.track("newer") == .queued)
            gate.open()
            try await world.settle(installation)
            #expect(world.routes.suffix(2) == [.updateUser, .trackEvent])
            #expect(world.visitors.events().map(\.name) == ["view", nil, nil, "signup", "newer"])
        }
    }

    /// There, a failed merge is forgotten at once; or done later, for whoever has logged in by then.
    @Test func aMergeIsTriedAgainAcrossARestartForTheSamePerson() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.always(on: .mergeUsers, .status(500))
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            try await installation.visitor.identify(.email("ann@example.com"))
            try await installation.visitor.settled()
        }
        world.emulator.weather.clear()
        try await world.live { _, installation in try await world.settle(installation) }
        #expect(world.visitors.merges().map(\.destination) == [Self.ann])
        #expect(world.visitors.unknownUsers().isEmpty)
    }

    /// There, the unknown user is kept after a logout, and no other is made in this process.
    @Test func aLogoutForgetsTheUnknownUser() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.setConsent(true)
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.logout()
            #expect(try await visitor.purchase([VisitorWorld.boots], total: 9.34) == .storedLocally)
            #expect(try await visitor.track("view") == .storedLocally)
            try await visitor.track("signup")
            try await world.settle(installation)
            #expect(world.visitors.unknownUsers().count == 2)
        }
    }

    /// There, a call whose record was stored fails all the same.
    @Test func whatIsStoredLocallyIsNoFailure() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.setConsent(true)
            #expect(try await visitor.track("view") == .storedLocally)
            #expect(try await visitor.updateCart([VisitorWorld.boots]) == .storedLocally)
            #expect(try await visitor.purchase([VisitorWorld.boots], total: 1) == .storedLocally)
            #expect(try await visitor.update(["plan": "gold"]) == .storedLocally)
            #expect(try await visitor.setPushToken("0aff") == .storedLocally)
        }
    }

    /// There, a visitor's push token is dead code, and a queued request keeps the user of its sending.
    @Test func aVisitorsPushTokenIsRegisteredOnceThereIsAUser() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.setConsent(true)
            try await installation.visitor.setPushToken("0aff")
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            #expect(world.visitors.unknownUsers().first?.devices.map(\.token) == ["0aff"])
        }
    }

    /// There, a request that waited is sent with the token of its making.
    @Test func aRequestThatWaitedTakesTheTokenOfNow() async throws {
        let world = try VisitorWorld(requiresTokens: true)
        let old = world.visitors.signToken(for: Self.ann, lifetime: .zero)
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.identify(.email("ann@example.com"), token: Secret(old))
            try await visitor.track("mine")
            try await visitor.settled()
            #expect(world.visitors.events().isEmpty)
            let new = world.visitors.signToken(for: Self.ann)
            try await visitor.identify(.email("ann@example.com"), token: Secret(new))
            try await visitor.settled()
            #expect(world.visitors.events().map(\.name) == ["mine"])
        }
    }
}
