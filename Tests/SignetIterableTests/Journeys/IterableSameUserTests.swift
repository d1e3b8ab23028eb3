// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// A log-in that changes no MPID: Iterable is told what it does not know yet, and nothing twice.
@Suite(.watched) struct IterableSameUserTests {
    private static let ann: IdentityRequest = [.customerID: "c-1", .email: "ann@example.com"]
    private static let annByEmail = IterableUserID.email("ann@example.com")

    private static func byEmail(_ settings: inout ServiceSettings) { settings.iterable?.addressing = .email }

    private static func without(_ settings: inout ServiceSettings) { settings.iterable = nil }

    private static func alone(_ settings: inout ServiceSettings) { settings.iterable?.followsLogin = false }

    /// The number of writes of a login that changes nothing, and of its requests.
    private static func nothingFollows(_ signet: EmulatedSignet, _ installation: Installation) async throws {
        let before = signet.transport.exchanges.count
        #expect(try await installation.login(Self.ann).servicesFollowing.isEmpty)
        #expect(!signet.runtime.context.store.contains(StateKey.outbox("v")))
        try await installation.iterable.waitUntilIdle()
        #expect(signet.transport.exchanges.count == before + 1)
    }

    @Test func aNameThatComesLaterIsFollowed() async throws {
        let world = try IterableWorld()
        try await world.live(configure: Self.byEmail) { signet, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            #expect(try await installation.login([.customerID: "c-1"]).servicesFollowing == [.iterable])
            guard case .failed = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("It has no name.")
                return
            }
            #expect(try await installation.login(Self.ann).servicesFollowing == [.iterable])
            #expect(try await installation.iterable.track("later") == .queued)
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(Self.annByEmail))
            try await Self.nothingFollows(signet, installation)
        }
    }

    /// Without a name the service reports once, and not at each login.
    @Test func aUserWithoutAUsableNameIsReportedOnce() async throws {
        let world = try IterableWorld()
        try await world.live(configure: Self.byEmail) { signet, installation in
            let first = try await installation.login([.customerID: "c-1"])
            let second = try await installation.login([.customerID: "c-1"])
            #expect((first.servicesFollowing, second.servicesFollowing) == ([.iterable], []))
            #expect(!signet.runtime.context.store.contains(StateKey.outbox("v")))
        }
    }

    @Test func anIdentifyOrAModifyThatBringsANameIsFollowed() async throws {
        for modifies in [false, true] {
            let world = try IterableWorld()
            try await world.live(configure: Self.byEmail) { _, installation in
                try await installation.login([.customerID: "c-1"])
                if modifies {
                    let result = try await installation.modify([.email: "ann@example.com"])
                    #expect(result.servicesFollowing == [.iterable])
                } else {
                    #expect(try await installation.identify(Self.ann).servicesFollowing == [.iterable])
                }
                #expect(try await installation.iterable.track("later") == .queued)
                try await world.settle(installation)
                #expect(installation.iterable.state == .known(Self.annByEmail), "modify: \(modifies)")
            }
        }
    }

    @Test func aModifyOfOtherIdentitiesIsNot() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.login(Self.ann)
            try await world.settle(installation)
            try await installation.iterable.logout()
            #expect(try await installation.modify([.other: "x"]).servicesFollowing.isEmpty)
            #expect(!signet.runtime.context.store.contains(StateKey.outbox("v")))
            #expect(installation.iterable.state == .noConsent)
        }
    }

    /// In an earlier release there was no such service, or it did not follow.
    @Test(arguments: [false, true])
    func aServiceThatIsNewFollowsTheNextLoginOfTheSameUser(wasThere: Bool) async throws {
        for isStart in [false, true] {
            let world = try IterableWorld()
            try await world.live(configure: wasThere ? Self.alone : Self.without) { _, installation in
                try await installation.login(Self.ann)
            }
            try await world.start().run { signet in
                let policy = isStart ? IdentifyPolicy.oncePerProcess : .none
                let installation = try await signet.runtime.open("v", identify: policy)
                let result =
                    try await isStart ? installation.initialIdentifyResult() : installation.login(Self.ann)
                #expect(result.servicesFollowing == [.iterable])
                #expect(try await installation.iterable.track("later") == .queued)
                try await world.settle(installation)
                #expect(installation.iterable.state == .known(Self.annByEmail))
                try await Self.nothingFollows(signet, installation)
            }
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["later"])
        }
    }

    @Test func afterTheAppsOwnCallsALoginBringsTheUserBack() async throws {
        for logsOut in [true, false] {
            let world = try IterableWorld()
            try await world.live { signet, installation in
                try await installation.login(Self.ann)
                try await world.settle(installation)
                if logsOut {
                    try await installation.iterable.logout()
                } else {
                    try await installation.iterable.identify(.email("bob@example.com"))
                }
                try await world.settle(installation)
                #expect(try await installation.login(Self.ann).servicesFollowing == [.iterable])
                try await installation.iterable.track("hers")
                try await world.settle(installation)
                #expect(installation.iterable.state == .known(Self.annByEmail), "logout: \(logsOut)")
                try await Self.nothingFollows(signet, installation)
            }
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["hers"])
        }
    }

    /// Whom the app has logged out at Iterable alone, no start logs in again.
    @Test func aStartUndoesNothingThatTheAppDidItself() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.login(Self.ann)
            try await world.settle(installation)
            try await installation.iterable.logout()
        }
        try await world.start().run { signet in
            let installation = try await signet.runtime.open("v", identify: .oncePerProcess)
            #expect(try await installation.initialIdentifyResult().servicesFollowing.isEmpty)
            #expect(installation.iterable.state == .noConsent)
            #expect(try await installation.login(Self.ann).servicesFollowing == [.iterable])
        }
    }

    @Test func aLogoutEndsWhomTheAppHasIdentifiedItself() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.login(Self.ann)
            try await installation.logout()
            try await installation.iterable.identify(.email("bob@example.com"))
            #expect(try await installation.identify().servicesFollowing.isEmpty)
            #expect(try await installation.logout().servicesFollowing == [.iterable])
            #expect(installation.iterable.state == .noConsent)
            #expect(try await installation.logout().servicesFollowing.isEmpty)
        }
    }

    /// The same person with another address, of which the platform has not heard.
    @Test func anAddressThatTheAppChangedIsNotChangedBack() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.login(Self.ann)
            // Iterable makes the user with the first record.
            try await installation.iterable.track("known")
            try await world.settle(installation)
            try await installation.iterable.updateEmail("anna@example.com")
            try await world.settle(installation)
            try await Self.nothingFollows(signet, installation)
            #expect(installation.iterable.state == .known(.email("anna@example.com")))
            #expect(try await installation.modify([.email: "anna@example.com"]).servicesFollowing == [.iterable])
            try await world.settle(installation)
            #expect(world.routes.filter { $0 == .updateEmail }.count == 1)
        }
    }
}
