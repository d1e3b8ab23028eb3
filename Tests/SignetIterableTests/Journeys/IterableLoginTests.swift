// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// Logins that Iterable follows, and what is logged once for both.
@Suite(.watched) struct IterableLoginTests {
    @Test func aLoginIdentifiesTheVisitorBeforeItReturns() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            try await installation.login([.email: "ann@example.com", .customerID: "c-17"])
            #expect(try await installation.iterable.track("mine") == .queued)
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(.email("ann@example.com")))
            #expect(world.iterable.merges().map(\.destination) == [.email("ann@example.com")])
            #expect(
                world.iterable.events(of: .email("ann@example.com")).map(\.name) == [
                    "view", nil, nil, "signup", "mine",
                ]
            )
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
            try await installation.logout()
            #expect(installation.iterable.state == .visitor)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
        }
    }

    @Test func anonymousUsersLeaveTheVisitorAlone() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            try await installation.identify()
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().count == 1)
            guard case .unknown = installation.iterable.state else {
                Issue.record("\(installation.iterable.state)")
                return
            }
        }
    }

    /// The platform may answer with the user who is there already, who has a name only now.
    @Test func aLoginThatNamesTheAnonymousUserIsFollowed() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("view")
            let anonymous = try await installation.logout().user.mpid
            let named = try await installation.login([.email: "ann@example.com"]).user.mpid
            #expect(named == anonymous)
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(.email("ann@example.com")))
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["view"])
            // The same names again are no change.
            let before = world.iterable.requests().count
            try await installation.login([.email: "ann@example.com"])
            try await world.settle(installation)
            #expect(world.iterable.requests().count == before)
        }
    }

    @Test func loginsAreNotFollowedWhereThatIsSwitchedOff() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.followsLogin = false }) { _, installation in
            try await installation.iterable.browse()
            try await installation.login([.email: "ann@example.com"])
            #expect(installation.iterable.state == .visitor)
        }
    }

    @Test(arguments: [
        (IterableConfiguration.Addressing.email, IterableUserID.email("ann@example.com")), (.userID, .userID("ann")),
        (.hybrid, .email("ann@example.com")),
    ])
    func aLoginIsFollowedByWhatTheProjectKnowsItsUsersBy(
        _ addressing: IterableConfiguration.Addressing,
        _ expected: IterableUserID
    ) async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.addressing = addressing }) { _, installation in
            try await installation.login([.customerID: "ann", .email: "ann@example.com"])
            try await installation.iterable.track("mine")
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(expected))
            #expect(world.iterable.events(of: EmulatedIterableUserID(expected)).map(\.name) == ["mine"])
            #expect(world.iterable.users().count == 1)
        }
    }

    @Test func aLoginWithoutTheNameThatTheProjectWantsSaysSo() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.addressing = .userID }) { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            try await installation.login([.email: "ann@example.com"])
            try await world.settle(installation)
            guard case .failed(let error) = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not failed")
                return
            }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("no customer id") && error.message.contains("iterable.addressing"))
            #expect(installation.iterable.state == .noConsent)
            #expect(world.iterable.users().isEmpty)
        }
    }

    @Test func aLaterLoginSupersedesWhatWasRecordedAndTakesNothingFromIt() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            world.emulator.faults.injectAlways(.connectionRefused, on: .mergeUsers)
            try await installation.login([.customerID: "ann"])
            try await installation.iterable.waitUntilIdle()
            try await installation.login([.customerID: "bob"])
            try await installation.iterable.track("bobs")
            try await installation.iterable.waitUntilIdle()
            guard let first = await outcomes.next(isolation: nil), case .superseded = first.kind else {
                Issue.record("not superseded")
                return
            }
            world.emulator.faults.clear()
            try await world.settle(installation)
            #expect(world.iterable.merges().map(\.destination) == [.userID("ann")])
            #expect(world.iterable.events(of: .userID("bob")).map(\.name) == ["bobs"])
            guard let second = await outcomes.next(isolation: nil), case .done = second.kind else {
                Issue.record("not done")
                return
            }
        }
    }

    @Test func linkedWorkThatAKillCutShortIsDoneAtTheNextStart() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await world.settle(installation)
            world.emulator.faults.injectAlways(.connectionRefused, on: .trackEvent)
            try await installation.login([.email: "ann@example.com"])
            try await installation.iterable.waitUntilIdle()
        }
        try await world.live { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            world.emulator.faults.clear()
            try await world.settle(installation)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["view", nil, nil])
        }
    }

    @Test func whatIsLoggedIsTheVisitorsTooWhereItIsToBe() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.forwardsEvents = true }) { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try installation.log(.custom("view", attributes: ["page": "home", "count": 1, "first": true]))
            let boots = Product(id: "b", name: "Boots", category: "shoes", price: 2.5, quantity: 2)
            try installation.log(.purchase(Purchase(transactionID: "t", total: 5, products: [boots])))
            try installation.log(.screen("home"))
            try installation.log(.custom("signup"))
            try await installation.iterable.track("last")
            try await world.settle(installation)
            let events = world.iterable.events()
            #expect(events.map(\.name) == ["view", nil, "signup", "last"])
            #expect(events[1].total == 5)
            #expect(events[1].items.first?.categories == ["shoes"])
            #expect(events[0].json["dataFields"]?.object?["first"] == .bool(true))
        }
    }

    @Test func whoIsErasedTakesTheVisitorAlong() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            world.emulator.faults.injectAlways(.connectionRefused, on: .trackEvent)
            try await installation.iterable.browse()
            let user = try await installation.login([.email: "ann@example.com"]).user
            try await installation.iterable.waitUntilIdle()
            try await signet.runtime.eraseUser(user.mpid)
            #expect(installation.iterable.state == .noConsent)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.forgotten: 4])
            let store = signet.runtime.context.store
            let number = installation.core.identityState.number
            #expect(try store.keys(withPrefix: StateKey.iterableMemory(number)).filter { $0.count > 6 }.isEmpty)
            #expect(!store.contains(StateKey.outbox("v")))
        }
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }

    @Test func whoIsErasedTakesTheVisitorOfAClosedInstallationAlong() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .trackEvent)
        var mpid: MPID?
        try await world.live { _, installation in
            try await installation.iterable.browse()
            mpid = try await installation.login([.email: "ann@example.com"]).user.mpid
            try await installation.iterable.waitUntilIdle()
        }
        let signet = try world.start { $0.iterable = nil }
        try await signet.runtime.eraseUser(try #require(mpid))
        await signet.runtime.shutdown()
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }
}

extension EmulatedIterableUserID {
    /// The same in the emulator's words.
    fileprivate init(_ id: IterableUserID) {
        self =
            switch id {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
    }
}
