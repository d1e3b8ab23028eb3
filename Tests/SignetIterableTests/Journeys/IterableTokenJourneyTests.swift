// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// A project that wants a token for whatever is told of a user.
@Suite struct IterableTokenJourneyTests {
    /// A server of the app that signs for whom it is asked.
    private final class Server: Sendable {
        let asked = Locked<[IterableUserID]>([])
        private let iterable: EmulatedIterable
        private let refuses: @Sendable (IterableUserID) -> Bool

        init(_ visitors: EmulatedIterable, refuses: @escaping @Sendable (IterableUserID) -> Bool = { _ in false }) {
            self.iterable = visitors
            self.refuses = refuses
        }

        var provider: TokenProvider<IterableUserID> {
            TokenProvider<IterableUserID> { subject, _ in
                self.asked.withLock { $0.append(subject) }
                if self.refuses(subject) { return nil }
                switch subject {
                case .email(let email): return Secret(self.iterable.signToken(for: .email(email)))
                case .userID(let userID): return Secret(self.iterable.signToken(for: .userID(userID)))
                }
            }
        }
    }

    @Test func theTokenIsThereBeforeConsentAndReplay() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        try await world.live(configure: { $0.iterable?.tokens = server.provider }) { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            let unknown = try #require(world.iterable.unknownUsers().first?.userID)
            #expect(server.asked.withLock { $0 } == [.userID(unknown)])
            #expect(world.iterable.requests().allSatisfy { $0.status == 200 })
            #expect(world.iterable.requests(on: .consent).map(\.tokenOwner) == [.userID(unknown)])
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("mine")
            try await world.settle(installation)
            #expect(world.iterable.merges().map(\.tokenOwner) == [.email("ann@example.com")])
            #expect(world.iterable.requests().allSatisfy { $0.status == 200 })
            #expect(
                world.iterable.events(of: .email("ann@example.com")).map(\.name) == [
                    "view", nil, nil, "signup", "mine",
                ]
            )
            #expect(server.asked.withLock { $0 } == [.userID(unknown), .email("ann@example.com")])
        }
    }

    @Test func aTokenThatIsNotAcceptedIsReplacedAndTheRequestRepeatedOnce() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        try await world.live(configure: { $0.iterable?.tokens = server.provider }) { _, installation in
            let visitor = installation.iterable
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("first")
            try await world.settle(installation)
            world.iterable.configure { $0.secret = "rotated" }
            try await visitor.track("second")
            while world.iterable.events().count < 2, !Task.isCancelled {
                // A pause between two tokens is short; the limit of a request is not, and is not to be overtaken.
                let soon = world.clock.now.advanced(by: .seconds(7))
                if let next = world.clock.nextDeadline, next <= soon { world.clock.advance(to: next) }
                await Task.yield()
            }
            try await world.settle(installation)
            #expect(world.iterable.events().map(\.name) == ["first", "second"])
            #expect(world.iterable.requests(on: .trackEvent).map(\.status) == [200, 401, 200])
        }
    }

    /// What ends a pause of the token requests.
    enum EndOfPause: CaseIterable, Sendable {
        case resume, token, anotherUser
    }

    @Test(arguments: EndOfPause.allCases)
    func aPauseHoldsBeforeTheFirstTokenAndOverARestart(_ end: EndOfPause) async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        let (ann, bob) = (IterableUserID.email("ann@example.com"), IterableUserID.email("bob@example.com"))
        let configure: (inout ServiceSettings) -> Void = { $0.iterable?.tokens = server.provider }
        try await world.live(configure: configure) { _, installation in
            try await installation.iterable.pauseTokens()
            try await installation.iterable.identify(ann)
            try await installation.iterable.track("anns")
            try await installation.iterable.waitUntilIdle()
            #expect(server.asked.withLock(\.isEmpty))
        }
        try await world.live(configure: configure) { _, installation in
            let visitor = installation.iterable
            for _ in 0..<3 {
                try await visitor.waitUntilIdle()
                world.clock.advance(by: .seconds(600))
            }
            try await visitor.waitUntilIdle()
            #expect(server.asked.withLock(\.isEmpty))
            #expect(world.iterable.events().isEmpty)
            let given = Secret(world.iterable.signToken(for: .email(ann.text)))
            switch end {
            case .resume: try await visitor.resumeTokens()
            case .token: try await visitor.identify(ann, token: given)
            case .anotherUser: try await visitor.identify(bob)
            }
            try await visitor.track("later")
            // What waits for her token has no end.
            if end == .anotherUser { try await visitor.waitUntilIdle() } else { try await world.settle(installation) }
        }
        let (anns, bobs) = (world.iterable.events(of: .email(ann.text)), world.iterable.events(of: .email(bob.text)))
        switch end {
        case .resume:
            #expect(server.asked.withLock { $0 } == [ann])
            #expect(anns.map(\.name) == ["anns", "later"])
        case .token:
            #expect(server.asked.withLock(\.isEmpty))
            #expect(anns.map(\.name) == ["anns", "later"])
        case .anotherUser:
            // Hers is still paused.
            #expect(server.asked.withLock { $0 } == [bob])
            #expect(anns.isEmpty)
            #expect(bobs.map(\.name) == ["later"])
        }
    }

    @Test func whoHasGoneAndIsVouchedForNoMoreHoldsUpNobody() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable) { $0 == .email("ann@example.com") }
        let configure: (inout ServiceSettings) -> Void = { configuration in
            configuration.iterable?.tokens = server.provider
            configuration.iterable?.tokenPolicy = TokenRetryPolicy(maximumAttempts: 1)
        }
        try await world.live(configure: configure) { signet, installation in
            let visitor = installation.iterable
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("anns")
            try await visitor.waitUntilIdle()
            #expect(world.iterable.events().isEmpty)
            // She may still be vouched for: it is kept.
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
            try await visitor.identify(.email("bob@example.com"))
            try await visitor.track("bobs")
            try await world.settle(installation)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.noToken: 1])
            #expect(world.iterable.events(of: .email("bob@example.com")).map(\.name) == ["bobs"])
            #expect(world.iterable.events(of: .email("ann@example.com")).isEmpty)
        }
    }
}
