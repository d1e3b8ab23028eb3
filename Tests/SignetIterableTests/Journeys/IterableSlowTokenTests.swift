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

/// One person's slow token holds up nobody else, and costs nothing of theirs.
@Suite(.watched) struct IterableSlowTokenTests {
    private static let ann = EmulatedIterableUserID.email("ann@example.com")
    private static let bob = EmulatedIterableUserID.email("bob@example.com")

    /// A server of the app that signs for Ann, or for unknown users, only once it is told to.
    private final class Server: Sendable {
        let asked = Locked<[String]>([])
        let mayAnswer = Promise<Void>()
        private let iterable: EmulatedIterable
        private let isSlow: @Sendable (IterableUserID) -> Bool

        init(
            _ iterable: EmulatedIterable,
            isSlow: @escaping @Sendable (IterableUserID) -> Bool = { $0 == .email("ann@example.com") }
        ) {
            (self.iterable, self.isSlow) = (iterable, isSlow)
        }

        var provider: TokenProvider<IterableUserID> {
            TokenProvider<IterableUserID> { user, _ in
                self.asked.withLock { $0.append(user.text) }
                if self.isSlow(user), await self.mayAnswer.value() == nil { return nil }
                switch user {
                case .email(let email): return Secret(self.iterable.signToken(for: .email(email)))
                case .userID(let userID): return Secret(self.iterable.signToken(for: .userID(userID)))
                }
            }
        }
    }

    /// Ann is there, has a record, and waits for a token.
    private static func waiting(_ installation: Installation, _ server: Server) async throws {
        try await installation.iterable.identify(.email("ann@example.com"))
        try await installation.iterable.track("anns")
        await until("Ann's token is asked for") { !server.asked.withLock { $0.isEmpty } }
    }

    @Test func theNextUserIsServedAtOnceAndNothingIsLost() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        try await world.live(configure: { $0.iterable?.tokens = server.provider }) { signet, installation in
            try await Self.waiting(installation, server)
            try await installation.iterable.identify(.email("bob@example.com"))
            try await installation.iterable.track("bobs")
            // The clock stands still.
            await until("Bob's event") { world.iterable.events(of: Self.bob).map(\.name) == ["bobs"] }
            await until("Bob has all") { installation.iterable.state == .known(.email("bob@example.com")) }
            #expect(world.iterable.events(of: Self.ann).isEmpty)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
            server.mayAnswer.resolve(())
            await until("Ann's event") { world.iterable.events(of: Self.ann).map(\.name) == ["anns"] }
            #expect(world.iterable.requests().allSatisfy { $0.status == 200 })
        }
    }

    @Test func afterALogoutTheVisitorIsServedAtOnce() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        try await world.live(configure: { $0.iterable?.tokens = server.provider }) { signet, installation in
            try await Self.waiting(installation, server)
            try await installation.iterable.logout()
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            await until("an unknown user") { world.iterable.unknownUsers().count == 1 }
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
            server.mayAnswer.resolve(())
            await until("Ann's event") { world.iterable.events(of: Self.ann).map(\.name) == ["anns"] }
        }
    }

    /// Neither for their token nor for the call that tells the app of them.
    @Test(arguments: [false, true])
    func whoeverBecomesKnownDoesNotWaitForTheUnknownUserOfBefore(forTheirToken: Bool) async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable) { forTheirToken && $0 != .email("bob@example.com") }
        let isTold = Locked(false)
        let configure: (inout ServiceSettings) -> Void = { settings in
            settings.iterable?.tokens = server.provider
            settings.iterable?.onUnknownUserCreated = { _ in
                isTold.withLock { $0 = true }
                if !forTheirToken { _ = await server.mayAnswer.value() }
            }
        }
        try await world.live(configure: configure) { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            await until("the app is told") { isTold.withLock { $0 } }
            if forTheirToken { await until("the app is asked") { !server.asked.withLock { $0.isEmpty } } }
            try await installation.iterable.identify(.email("bob@example.com"))
            await until("the merge") { world.iterable.merges().count == 1 }
            await until("Bob's event") { world.iterable.events(of: Self.bob).map(\.name) == ["signup"] }
            server.mayAnswer.resolve(())
        }
    }

    @Test(arguments: [false, true]) func aPauseDropsNothing(anotherUserComes: Bool) async throws {
        let world = try IterableWorld(requiresTokens: true)
        let server = Server(world.iterable)
        server.mayAnswer.resolve(())
        try await world.live(configure: { $0.iterable?.tokens = server.provider }) { signet, installation in
            let visitor = installation.iterable
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("first")
            try await world.settle(installation)
            try await visitor.pauseTokens()
            // Past the end of her token.
            world.clock.advance(by: .seconds(3 * 3600))
            try await visitor.track("during")
            try await visitor.logout()
            if anotherUserComes { try await visitor.identify(.email("bob@example.com")) }
            try await visitor.waitUntilIdle()
            world.clock.advance(by: .seconds(600))
            try await visitor.waitUntilIdle()
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
            try await visitor.resumeTokens()
            try await world.settle(installation)
            #expect(world.iterable.events(of: Self.ann).map(\.name) == ["first", "during"])
        }
    }

    /// It neither answers nor hears that it is cancelled.
    @Test func aProviderThatNeverReturnsDoesNotOutlastTheShutdown() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let deaf = Locked<[CheckedContinuation<Secret?, Never>]>([])
        let signet = try world.start {
            $0.iterable?.tokens = TokenProvider<IterableUserID> { _, _ in
                await withCheckedContinuation { continuation in deaf.withLock { $0.append(continuation) } }
            }
        }
        let hasEnded = Locked(false)
        async let run: Void = {
            defer { hasEnded.withLock { $0 = true } }
            try await signet.runtime.run()
        }()
        let installation = try await signet.runtime.open("v", identify: .none)
        try await installation.iterable.identify(.email("ann@example.com"))
        await until("the app is asked") { !deaf.withLock { $0.isEmpty } }
        async let report = signet.runtime.shutdown(within: .seconds(2))
        await until("the end of the runtime") {
            world.clock.advance(by: .milliseconds(100))
            return hasEnded.withLock { $0 }
        }
        try await run
        let end = await report
        #expect(!end.isComplete)
        for continuation in deaf.withLock({ $0 }) { continuation.resume(returning: nil) }
    }
}
