// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// What the vendor's clients get wrong with visitors, and we do not.
@Suite(.watched) struct KnownIterableDefectsTests {
    private static let ann = EmulatedIterableUserID.email("ann@example.com")

    /// There, who takes consent back stays logged in as the unknown user, and what they do goes on being sent.
    @Test func consentThatIsTakenBackEndsTheUnknownUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.setTrackingConsent(false)
            let count = world.routes.count
            #expect(try await visitor.track("more") == .ignored(.noConsent))
            try await world.settle(installation)
            #expect(world.routes.count == count)
            #expect(visitor.consent.givenAt == nil)
        }
    }

    /// There, agreeing again wipes what was not told yet.
    @Test func agreeingAgainChangesNothing() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            let consent = visitor.consent
            world.clock.advance(by: .seconds(5))
            try await visitor.setTrackingConsent(true)
            #expect(visitor.consent == consent)
            try await visitor.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.events().count == 4)
            #expect(world.iterable.consents().map(\.consentedAt) == [consent.givenAt])
        }
    }

    /// There, whatever comes replaces the criteria, unread.
    @Test func criteriaThatCannotBeReadDoNotReplaceTheLastGoodOnes() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await world.settle(installation)
        }
        world.iterable.setCriteria(#"{"criteriaSets":[{"criteriaId":1}]}"#)
        try await world.live { _, installation in
            var changes = try installation.iterableChanges().makeAsyncIterator()
            try await world.settle(installation)
            #expect(await changes.nextKind() == "criteriaFailed")
            world.iterable.setCriteria(IterableWorld.onSignup)
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.events().count == 4)
        }
    }

    /// There, what was tracked before the criteria came waits for the next event.
    @Test func storedRecordsAreHeldAgainstCriteriaThatComeLate() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.connectionRefused, on: .criteria)
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(installation.iterable.state == .visitor)
        }
        try await world.live { _, installation in
            try await world.settle(installation)
            #expect(world.iterable.events().count == 4)
        }
    }

    /// There, a Boolean comes back from the disk as a number, and `null` cannot be stored at all.
    @Test func valuesKeepTheirTypesOnDisk() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in try await installation.iterable.browse() }
        try await world.live { _, installation in
            try await installation.iterable.track("signup")
            try await world.settle(installation)
        }
        let fields = try #require(world.iterable.events().first?.json["dataFields"]?.object)
        #expect(fields["first"] == .bool(true))
        #expect(fields["count"]?.number?.text == "1")
        #expect(fields["ratio"]?.number?.text == "1.0")
        #expect(fields["none"] == .null)
    }

    /// There, events that match before the answer comes each make a user, and each try makes another.
    @Test func manyEventsAtOnceMakeOneUnknownUser() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.replyLost, on: .activation, times: 2)
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.waitUntilIdle()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try await visitor.track("signup") } }
                try await group.waitForAll()
            }
            try await world.settle(installation)
            #expect(world.iterable.activations().count == 3)
            #expect(world.iterable.unknownUsers().count == 1)
            #expect(world.iterable.events().count == 50)
        }
    }

    /// There, `eventType` and `eventTimeStamp` become fields of the profile and of events.
    @Test func nobodysProfileHasOurNotes() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            try await installation.iterable.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        #expect(world.iterable.users().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(world.iterable.events().allSatisfy { $0.bookkeeping.isEmpty })
        #expect(world.iterable.user(Self.ann)?.fields.keys.sorted() == ["plan"])
    }

    /// There, a replayed purchase is said to be of now, and a total is read in the language of the device.
    @Test func everyKindIsReplayedWithItsTimeAndItsNumbers() async throws {
        let world = try IterableWorld()
        let then = world.clock.date
        try await world.live { _, installation in try await installation.iterable.browse() }
        world.clock.advance(by: .seconds(86_400))
        try await world.live { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        let events = world.iterable.events(of: Self.ann)
        #expect(events.count == 3)
        for event in events {
            let time = try #require(event.createdAt)
            #expect(abs(time.timeIntervalSince(then)) <= 1)
        }
        #expect(events.compactMap(\.total) == [9.34])
        #expect(events.flatMap(\.items).map(\.price) == [4.67, 4.67])
        #expect(events.flatMap(\.items).map(\.categories) == [["shoes"], ["shoes"]])
        let update = world.iterable.requests(on: .updateUser).first
        #expect(update?.createdAt.map { abs($0.timeIntervalSince(then)) <= 1 } == true)
    }

    /// There, what is tracked while a replay is under way overtakes it.
    @Test func newerEventsWaitForTheReplay() async throws {
        let world = try IterableWorld()
        let gate = EmulatorGate()
        world.emulator.faults.inject(.held(gate), on: .trackEvent)
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.waitUntilIdle()
            try await installation.iterable.track("signup")
            await gate.arrived()
            #expect(try await installation.iterable.track("newer") == .queued)
            gate.open()
            try await world.settle(installation)
            #expect(world.routes.suffix(2) == [.updateUser, .trackEvent])
            #expect(world.iterable.events().map(\.name) == ["view", nil, nil, "signup", "newer"])
        }
    }

    /// There, a failed merge is forgotten at once; or done later, for whoever has logged in by then.
    @Test func aMergeIsTriedAgainAcrossARestartForTheSamePerson() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.status(500), on: .mergeUsers)
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            try await installation.iterable.identify(.email("ann@example.com"))
            try await installation.iterable.waitUntilIdle()
        }
        world.emulator.faults.clear()
        try await world.live { _, installation in try await world.settle(installation) }
        #expect(world.iterable.merges().map(\.destination) == [Self.ann])
        #expect(world.iterable.unknownUsers().isEmpty)
    }

    /// There, the unknown user is kept after a logout, and no other is made in this process.
    @Test func aLogoutForgetsTheUnknownUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.logout()
            #expect(try await visitor.purchase([IterableWorld.boots], total: 9.34) == .buffered)
            #expect(try await visitor.track("view") == .buffered)
            try await visitor.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().count == 2)
        }
    }

    /// There, a call whose record was stored fails all the same.
    @Test func whatIsStoredLocallyIsNoFailure() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            #expect(try await visitor.track("view") == .buffered)
            #expect(try await visitor.updateCart([IterableWorld.boots]) == .buffered)
            #expect(try await visitor.purchase([IterableWorld.boots], total: 1) == .buffered)
            #expect(try await visitor.update(["plan": "gold"]) == .buffered)
            #expect(try await visitor.setPushToken("0aff") == .buffered)
        }
    }

    /// There, a visitor's push token is dead code, and a queued request keeps the user of its sending.
    @Test func aVisitorsPushTokenIsRegisteredOnceThereIsAUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.setPushToken("0aff")
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().first?.devices.map(\.token) == ["0aff"])
        }
    }

    /// There, a request that waited is sent with the token of its making.
    @Test func aRequestThatWaitedTakesTheTokenOfNow() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let old = world.iterable.signToken(for: Self.ann, lifetime: .zero)
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.identify(.email("ann@example.com"), token: Secret(old))
            try await visitor.track("mine")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events().isEmpty)
            let new = world.iterable.signToken(for: Self.ann)
            try await visitor.identify(.email("ann@example.com"), token: Secret(new))
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events().map(\.name) == ["mine"])
        }
    }
}
