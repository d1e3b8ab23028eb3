//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Logins that the visitors' service follows, and what is logged once for both.
@Suite(.watched) struct VisitorLoginTests {
    @Test func aLoginIdentifiesTheVisitorBeforeItReturns() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            var outcomes = installation.linkedOutcomes.makeAsyncIterator()
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            try await installation.login([.email: "ann@example.com", .customerID: "c-17"])
            #expect(try await installation.visitor.track("mine") == .queued)
            try await world.settle(installation)
            #expect(installation.visitor.state == .known(.email("ann@example.com")))
            #expect(world.visitors.merges().map(\.destination) == [.email("ann@example.com")])
            #expect(
                world.visitors.events(of: .email("ann@example.com")).map(\.name) == [
                    "view", nil, nil, "signup", "mine",
                ]
            )
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
            try await installation.logout()
            #expect(installation.visitor.state == .visitor)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
        }
    }

    @Test func anonymousUsersLeaveTheVisitorAlone() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            try await installation.identify()
            try await world.settle(installation)
            #expect(world.visitors.unknownUsers().count == 1)
            guard case .unknown = installation.visitor.state else {
                Issue.record("\(installation.visitor.state)")
                return
            }
        }
    }

    @Test func loginsAreNotFollowedWhereThatIsSwitchedOff() async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.followsLogin = false }) { _, installation in
            try await installation.visitor.browse()
            try await installation.login([.email: "ann@example.com"])
            #expect(installation.visitor.state == .visitor)
        }
    }

    @Test(arguments: [
        (VisitorConfiguration.Addressing.email, VisitorID.email("ann@example.com")), (.userID, .userID("ann")),
        (.hybrid, .email("ann@example.com")),
    ])
    func aLoginIsFollowedByWhatTheProjectKnowsItsUsersBy(
        _ addressing: VisitorConfiguration.Addressing,
        _ expected: VisitorID
    ) async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.addressing = addressing }) { _, installation in
            try await installation.login([.customerID: "ann", .email: "ann@example.com"])
            try await installation.visitor.track("mine")
            try await world.settle(installation)
            #expect(installation.visitor.state == .known(expected))
            #expect(world.visitors.events(of: EmulatedVisitorID(expected)).map(\.name) == ["mine"])
            #expect(world.visitors.users().count == 1)
        }
    }

    @Test func aLoginWithoutTheNameThatTheProjectWantsSaysSo() async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.addressing = .userID }) { _, installation in
            var outcomes = installation.linkedOutcomes.makeAsyncIterator()
            try await installation.login([.email: "ann@example.com"])
            try await world.settle(installation)
            guard case .failed(let error) = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not failed")
                return
            }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("no customer id") && error.message.contains("visitors.addressing"))
            #expect(installation.visitor.state == .noConsent)
            #expect(world.visitors.users().isEmpty)
        }
    }

    @Test func aLaterLoginSupersedesWhatWasRecordedAndTakesNothingFromIt() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            var outcomes = installation.linkedOutcomes.makeAsyncIterator()
            try await installation.visitor.browse()
            try await installation.visitor.track("signup")
            try await world.settle(installation)
            world.emulator.weather.always(on: .mergeUsers, .connectionRefused)
            try await installation.login([.customerID: "ann"])
            try await installation.visitor.settled()
            try await installation.login([.customerID: "bob"])
            try await installation.visitor.track("bobs")
            try await installation.visitor.settled()
            guard let first = await outcomes.next(isolation: nil), case .superseded = first.kind else {
                Issue.record("not superseded")
                return
            }
            world.emulator.weather.clear()
            try await world.settle(installation)
            #expect(world.visitors.merges().map(\.destination) == [.userID("ann")])
            #expect(world.visitors.events(of: .userID("bob")).map(\.name) == ["bobs"])
            guard let second = await outcomes.next(isolation: nil), case .done = second.kind else {
                Issue.record("not done")
                return
            }
        }
    }

    @Test func linkedWorkThatAKillCutShortIsDoneAtTheNextStart() async throws {
        let world = try VisitorWorld()
        try await world.live { _, installation in
            try await installation.visitor.browse()
            try await world.settle(installation)
            world.emulator.weather.always(on: .trackEvent, .connectionRefused)
            try await installation.login([.email: "ann@example.com"])
            try await installation.visitor.settled()
        }
        try await world.live { _, installation in
            var outcomes = installation.linkedOutcomes.makeAsyncIterator()
            world.emulator.weather.clear()
            try await world.settle(installation)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
            #expect(world.visitors.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil])
        }
    }

    @Test func whatIsLoggedIsTheVisitorsTooWhereItIsToBe() async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.mirrorsEvents = true }) { _, installation in
            try await installation.visitor.setConsent(true)
            try installation.log(.custom("view", attributes: ["page": "home", "count": 1, "first": true]))
            let boots = Product(id: "b", name: "Boots", category: "shoes", price: 2.5, quantity: 2)
            try installation.log(.purchase(Purchase(transactionID: "t", total: 5, products: [boots])))
            try installation.log(.screen("home"))
            try installation.log(.custom("signup"))
            try await installation.visitor.track("last")
            try await world.settle(installation)
            let events = world.visitors.events()
            #expect(events.map(\.name) == ["view", nil, "signup", "last"])
            #expect(events[1].total == 5)
            #expect(events[1].items.first?.categories == ["shoes"])
            #expect(events[0].json["dataFields"]?.object?["first"] == .bool(true))
        }
    }

    @Test func whoIsErasedTakesTheVisitorAlong() async throws {
        let world = try VisitorWorld()
        try await world.live { signet, installation in
            world.emulator.weather.always(on: .trackEvent, .connectionRefused)
            try await installation.visitor.browse()
            let user = try await installation.login([.email: "ann@example.com"]).user
            try await installation.visitor.settled()
            try await signet.runtime.forget(user.mpid)
            #expect(installation.visitor.state == .noConsent)
            #expect(signet.runtime.statistics.visitorRecordsDropped == [.forgotten: 4])
            let store = signet.runtime.services.store
            let number = installation.core.identityState.number
            #expect(try store.keys(withPrefix: StateKey.visitorRecords(number)).isEmpty)
            #expect(!store.contains(StateKey.linked("v")))
        }
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }

    @Test func whoIsErasedTakesTheVisitorOfAClosedInstallationAlong() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.always(on: .trackEvent, .connectionRefused)
        var mpid: MPID?
        try await world.live { _, installation in
            try await installation.visitor.browse()
            mpid = try await installation.login([.email: "ann@example.com"]).user.mpid
            try await installation.visitor.settled()
        }
        let signet = try EmulatedSignet(in: world.folder.path, platform: world.emulator, clock: world.clock)
        try await signet.runtime.forget(try #require(mpid))
        await signet.runtime.shutdown()
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }
}

extension EmulatedVisitorID {
    /// The same in the emulator's words.
    fileprivate init(_ id: VisitorID) {
        self =
            switch id {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
    }
}
