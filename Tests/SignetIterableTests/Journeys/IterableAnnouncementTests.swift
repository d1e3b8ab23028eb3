// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// The app hears of an unknown user before it is asked for their token.
@Suite(.watched) struct IterableAnnouncementTests {
    private struct ServerIsAway: Error {}

    /// The calls of the app's server, in order.
    private final class Server: Sendable {
        let calls = Locked<[String]>([])
        let known = Locked<Set<String>>([])

        func register(_ userID: String, afterFailures count: Int = 0) throws {
            let number = self.calls.withLock { calls in
                calls.append("register")
                return calls.count
            }
            if number <= count { throw ServerIsAway() }
            self.known.withLock { _ = $0.insert(userID) }
        }
    }

    private static func configure(
        _ settings: inout ServiceSettings,
        _ world: IterableWorld,
        _ server: Server,
        afterFailures count: Int = 0
    ) {
        settings.iterable?.onUnknownUserCreated = { userID in
            // As long as a call of a server takes.
            for _ in 0..<50 { await Task.yield() }
            try server.register(userID, afterFailures: count)
        }
        settings.iterable?.tokens = TokenProvider<IterableUserID> { user, _ in
            server.calls.withLock { $0.append("sign") }
            guard server.known.withLock({ $0.contains(user.text) }) else { return nil }
            return Secret(world.iterable.signToken(for: .userID(user.text)))
        }
    }

    private static func signUp(_ world: IterableWorld, _ installation: Installation) async throws {
        try await installation.iterable.browse()
        try await installation.iterable.track("signup")
        try await world.settle(installation)
    }

    @Test func theServerKnowsTheUserBeforeItSigns() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server()
        try await world.live(configure: { Self.configure(&$0, world, server) }) { _, installation in
            try await Self.signUp(world, installation)
            #expect(server.calls.withLock { $0 } == ["register", "sign"])
            let unknown = try #require(world.iterable.unknownUsers().first?.userID)
            #expect(server.known.withLock { $0 } == [unknown])
            #expect(installation.iterable.state == .unknown(userID: unknown))
        }
    }

    @Test func aCallThatFailsIsRepeatedAndNothingIsLost() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server()
        try await world.live(configure: { Self.configure(&$0, world, server, afterFailures: 2) }) {
            signet,
            installation in
            try await Self.signUp(world, installation)
            #expect(server.calls.withLock { $0 } == ["register", "register", "register", "sign"])
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
            let unknown = try #require(world.iterable.unknownUsers().first?.userID)
            #expect(installation.iterable.state == .unknown(userID: unknown))
        }
    }
}
