// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// What goes wrong at each step of an activation and of a merge; whatever it is, it all arrives once and in order.
@Suite struct IterableFailureTests {
    static let routes: [EmulatorRoute] = [
        .criteria, .activation, .consent, .trackEvent, .updateCart, .trackPurchase, .updateUser, .mergeUsers,
        .registerDevice,
    ]

    enum Failure: String, CaseIterable, Sendable {
        case failure, failures, throttled, unreachable, replyLost, page, unauthorized

        var fault: FaultInjector.Fault {
            switch self {
            case .failure, .failures: .status(503)
            case .throttled: .status(429, retryAfter: .seconds(30))
            case .unreachable: .connectionRefused
            case .replyLost: .replyLost
            case .page: .garbage(Array("<html>".utf8))
            case .unauthorized: .status(403)
            }
        }

        var times: Int { self == .failures ? 8 : 1 }
    }

    @Test(arguments: Self.routes, Failure.allCases)
    func everythingArrivesInOrderAllTheSame(_ route: EmulatorRoute, _ failure: Failure) async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(failure.fault, on: route, times: failure.times)
        try await world.live { signet, installation in
            let visitor = installation.iterable
            try await visitor.setPushToken("0aff")
            try await visitor.browse()
            try await visitor.setPushToken("0aff")
            try await world.settle(installation)
            var changes = try visitor.changes.makeAsyncIterator()
            // Criteria that could not be had are asked for when the app comes back.
            world.clock.advance(by: .seconds(121))
            try installation.enterForeground()
            #expect(await changes.nextKind() == "criteriaReceived")
            try await visitor.track("signup")
            try await world.settle(installation)
            try await world.settle(installation)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("mine")
            try await world.settle(installation)
            #expect(visitor.state == .known(.email("ann@example.com")))
            let events = world.iterable.events(of: .email("ann@example.com"))
            // A cart has no id; it says the same again, and the platform can tell.
            let once = events.filter { !$0.isRepetition }
            #expect(once.map(\.name) == ["view", nil, nil, "signup", "mine"])
            let times = world.iterable.activations().map(\.userID)
            #expect(Set(times).count == 1)
            #expect(world.iterable.unknownUsers().isEmpty)
            #expect(world.iterable.user(email: "ann@example.com")?.fields["plan"] == "gold")
            #expect(world.iterable.user(email: "ann@example.com")?.devices.map(\.isEnabled) == [true])
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
        }
        #expect(world.emulator.faults.remaining == 0)
    }

    @Test(arguments: [EmulatorRoute.trackEvent, .updateCart, .trackPurchase, .updateUser])
    func aRecordThatIsRefusedIsCountedAndHoldsUpNothing(_ route: EmulatorRoute) async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.status(400), on: route)
        try await world.live { signet, installation in
            let changes = try installation.iterable.changes
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.rejected: 1])
            let refusal = try #require(
                await changes.first { if case .rejected = $0.kind { true } else { false } }
            )
            guard case .rejected(let told) = refusal.kind else { return }
            #expect(told.error.httpStatus == 400 && told.date != nil && !"\(told)".contains("view"))
            let subjects: [EmulatorRoute: IterableRejection.Subject] = [
                .trackEvent: .customEvent("view"), .updateCart: .cartUpdate, .trackPurchase: .purchase,
                .updateUser: .userUpdate,
            ]
            #expect(told.subject == subjects[route])
            #expect(world.iterable.events().count == (route == .updateUser ? 4 : 3))
        }
    }

    @Test func staleCriteriaAreFetchedAgainAndTheUnknownUserKeepsItsID() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.waitUntilIdle()
            world.iterable.setCriteria(
                IterableWorld.document(IterableWorld.criterion("8", eventName: "signup"))
            )
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            try await world.settle(installation)
            #expect(world.iterable.requests(on: .activation).map(\.status) == [409, 200])
            let ids = world.iterable.requests(on: .activation).map { $0.body?["user"]?["userId"]?.string }
            #expect(Set(ids).count == 1)
            #expect(world.iterable.activations().map(\.matchedCriteriaID) == [8])
        }
    }

    @Test func aRefusedActivationIsToldAndTriedAgainAfterAPause() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.status(400), on: .activation)
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            // Without another record.
            #expect(installation.iterable.state != .visitor)
            try await installation.iterable.track("more")
            try await world.settle(installation)
            #expect(world.iterable.events().map(\.name) == ["view", nil, nil, "signup", "more"])
        }
    }

    @Test func aKnownUserTakesOverAnActivationWhoseAnswerWasLost() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.replyLost, on: .activation)
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await installation.iterable.waitUntilIdle()
            #expect(installation.iterable.state == .activating)
            try await installation.iterable.identify(.email("ann@example.com"))
            try await world.settle(installation)
            // No orphan: the service has heard of the unknown user, so it is merged.
            #expect(world.iterable.unknownUsers().isEmpty)
            #expect(world.iterable.users().count == 1)
            #expect(Set(world.iterable.activations().map(\.userID)).count == 1)
            #expect(
                world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil, "signup"]
            )
        }
    }

    @Test func aMergeThatIsRefusedIsToldAndNeverTriedForAnybodyElse() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.status(400), on: .mergeUsers)
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            var changes = try visitor.changes.makeAsyncIterator()
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("mine")
            try await world.settle(installation)
            #expect(await changes.nextKind() == "mergeFailed")
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobs")
            try await world.settle(installation)
            #expect(world.iterable.merges().isEmpty)
            #expect(world.iterable.events(of: .email("bob@example.com")).map(\.name) == ["bobs"])
        }
    }

    @Test func aMergeStaysWithThePersonItWasMeantForAcrossALogoutAndARestart() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .mergeUsers)
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("anns")
            try await visitor.waitUntilIdle()
            try await visitor.logout()
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobs")
            try await visitor.waitUntilIdle()
        }
        world.emulator.faults.clear()
        try await world.live { _, installation in
            try await world.settle(installation)
        }
        #expect(world.iterable.merges().map(\.destination) == [.email("ann@example.com")])
        #expect(world.iterable.events(of: .email("bob@example.com")).map(\.name) == ["bobs"])
        #expect(
            world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil, "signup", "anns"]
        )
    }
}
