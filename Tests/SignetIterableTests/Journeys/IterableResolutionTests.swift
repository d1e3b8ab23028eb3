// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// Visitors, unknown and known users who become known, under every combination of options.
@Suite struct IterableResolutionTests {
    /// How the two options are given.
    enum Way: CaseIterable { case configuration, call }

    struct Options: Sendable, CustomStringConvertible {
        let replays: Bool
        let merges: Bool
        let way: Way
        let id: IterableUserID

        var description: String { "replays \(self.replays), merges \(self.merges), by \(self.way), \(self.id)" }

        static let all: [Options] = [true, false].flatMap { replays in
            [true, false].flatMap { merges in
                Way.allCases.flatMap { way in
                    [IterableUserID.email("ann@example.com"), .userID("ann")].map {
                        Options(replays: replays, merges: merges, way: way, id: $0)
                    }
                }
            }
        }

        func configure(_ configuration: inout ServiceSettings) {
            let isHere = self.way == .configuration
            // What the call says wins over the configuration.
            configuration.iterable?.resolution = IdentityResolution(
                replayOnVisitorToKnown: isHere ? self.replays : !self.replays,
                mergeOnUnknownToKnown: isHere ? self.merges : !self.merges
            )
        }

        func identify(_ visitor: IterableVisitor, _ id: IterableUserID? = nil) async throws {
            let resolution =
                self.way == .call
                ? IdentityResolution(replayOnVisitorToKnown: self.replays, mergeOnUnknownToKnown: self.merges)
                : IdentityResolution()
            try await visitor.identify(id ?? self.id, resolution: resolution)
        }

        var emulated: EmulatedIterableUserID {
            switch self.id {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
        }
    }

    @Test(arguments: Options.all) func aVisitorBecomesKnown(_ options: Options) async throws {
        let world = try IterableWorld()
        try await world.live(configure: options.configure) { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await options.identify(visitor)
            #expect(try await visitor.track("mine") == .queued)
            try await visitor.waitUntilIdle()
            #expect(visitor.state == .known(options.id))
            let names = world.iterable.events(of: options.emulated).map(\.name)
            #expect(names == (options.replays ? ["view", nil, nil, "mine"] : ["mine"]))
            #expect(world.iterable.consents().map(\.isUserKnown) == (options.replays ? [true] : []))
            #expect(world.iterable.user(options.emulated)?.fields["plan"] == (options.replays ? "gold" : nil))
            #expect(world.iterable.unknownUsers().isEmpty)
            #expect(world.iterable.merges().isEmpty)
            let update = world.iterable.requests(on: .updateUser).first?.body
            #expect(update?["mergeNestedObjects"]?.bool == (options.replays ? false : nil))
            if options.replays {
                // The update is the last that is replayed, and before what the user did.
                #expect(
                    world.routes == [.consent, .trackEvent, .updateCart, .trackPurchase, .updateUser, .trackEvent]
                )
            }
        }
    }

