// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetIterable

/// What is documented of unknown users and had no test of its own.
@Suite(.watched) struct DocumentedActivationTests {
    private static let ann = EmulatedIterableUserID.email("ann@example.com")

    private static func provider(
        _ world: IterableWorld,
        _ asked: @escaping @Sendable (IterableUserID) async -> Void
    ) -> TokenProvider<IterableUserID> {
        let visitors = world.iterable
        return TokenProvider<IterableUserID> { subject, _ in
            await asked(subject)
            switch subject {
            case .email(let email): return Secret(visitors.signToken(for: .email(email)))
            case .userID(let userID): return Secret(visitors.signToken(for: .userID(userID)))
            }
        }
    }

    @Test(arguments: [true, false]) func whereItIsNotSwitchedOnNothingIsFetchedKeptOrSent(
        isConfigured: Bool
    ) async throws {
        let world = try IterableWorld()
        let configure: (inout ServiceSettings) -> Void = {
            if isConfigured { $0.iterable?.isEnabled = false } else { $0.iterable = nil }
        }
        try await world.live(configure: configure) { signet, installation in
            // Without a configuration each call says so; switched off, each is passed over.
            let calls: [() async throws -> Void] = [
                { try await installation.iterable.setTrackingConsent(true) },
                { _ = try await installation.iterable.track("signup", fields: ["a": "needle"]) },
                { _ = try await installation.iterable.update(["b": "needle"]) },
                { _ = try await installation.iterable.setPushToken("aaaa") },
            ]
            for call in calls {
                do { try await call() } catch let error as SignetError { #expect(!isConfigured, "\(error)") }
            }
            try installation.enterForeground()
            try? await installation.iterable.waitUntilIdle()
            try await signet.runtime.context.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("needle"))
        }
        #expect(world.iterable.requests().isEmpty)
    }

    @Test func fieldsOfTheAppThatAreCalledAsOursSurviveTheReplay() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.track("view", fields: ["eventType": "mine", "eventTimeStamp": 5])
            try await visitor.update(["eventType": "ours", "eventTimeStamp": 6])
            try await visitor.identify(.email("ann@example.com"))
            try await world.settle(installation)
        }
        let event = try #require(world.iterable.requests(on: .trackEvent).first?.body)
        #expect(event["dataFields"]?["eventType"]?.string == "mine")
        #expect(event["dataFields"]?["eventTimeStamp"]?.number?.int64 == 5)
        #expect(event.object?.keys.contains("eventType") == false)
        let update = try #require(world.iterable.requests(on: .updateUser).first?.body)
        #expect(update["dataFields"]?["eventType"]?.string == "ours")
        #expect(update["dataFields"]?["eventTimeStamp"]?.number?.int64 == 6)
        #expect(update.object?.keys.contains("eventTimeStamp") == false)
    }

    /// There, the token is asked for before the app has learned of whom.
    @Test func theAppKnowsTheNewIDWhenItsTokenIsAskedForAndTheSessionCallHasNone() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let seen = Locked<[Bool]>([])
        let handle = Locked<(installation: Installation, changes: Updates<IterableChange>)?>(nil)
        let tokens = Self.provider(world) { subject in
            guard case .userID(let id) = subject, let app = handle.withLock({ $0 }) else { return }
            // Were it told after the token, this would wait for ever.
            var changes = app.changes.makeAsyncIterator()
            while let kind = await changes.nextKind(), kind != "unknownUserCreated" {}
            seen.withLock { $0.append(app.installation.iterable.state == .replaying(userID: id)) }
        }
        try await world.live(configure: { $0.iterable?.tokens = tokens }) { _, installation in
            let changes = try installation.iterable.changes
            handle.withLock { $0 = (installation, changes) }
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.track("signup")
            try await world.settle(installation)
            handle.withLock { $0 = nil }
        }
        #expect(seen.withLock { $0 } == [true])
        #expect(world.iterable.requests(on: .activation).map(\.tokenOwner) == [nil])
        #expect(!world.iterable.requests(on: .trackEvent).isEmpty)
        #expect(world.iterable.requests(on: .trackEvent).allSatisfy { $0.tokenOwner != nil })
    }

    @Test func anotherAddressNeedsAnotherToken() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let asked = Locked<[IterableUserID]>([])
        let tokens = Self.provider(world) { subject in asked.withLock { $0.append(subject) } }
        try await world.live(configure: { $0.iterable?.tokens = tokens }) { _, installation in
            let visitor = installation.iterable
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("before")
            try await world.settle(installation)
            try await visitor.updateEmail("anna@example.com")
            try await visitor.track("after")
            try await world.settle(installation)
        }
        #expect(asked.withLock { $0 } == [.email("ann@example.com"), .email("anna@example.com")])
        let owners = world.iterable.requests(on: .trackEvent).map(\.tokenOwner)
        #expect(owners == [Self.ann, .email("anna@example.com")])
        #expect(world.iterable.requests().allSatisfy { $0.status == 200 })
    }

    @Test func aLogoutTakesTheDeviceFromTheUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(true)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.setPushToken("0aff")
            try await world.settle(installation)
            #expect(world.iterable.user(Self.ann)?.devices.map(\.isEnabled) == [true])
            try await visitor.logout()
            try await world.settle(installation)
            #expect(world.iterable.user(Self.ann)?.devices.map(\.isEnabled) == [false])
            #expect(world.iterable.requests(on: .disableDevice).count == 1)
        }
    }

    @Test func whoAgreesAfterTakingItBackBeginsAtTheFirstSession() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in try await installation.iterable.browse() }
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.setTrackingConsent(false)
            #expect(visitor.consent.givenAt == nil)
            world.clock.advance(by: .seconds(50))
            try await visitor.setTrackingConsent(true)
            #expect(visitor.consent.givenAt == world.clock.date)
            try await visitor.track("signup")
            try await world.settle(installation)
        }
        #expect(world.iterable.activations().map(\.totalSessions) == [1])
        #expect(world.iterable.unknownUsers().first?.fields.isEmpty == true)
    }

    @Test func whatIsWrongWithATokenIsToldWithTheUserTheTokenAndTheTime() async throws {
        let world = try IterableWorld(requiresTokens: true)
        let bad = world.iterable.signToken(for: .email("somebody.else@example.com"))
        try await world.live { _, installation in
            let visitor = installation.iterable
            var changes = try visitor.changes.makeAsyncIterator()
            try await visitor.identify(.email("ann@example.com"), token: Secret(bad))
            try await visitor.track("mine")
            try await visitor.waitUntilIdle()
            var told: TokenFailure?
            while told == nil, let change = await changes.next(isolation: nil) {
                if case .tokenFailed(let failure) = change.kind { told = failure }
            }
            #expect(told?.subject == .email("ann@example.com"))
            #expect(told?.failedToken == bad)
            #expect(told?.date == world.clock.date)
            // It names another user than the request.
            #expect(told?.reason == .other)
        }
    }
}
