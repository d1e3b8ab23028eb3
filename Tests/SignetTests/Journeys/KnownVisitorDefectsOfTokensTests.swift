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
import Testing

@testable import Signet

/// What the vendor's clients get wrong with tokens and with whom a request is of, and we do not.
@Suite struct KnownVisitorDefectsOfTokensTests {
    private static let ann = EmulatedVisitorID.email("ann@example.com")
    private static let bob = EmulatedVisitorID.email("bob@example.com")

    private static func provider(_ world: VisitorWorld) -> TokenProvider {
        TokenProvider { subject, _ in
            switch subject {
            case .email(let email): world.visitors.signToken(for: .email(email))
            case .userID(let userID): world.visitors.signToken(for: .userID(userID))
            }
        }
    }

    /// There, a token that has ended when the app starts is sent all the same, and the refusal asks for another.
    @Test func aTokenThatEndedMeanwhileIsReplacedBeforeItIsSent() async throws {
        let world = try VisitorWorld(requiresTokens: true)
        let configure: (inout SignetConfiguration) -> Void = { $0.visitors?.tokens = Self.provider(world) }
        try await world.live(configure: configure) { _, installation in
            try await installation.visitor.identify(.email("ann@example.com"))
            try await installation.visitor.track("first")
            try await world.settle(installation)
        }
        world.clock.advance(by: .seconds(2 * 3600))
        try await world.live(configure: configure) { _, installation in
            try await installation.visitor.track("second")
            try await world.settle(installation)
        }
        #expect(world.visitors.events(of: Self.ann).map(\.name) == ["first", "second"])
        #expect(world.visitors.requests().allSatisfy { $0.status == 200 })
    }

    /// There, only two kinds of requests know whose they are; the others are of whoever is there when they are sent.
    @Test func everyRequestIsOfWhoeverWasThereWhenItWasMade() async throws {
        let world = try VisitorWorld(requiresTokens: true)
        let configure: (inout SignetConfiguration) -> Void = { $0.visitors?.tokens = Self.provider(world) }
        world.emulator.weather.always(on: .trackEvent, .status(500))
        try await world.live(configure: configure) { _, installation in
            let visitor = installation.visitor
            try await visitor.setConsent(true)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("annsEvent")
            try await visitor.purchase([VisitorWorld.boots], total: 1)
            try await visitor.updateCart([VisitorWorld.boots])
            try await visitor.update(["plan": "gold"])
            try await visitor.setPushToken("0aff")
            try await visitor.settled()
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobsEvent")
            world.emulator.weather.clear()
            try await world.settle(installation)
        }
        #expect(world.visitors.events(of: Self.ann).map(\.name) == ["annsEvent", nil, nil])
        #expect(world.visitors.events(of: Self.bob).map(\.name) == ["bobsEvent"])
        #expect(world.visitors.user(Self.ann)?.fields["plan"] == "gold")
        #expect(world.visitors.user(Self.bob)?.fields["plan"] == nil)
        // The token of a device is the new user's then, and disabled for the one before.
        #expect(world.visitors.user(Self.ann)?.devices.contains(where: \.isEnabled) == false)
        #expect(world.visitors.user(Self.bob)?.devices.map(\.isEnabled) == [true])
        #expect(world.visitors.requests().allSatisfy { $0.tokenOwner == nil || $0.tokenOwner == $0.user })
    }

    /// There, tokens come from a delegate or not at all.
    @Test func aTokenThatIsGivenWithTheCallNeedsNoProvider() async throws {
        let world = try VisitorWorld(requiresTokens: true)
        try await world.live { _, installation in
            let token = world.visitors.signToken(for: Self.ann)
            try await installation.visitor.identify(.email("ann@example.com"), token: Secret(token))
            try await installation.visitor.track("mine")
            try await world.settle(installation)
            #expect(world.visitors.events(of: Self.ann).map(\.name) == ["mine"])
            #expect(world.visitors.requests(on: .trackEvent).map(\.tokenOwner) == [Self.ann])
        }
    }
}
