// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// The alias defects of the shipping SDK (facts of the vendor, 8.2): outcome, order, dates.
@Suite(.watched) struct KnownAliasDefectsTests {
    /// An installation on which an anonymous user became another, known one, each with an event.
    private static func linked(
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (EmulatedSignet, Installation, User, User) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(
            in: folder.path,
            emulator: EmulatorConfiguration(strategy: .link),
            configure: configure
        ) { signet in
            let installation = try await signet.runtime.open("one")
            _ = try await installation.initialIdentifyResult()
            try installation.log(.custom("anonymous"))
            signet.clock.advance(by: .milliseconds(500))
            let result = try await installation.login([.customerID: "c-1"])
            try installation.log(.custom("known"))
            let source = try #require(result.previousUser)
            try await body(signet, installation, source, result.user)
        }
    }

    /// Asks for an alias; it and the events that it is about go at once, without the clock.
    private static func requestAlias(
        _ installation: Installation,
        _ source: User,
        _ destination: User
    ) async throws -> UUID {
        try await installation.alias(AliasRequest(source: source, destination: destination))
    }

    private static func code(of kind: AliasOutcome.Kind?) -> SignetError.Code? {
        if case .refused(let error) = kind { error.code } else { nil }
    }

    @Test func defectOfAliasItGoesAfterTheEventsThatItIsAboutAndItsOutcomeIsTold() async throws {
        try await Self.linked { signet, installation, source, destination in
            var outcomes = signet.runtime.aliasOutcomes().makeAsyncIterator()
            let gate = EmulatorGate()
            signet.emulator.faults.inject(.held(gate), on: .events, times: 2)
            // No clock moves: the request has its events sent.
            let id = try await installation.alias(AliasRequest(source: source, destination: destination))
            await gate.arrived()
            #expect(await installation.aliasOutcome(of: id) == nil)
            #expect(!signet.transport.exchanges.contains { $0.endpoint == "alias" })
            gate.releaseOne()
            await gate.arrived()
            // The events of the first user are there, those of the second on their way.
            #expect(!signet.transport.exchanges.contains { $0.endpoint == "alias" })
            gate.releaseOne()
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.id == id)
            #expect(outcome.isAccepted)
            #expect(await installation.aliasOutcome(of: id)?.isAccepted == true)
            let sent = signet.transport.exchanges.map(\.endpoint)
            let alias = try #require(sent.firstIndex(of: "alias"))
            #expect(sent[..<alias].filter { $0 == "events" }.count == 2)
            #expect(signet.emulator.aliases().first?.requestID?.lowercased() == id.uuidString.lowercased())
        }
    }

    @Test func defectOfAliasARefusalEndsItAndIsTold() async throws {
        try await Self.linked { signet, installation, source, destination in
            signet.emulator.faults.inject(.status(403), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            let id = try await Self.requestAlias(installation, source, destination)
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.id == id)
            #expect(Self.code(of: outcome.kind) == .unauthorized)
            #expect(signet.emulator.aliases().isEmpty)
        }
    }

    /// The vendor's deletes it: an alias is lost whenever the secret is wrong for a moment.
    @Test func defectOfAliasAWrongSecretCostsNone() async throws {
        try await Self.linked { signet, installation, source, destination in
            let gate = EmulatorGate()
            signet.emulator.faults.inject(.status(401), on: .alias)
            signet.emulator.faults.inject(.held(gate), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            let id = try await Self.requestAlias(installation, source, destination)
            // The second try comes after a pause.
            while signet.transport.exchanges.count(where: { $0.endpoint == "alias" }) < 2, !Task.isCancelled {
                signet.clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(await installation.aliasOutcome(of: id) == nil)
            gate.open()
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.id == id && outcome.isAccepted)
            #expect(signet.emulator.aliases().count == 1)
        }
    }

    @Test func anAliasIsTriedAgainWhenSomebodyHasMendedTheSecret() async throws {
        try await Self.linked { signet, installation, source, destination in
            signet.emulator.faults.inject(.status(401), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            let id = try await Self.requestAlias(installation, source, destination)
            // No clock moves: what comes after the first try comes of this.
            while signet.transport.exchanges.count(where: { $0.endpoint == "alias" }) < 2, !Task.isCancelled {
                await signet.runtime.resumeUploads()
                await Task.yield()
            }
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.id == id && outcome.isAccepted)
        }
    }

    /// No clock moves: the operator's word is enough.
    @Test func aPauseThatThePlatformAskedForIsEndedByTheApp() async throws {
        try await Self.linked { signet, installation, source, destination in
            signet.emulator.faults.inject(.status(503, retryAfter: .seconds(7200)), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            _ = try await Self.requestAlias(installation, source, destination)
            func tries() -> Int { signet.transport.exchanges.count { $0.endpoint == "alias" } }
            await until("the first try") { tries() >= 1 }
            // Returns when there is nothing to send for now.
            #expect(await signet.runtime.managers.aliases.drain())
            #expect(tries() == 1)
            await signet.runtime.resumeUploads()
            #expect(try #require(await outcomes.next(isolation: #isolation)).isAccepted)
            #expect(tries() == 2)
        }
    }

    @Test func defectOfAliasDatesThatThePlatformWouldRefuseAreRefusedAtTheCall() async throws {
        try await Self.linked { signet, installation, source, destination in
            let now = signet.clock.date
            func days(_ count: Double) -> Date { now.addingTimeInterval(count * 86_400) }
            func refusal(_ from: MPID, _ to: MPID, _ start: Date, _ end: Date) async -> SignetError.Code? {
                await SignetRuntimeTestSupport.code { () async throws(SignetError) in
                    try await installation.alias(AliasRequest(source: from, destination: to, start: start, end: end))
                }
            }
            let (a, b) = (source.mpid, destination.mpid)
            #expect(await refusal(a, b, days(-91), now) == .invalidArgument)
            #expect(await refusal(a, b, days(-1), now.addingTimeInterval(1)) == .invalidArgument)
            #expect(await refusal(a, b, now, days(-1)) == .invalidArgument)
            #expect(await refusal(a, a, days(-1), now) == .invalidArgument)
            #expect(await refusal(b, a, days(-1), now) == .invalidArgument)
            #expect(await refusal(a, b, days(-1), now) == nil)
        }
    }

    @Test func anAliasOfAUserOlderThan90DaysIsStillWithinTheLimitsWhenItIsSent() async throws {
        try await Self.linked { signet, installation, _, _ in
            signet.clock.advance(by: .seconds(100 * 86_400))
            let anonymous = try await installation.logout()
            let source = try #require(installation.allUsers.last)
            #expect(source.mpid != anonymous.user.mpid)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            let known = try #require(anonymous.previousUser)
            let request = AliasRequest(
                source: anonymous.user.mpid,
                destination: known.mpid,
                start: signet.clock.date.addingTimeInterval(-90 * 86_400),
                end: signet.clock.date
            )
            try installation.log(.custom("holds the alias up"))
            signet.emulator.faults.inject(.status(503, retryAfter: .seconds(600)), on: .events)
            let before = signet.eventBodies.count
            _ = try await installation.alias(request)
            await until("a try of the events") { signet.eventBodies.count > before }
            await until("the pause of uploads") { await signet.runtime.managers.events.pause != nil }
            signet.clock.advance(by: .seconds(601))
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.isAccepted)
        }
    }

    @Test func anAliasSurvivesTheEndOfTheProcess() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        platform.faults.injectAlways(.connectionRefused, on: .alias)
        let first = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        let id = try await first.run { signet in
            let installation = try await signet.runtime.open("one")
            _ = try await installation.initialIdentifyResult()
            clock.advance(by: .seconds(5))
            let result = try await installation.login([.customerID: "c-1"])
            let source = try #require(result.previousUser)
            return try await installation.alias(AliasRequest(source: source, destination: result.user))
        }
        platform.faults.clear()
        let second = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        var outcomes = second.runtime.aliasOutcomes().makeAsyncIterator()
        try await second.run { signet in
            let outcome = try #require(await outcomes.next(isolation: #isolation))
            #expect(outcome.id == id)
            #expect(outcome.isAccepted)
        }
    }
}