    @Test(arguments: Options.all) func anUnknownUserBecomesKnown(_ options: Options) async throws {
        let world = try IterableWorld()
        try await world.live(configure: options.configure) { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await visitor.waitUntilIdle()
            let unknown = try #require(world.iterable.unknownUsers().first?.userID)
            try await visitor.track("asUnknown")
            try await options.identify(visitor)
            try await visitor.track("mine")
            try await visitor.waitUntilIdle()
            #expect(visitor.state == .known(options.id))
            let known = world.iterable.events(of: options.emulated).map(\.name)
            if options.merges {
                #expect(known == ["view", nil, nil, "signup", "asUnknown", "mine"])
                #expect(world.iterable.merges().map(\.source) == [.userID(unknown)])
                #expect(world.iterable.merges().map(\.destination) == [options.emulated])
                #expect(world.iterable.unknownUsers().isEmpty)
            } else {
                #expect(known == ["mine"])
                #expect(world.iterable.merges().isEmpty)
                #expect(
                    world.iterable.events(of: .userID(unknown)).map(\.name) == [
                        "view", nil, nil, "signup", "asUnknown",
                    ]
                )
            }
            #expect(world.iterable.events().allSatisfy { $0.deliveries == 1 && !$0.isRepetition })
        }
    }

    @Test(arguments: Options.all) func aKnownUserGivesWayToAnother(_ options: Options) async throws {
        let world = try IterableWorld()
        try await world.live(configure: options.configure) { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.setPushToken("0aff")
            try await visitor.identify(.userID("bob"))
            try await visitor.track("bobs")
            try await visitor.waitUntilIdle()
            let consents = world.iterable.consents().count
            #expect(world.iterable.user(userID: "bob")?.devices.map(\.isEnabled) == [true])
            // Not delivered yet when the other comes: still Bob's.
            try await visitor.track("bobs last")
            try await options.identify(visitor)
            try await visitor.track("mine")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events(of: .userID("bob")).map(\.name) == ["bobs", "bobs last"])
            #expect(world.iterable.events(of: options.emulated).map(\.name) == ["mine"])
            #expect(world.iterable.merges().isEmpty)
            #expect(world.iterable.consents().count - consents == (options.replays ? 1 : 0))
            // The old device token is taken from Bob.
            #expect(world.iterable.user(userID: "bob")?.devices.map(\.isEnabled) == [false])
            #expect(world.iterable.user(options.emulated)?.devices.map(\.isEnabled) == [true])
        }
    }

    @Test func theSameUserAgainSendsNothing() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            try await installation.iterable.track("mine")
            try await installation.iterable.waitUntilIdle()
            let count = world.routes.count
            try await installation.iterable.identify(.email("ann@example.com"), token: "a.b.c")
            try await installation.iterable.waitUntilIdle()
            #expect(world.routes.count == count)
        }
    }

    /// The app calls the unknown user by the id that Signet made: there is nobody to merge, and they are known from then on.
    @Test(arguments: [true, false]) func anUnknownUserIsNotMergedIntoThemselves(merges: Bool) async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            let id = try #require(world.iterable.unknownUsers().first?.userID)
            var changes = try visitor.changes.makeAsyncIterator()
            let count = world.routes.count
            try await visitor.identify(.userID(id), resolution: IdentityResolution(mergeOnUnknownToKnown: merges))
            #expect(visitor.state == .known(.userID(id)))
            #expect(await changes.nextKind() == "resolved")
            try await visitor.track("mine")
            try await world.settle(installation)
            #expect(world.routes.dropFirst(count) == [.trackEvent])
            // Known they are: another login takes nothing of theirs along, and consent that goes leaves them.
            try await visitor.setTrackingConsent(false)
            #expect(visitor.state == .known(.userID(id)))
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
            #expect(world.iterable.merges().isEmpty)
            #expect(world.iterable.events(of: .userID(id)).map(\.name).last == "mine")
        }
    }

    @Test func afterALogoutTheNextVisitorIsAnother() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await visitor.waitUntilIdle()
            try await visitor.logout()
            #expect(visitor.state == .visitor)
            #expect(visitor.consent.isGiven)
            try await visitor.track("signup")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.unknownUsers().count == 2)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.waitUntilIdle()
            #expect(world.iterable.unknownUsers().count == 1)
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["signup"])
        }
    }

    @Test func consentThatIsTakenBackEndsTheUnknownUserAndRemovesWhatWasKept() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.setTrackingConsent(false)
            #expect(visitor.state == .noConsent)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.consentRevoked: 4])
            try await visitor.setTrackingConsent(true)
            try await visitor.track("signup")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events().map(\.name) == ["signup"])
            try await visitor.setTrackingConsent(false)
            #expect(try await visitor.track("late") == .ignored(.noConsent))
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events().map(\.name) == ["signup"])
            // Known users stay, and what they do.
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.setTrackingConsent(true)
            try await visitor.setTrackingConsent(false)
            try await visitor.track("mine")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["mine"])
            #expect(world.iterable.merges().isEmpty)
        }
    }

    @Test func anAddressIsChangedInOrder() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            let error = await #expect(throws: SignetError.self) { try await visitor.updateEmail("anna@example.com") }
            #expect(error?.code == .noUser)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("before")
            try await visitor.waitUntilIdle()
            try await visitor.updateEmail("anna@example.com")
            try await visitor.track("after")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.users().map(\.email) == ["anna@example.com"])
            #expect(visitor.state == .known(.email("anna@example.com")))
            #expect(world.iterable.events(of: .email("anna@example.com")).map(\.name) == ["before", "after"])
        }
    }
}
