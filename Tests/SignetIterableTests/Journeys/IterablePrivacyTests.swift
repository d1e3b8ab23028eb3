// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// Who opts out, or is erased after they have gone, is not told of by the visitor either.
@Suite(.watched) struct IterablePrivacyTests {
    @Test func whoOptsOutIsToldOfNoMore() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.iterable.browse()
            try await installation.setOptedOut(true)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.optedOut: 4])
            #expect(try await installation.iterable.track("signup") == .ignored(.optedOut))
            try await world.settle(installation)
            #expect(world.routes.isEmpty)
        }
        try await world.live { _, installation in
            #expect(try await installation.iterable.track("signup") == .ignored(.optedOut))
            try await installation.setOptedOut(false)
            #expect(installation.iterable.consent.isGiven)
            #expect(try await installation.iterable.track("signup") == .buffered)
            try await world.settle(installation)
            #expect(world.iterable.events().map(\.name) == ["signup"])
        }
    }

    /// The service has done the merge when the visitor opts out, and says so afterwards.
    @Test func aMergeThatIsDoneDuringAnOptOutHasNotFailed() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            try await visitor.browse()
            try await visitor.track("signup")
            try await world.settle(installation)
            var changes = try visitor.changes.makeAsyncIterator()
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            let gate = EmulatorGate()
            world.emulator.faults.inject(.replyHeld(gate), on: .mergeUsers)
            try await installation.login([.email: "ann@example.com"])
            await gate.arrived()
            try await installation.setOptedOut(true)
            gate.open()
            #expect(await changes.nextKind() == "merged")
            try await installation.setOptedOut(false)
            try await visitor.track("later")
            try await world.settle(installation)
            #expect(world.iterable.requests(on: .mergeUsers).count == 1)
            #expect(await changes.nextKind() == "resolved")
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
        }
    }

    /// A user with an event that the service has not heard, who has logged out since.
    private static func comeAndGo(_ world: IterableWorld, _ installation: Installation) async throws -> MPID {
        world.emulator.faults.injectAlways(.connectionRefused, on: .trackEvent)
        let mpid = try await installation.login([.email: "ann@example.com"]).user.mpid
        try await installation.iterable.track("hers", fields: ["plan": "gold"])
        try await installation.iterable.waitUntilIdle()
        try await installation.logout()
        try await installation.iterable.waitUntilIdle()
        // As left by a process that could not take it over.
        var ledger = Outbox()
        for (mpid, name) in [(mpid, "ann@example.com"), (installation.currentUser?.mpid, nil)] {
            let call = name.map { OutboxEntry.Call.identify(email: $0, customerID: nil) } ?? .leave
            let service = IdentitySyncOutcome.Service(name: "another")
            _ = ledger.add(OutboxEntry(id: UUID(), mpid: mpid, call: call, services: [service]))
        }
        try installation.core.context.store.put(ledger.encoded(), for: StateKey.outbox("v"))
        return mpid
    }

    @Test func whoIsErasedAfterTheyHaveGoneIsNotToldOfAnyMore() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            let mpid = try await Self.comeAndGo(world, installation)
            try await signet.runtime.eraseUser(mpid)
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.forgotten: 1])
            world.emulator.faults.clear()
            try await world.settle(installation)
            #expect(world.iterable.events().isEmpty)
        }
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }

    @Test func soIsWhoIsErasedWhileNobodyHasTheInstallationOpen() async throws {
        let world = try IterableWorld()
        var mpid: MPID?
        try await world.live { _, installation in mpid = try await Self.comeAndGo(world, installation) }
        let signet = try world.start { $0.iterable = nil }
        try await signet.runtime.eraseUser(try #require(mpid))
        await signet.runtime.shutdown()
        let bytes = try allBytes(in: world.folder.path)
        #expect(!bytes.contains("ann@example.com"))
        #expect(!bytes.contains("gold"))
    }

    @Test func whatIsMirroredIsSafeWhenAFlushIs() async throws {
        let world = try IterableWorld()
        let signet = try EmulatedSignet(
            in: world.folder.path,
            platform: world.emulator,
            clock: world.clock,
            settings: {
                $0.iterable = IterableConfiguration(apiKey: "emulated-project")
                $0.iterable?.isEnabled = true
                $0.iterable?.forwardsEvents = true
            }
        )
        let installation = try await signet.runtime.open("v", identify: .none)
        try await installation.iterable.setTrackingConsent(true)
        try installation.log(.custom("view"))
        // Nobody runs it, so nothing is taken over by itself.
        #expect(try await installation.iterable.manager().machine.records.isEmpty)
        try await signet.runtime.sync()
        #expect(try await installation.iterable.manager().machine.records.count == 1)
        await signet.runtime.shutdown()
    }

    @Test func aMergeWhoseAnswerIsLostIsDone() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            var outcomes = installation.identitySyncOutcomes().makeAsyncIterator()
            try await installation.iterable.browse()
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            world.emulator.faults.inject(.replyLost, on: .mergeUsers)
            try await installation.login([.email: "ann@example.com"])
            try await world.settle(installation)
            #expect(world.iterable.merges().count == 1)
            guard case .done = await outcomes.next(isolation: nil)?.kind else {
                Issue.record("not done")
                return
            }
        }
    }
}
