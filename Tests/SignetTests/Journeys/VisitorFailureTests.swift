//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// What goes wrong at each step of an activation and of a merge; whatever it is, it all arrives once and in order.
@Suite struct VisitorFailureTests {
    static let routes: [EmulatorRoute] = [
        .criteria, .activation, .consent, .trackEvent, .updateCart, .trackPurchase, .updateUser, .mergeUsers,
        .registerDevice,
    ]

    enum Failure: String, CaseIterable, Sendable {
        case failure, failures, throttled, unreachable, replyLost, page, unauthorized

        var fault: Weather.Fault {
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
        let world = try VisitorWorld()
        world.emulator.weather.next(on: route, failure.fault, times: failure.times)
        try await world.live { signet, installation in
            let visitor = installation.visitor
            try await visitor.setPushToken("0aff")
            try await visitor.browse()
            try await visitor.setPushToken("0aff")
            try await world.settle(installation)
            var changes = visitor.changes.makeAsyncIterator()
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
            let events = world.visitors.events(of: .email("ann@example.com"))
            // A cart has no id; it says the same again, and the platform can tell.
            let once = events.filter { !$0.isRepetition }
            #expect(once.map(\.name) == ["view", nil, nil, "signup", "mine"])
            let times = world.visitors.activations().map(\.userID)
            #expect(Set(times).count == 1)
            #expect(world.visitors.unknownUsers().isEmpty)
            #expect(world.visitors.user(email: "ann@example.com")?.fields["plan"] == "gold")
            #expect(world.visitors.user(email: "ann@example.com")?.devices.map(\.isEnabled) == [true])
            #expect(signet.runtime.statistics.visitorRecordsDropped == [:])
        }
        #expect(world.emulator.weather.remaining == 0)
    }

    @Test(arguments: [EmulatorRoute.trackEvent, .updateCart, .trackPurchase, .updateUser])
    func aRecordThatIsRefusedIsCountedAndHoldsUpNothing(_ route: EmulatorRoute) async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: route, .status(400))
        try await world.live { signet, installation in
            let changes = installation.visitor.changes
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            #expect(signet.runtime.statistics.visitorRecordsDropped == [.refused: 1])
            let refusal = try #require(
                await changes.first { if case .refused = $0.kind { true } else { false } }
            )
            guard case .refused(let told) = refusal.kind else { return }
            #expect(told.error.httpStatus == 400 && told.date != nil && !"\(told)".contains("view"))
            let subjects: [EmulatorRoute: VisitorRefusal.Subject] = [
                .trackEvent: .customEvent("view"), .updateCart: .cartUpdate, .trackPurchase: .purchase,
                .updateUser: .userUpdate,
            ]
            #expect(told.subject == subjects[route])
            #expect(world.visitors.events().count == (route == .updateUser ? 4 : 3))
        }
    }

    @Test func staleCriteriaAreFetchedAgainAndTheUnknownUserKeepsItsID() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.settled()
            world.visitors.setCriteria(
                VisitorWorld.document(VisitorWorld.criterion("8", eventName: "signup"))
            )
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            try await world.settle(installation)
            #expect(world.visitors.requests(on: .activation).map(\.status) == [409, 200])
            let ids = world.visitors.requests(on: .activation).map { $0.body?["user"]?["userId"]?.string }
            #expect(Set(ids).count == 1)
            #expect(world.visitors.activations().map(\.matchedCriteriaID) == [8])
        }
    }

    @Test func aRefusedActivationIsToldAndTriedWithTheNextRecord() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .activation, .status(400))
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            #expect(installation.visitor.state == .visitor)
            try await installation.visitor.track("more")
            try await world.settle(installation)
            #expect(world.visitors.events().map(\.name) == ["view", nil, nil, "signup", "more"])
        }
    }

    @Test func aKnownUserTakesOverAnActivationWhoseAnswerWasLost() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .activation, .replyLost)
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await installation.visitor.settled()
            #expect(installation.visitor.state == .activating)
            try await installation.visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
            // No orphan: the service has heard of the unknown user, so it is merged.
            #expect(world.visitors.unknownUsers().isEmpty)
            #expect(world.visitors.users().count == 1)
            #expect(Set(world.visitors.activations().map(\.userID)).count == 1)
            #expect(
                world.visitors.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil, "signup"]
            )
        }
    }

    @Test func aMergeThatIsRefusedIsToldAndNeverTriedForAnybodyElse() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .mergeUsers, .status(400))
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            var changes = visitor.changes.makeAsyncIterator()
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("mine")
            try await world.settle(installation)
            #expect(await changes.nextKind() == "mergeFailed")
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobs")
            try await world.settle(installation)
            #expect(world.visitors.merges().isEmpty)
            #expect(world.visitors.events(of: .email("bob@example.com")).map(\.name) == ["bobs"])
        }
    }

    @Test func aMergeStaysWithThePersonItWasMeantForAcrossALogoutAndARestart() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.always(on: .mergeUsers, .connectionRefused)
        try await world.live { _, installation in
            let visitor = installation.visitor
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("anns")
            try await visitor.settled()
            try await visitor.logout()
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobs")
            try await visitor.settled()
        }
        world.emulator.weather.clear()
        try await world.live { _, installation in
            try await world.settle(installation)
        }
        #expect(world.visitors.merges().map(\.destination) == [.email("ann@example.com")])
        #expect(world.visitors.events(of: .email("bob@example.com")).map(\.name) == ["bobs"])
        #expect(
            world.visitors.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil, "signup", "anns"]
        )
    }
}
