// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// What the vendor's clients get wrong with tokens and with whom a request is of, and we do not.
@Suite struct KnownIterableTokenDefectsTests {
    private static let ann = EmulatedIterableUserID.email("ann@example.com")
    private static let bob = EmulatedIterableUserID.email("bob@example.com")

    private static func provider(_ world: IterableWorld) -> TokenProvider<IterableUserID> {
        TokenProvider<IterableUserID> { subject, _ in
            switch subject {
            case .email(let email): Secret(world.iterable.signToken(for: .email(email)))
            case .userID(let userID): Secret(world.iterable.signToken(for: .userID(userID)))
            }
        }
    }

    /// There, a token that has ended when the app starts is sent all the same, and the refusal asks for another.
    @Test func aTokenThatEndedMeanwhileIsReplacedBeforeItIsSent() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let configure: (inout ServiceSettings) -> Void = { $0.iterable?.tokens = Self.provider(world) }
        try await world.live(configure: configure) { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            try await installation.iterable.track("first")
            try await world.settle(installation)
        }
        world.clock.advance(by: .seconds(2 * 3600))
        try await world.live(configure: configure) { _, installation in
            try await installation.iterable.track("second")
            try await world.settle(installation)
        }
        #expect(world.iterable.events(of: Self.ann).map(\.name) == ["first", "second"])
        #expect(world.iterable.requests().allSatisfy { $0.status == 200 })
    }

    /// There, only two kinds of requests know whose they are; the others are of whoever is there when they are sent.
    @Test func everyRequestIsOfWhoeverWasThereWhenItWasMade() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let configure: (inout ServiceSettings) -> Void = { $0.iterable?.tokens = Self.provider(world) }
        world.emulator.faults.injectAlways(.status(500), on: .trackEvent)
        try await world.live(configure: configure) { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("annsEvent")
            try await visitor.purchase([IterableWorld.boots], total: 1)
            try await visitor.updateCart([IterableWorld.boots])
            try await visitor.update(["plan": "gold"])
            try await visitor.setPushToken("0aff")
            try await visitor.waitUntilIdle()
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobsEvent")
            world.emulator.faults.clear()
            try await world.settle(installation)
        }
        #expect(world.iterable.events(of: Self.ann).map(\.name) == ["annsEvent", nil, nil])
        #expect(world.iterable.events(of: Self.bob).map(\.name) == ["bobsEvent"])
        #expect(world.iterable.user(Self.ann)?.fields["plan"] == "gold")
        #expect(world.iterable.user(Self.bob)?.fields["plan"] == nil)
        // The token of a device is the new user's then, and disabled for the one before.
        #expect(world.iterable.user(Self.ann)?.devices.contains(where: \.isEnabled) == false)
        #expect(world.iterable.user(Self.bob)?.devices.map(\.isEnabled) == [true])
        #expect(world.iterable.requests().allSatisfy { $0.tokenOwner == nil || $0.tokenOwner == $0.user })
    }

    /// There, tokens come from a delegate or not at all.
    @Test func aTokenThatIsGivenWithTheCallNeedsNoProvider() async throws {
        let world = try IterableWorld(requiresTokens: true)
        try await world.live { _, installation in
            let token = world.iterable.signToken(for: Self.ann)
            try await installation.iterable.identify(.email("ann@example.com"), token: Secret(token))
            try await installation.iterable.track("mine")
            try await world.settle(installation)
            #expect(world.iterable.events(of: Self.ann).map(\.name) == ["mine"])
            #expect(world.iterable.requests(on: .trackEvent).map(\.tokenOwner) == [Self.ann])
        }
    }
}
