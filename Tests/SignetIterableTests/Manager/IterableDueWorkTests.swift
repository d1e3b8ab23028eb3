// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// What waits for Iterable is done, though its visitor never comes back.
@Suite(.watched) struct IterableDueWorkTests {
    private static let ann = IterableUserID.email("ann@example.com")

    private func memory(_ store: StateStore, of id: InstallationID = "v") throws -> IterableMemory? {
        let state = try store.value(for: StateKey.identity(id)).map { try IdentityState(decoding: $0) }
        let key = StateKey.serviceMemory(UInt8(ascii: "v"), state?.number ?? 0)
        return try store.value(for: key).map { try IterableMemory(decoding: $0) }
    }

    // MARK: - Opt-outs

    /// An opt-out leaves nothing that criteria could be fetched for.
    @Test(arguments: [false, true]) func nothingIsMarkedForAVisitorWhoHasOptedOut(restarts: Bool) async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        try await world.live { signet, installation in
            try await installation.iterable.setTrackingConsent(true)
            let marked = try signet.markedServiceRecords
            #expect(marked.count == 1)
            try await installation.setOptedOut(true)
            guard !restarts else { return }
            await signet.pass(.seconds(60), in: 6)
            let left = try signet.markedServiceRecords
            #expect(left.isEmpty)
        }
        try await world.start().run { signet in
            await signet.pass(.seconds(60), in: 6)
            let left = try signet.markedServiceRecords
            #expect(left.isEmpty)
        }
    }

    // MARK: - Users

    @Test func aUsersRecordsArriveAfterARestartWithoutAnOpen() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.identify(Self.ann)
            try await installation.iterable.track("first")
            try await installation.iterable.waitUntilIdle()
            world.emulator.faults.injectAlways(.connectionRefused)
            try await installation.iterable.track("second")
            try await installation.iterable.logout()
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the record of a user arrives") {
                world.iterable.events(of: .email("ann@example.com")).map(\.name) == ["first", "second"]
            }
            try await signet.pass(until: "the records are unmarked") { try signet.markedServiceRecords.isEmpty }
        }
    }

    @Test func anOutboxIsDeliveredAfterARestartWithoutAnOpen() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .registerDevice)
        try await world.live { _, installation in
            try await installation.iterable.setPushToken(PushToken("AA01", service: .apns))
            try await installation.login([.email: "ann@example.com"])
        }
        world.emulator.faults.clear()
        // As after a kill between the login and its first write for Iterable.
        try withRecords(in: world.folder.path) { store in
            #expect(store.contains(StateKey.outbox("v")))
            let keys = try store.keys(withPrefix: StateKey.services)
            #expect(!keys.isEmpty)
            for key in keys { try store.remove(key) }
        }
        try await world.start().run { signet in
            var outcomes = Updates(signet.runtime.context.identitySyncOutcomes, of: nil).makeAsyncIterator()
            await signet.pass(until: "the login is done") {
                !signet.runtime.context.store.contains(StateKey.outbox("v"))
            }
            let outcome = await outcomes.next(isolation: nil)
            #expect({ if case .done? = outcome?.kind { true } else { false } }())
            let memory = try self.memory(signet.runtime.context.store)
            #expect(memory?.current?.id == Self.ann)
        }
    }

    @Test func aLogOutIsDeliveredAfterARestartWithoutAnOpen() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setPushToken(PushToken("AA01", service: .apns))
            try await installation.login([.email: "ann@example.com"])
            try await installation.iterable.waitUntilIdle()
            world.emulator.faults.injectAlways(.connectionRefused, on: .disableDevice)
            try await installation.logout()
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the device is taken from the user") {
                world.iterable.requests(on: .disableDevice).count == 1
            }
            try await signet.pass(until: "nothing is marked") { try signet.markedServiceRecords.isEmpty }
        }
    }

    /// A kill between the entry of a login and its user leaves an entry that was never due.
    @Test func anEntryOfAUserWhoNeverBecameCurrentIsRemoved() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.login([.email: "ann@example.com"])
            try await installation.iterable.waitUntilIdle()
        }
        try withRecords(in: world.folder.path) { store in
            var outbox = Outbox()
            let call = OutboxEntry.Call.identify(email: "ben@example.com", customerID: nil)
            _ = outbox.add(OutboxEntry(id: .random(), mpid: MPID(rawValue: 42), call: call, services: [.iterable]))
            try store.put(outbox.encoded(), for: StateKey.outbox("v"))
        }
        try await world.start().run { signet in
            await signet.pass(.seconds(60), in: 6)
            #expect(!signet.runtime.context.store.contains(StateKey.outbox("v")))
            #expect(world.iterable.user(email: "ben@example.com") == nil)
        }
    }

    /// Twenty that wait are visited one after the other while Iterable is away.
    @Test func anOutageCostsOneProbeAPause() async throws {
        let world = try IterableWorld()
        try await world.start().run { signet in
            world.emulator.faults.injectAlways(.connectionRefused)
            for index in 0..<20 {
                let installation = try await signet.runtime.open(InstallationID("i\(index)"), identify: .none)
                try await installation.iterable.identify(.userID("u\(index)"))
                try await installation.iterable.track("waits")
            }
        }
        let pauses = PostponedVisits()
        try await world.start(observer: pauses).run { signet in
            await until("the first visits have failed") {
                !pauses.all.isEmpty && pauses.all.count == signet.serviceRequests && signet.transport.inFlight == 0
            }
            await signet.rest()
            let first = signet.serviceRequests
            #expect(first <= 8)
            for (index, pause) in [5, 15, 60, 120, 300, 300].enumerated() {
                #expect(pauses.all.last == .seconds(pause))
                signet.clock.advance(by: .seconds(pause))
                await until("probe \(index + 1) has failed") { pauses.all.count > first + index }
                await signet.rest()
                #expect(signet.serviceRequests == first + index + 1)
            }
            world.emulator.faults.clear()
            await signet.pass(until: "all have arrived") {
                (0..<20).allSatisfy { !world.iterable.events(of: .userID("u\($0)")).isEmpty }
            }
        }
    }

    // MARK: - Visitors

    @Test func criteriaAreFetchedAgainOnAQuietServer() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            world.emulator.faults.injectAlways(.status(500), on: .criteria)
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            await signet.pass(until: "the documented tries are over") { signet.serviceRequests >= 6 }
            world.emulator.faults.clear()
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
        }
    }

    @Test(arguments: [EmulatedFault.noNetwork, .notFound, .throttled])
    fileprivate func oneFailureOfAnyKindIsNotTheEnd(_ fault: EmulatedFault) async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            world.emulator.faults.inject(fault.value, on: .criteria)
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
        }
    }

    @Test func criteriaAreFetchedAfterARestartWithoutAnOpen() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
            try await signet.pass(until: "nothing is marked") { try signet.markedServiceRecords.isEmpty }
            let userID = try #require(world.iterable.unknownUsers().first?.userID)
            #expect(world.iterable.events(of: .userID(userID)).map(\.name) == ["signup"])
        }
    }

    /// Its handle is gone when the criteria come.
    @Test func aVisitorWhoHasLeftMemoryIsMatchedWhenCriteriaCome() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        try await world.start().run { signet in
            do {
                let installation = try await signet.runtime.open("v", identify: .none)
                try await installation.iterable.setTrackingConsent(true)
                try await installation.iterable.track("signup")
                try await installation.endSession()
            }
            await signet.pass(until: "tries have failed") { signet.serviceRequests >= 3 }
            world.emulator.faults.clear()
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
        }
    }

    @Test func aVisitCountsNoLaunch() async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("view")
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            try await signet.pass(until: "the visitor was visited") { try signet.markedServiceRecords.isEmpty }
            #expect(world.iterable.requests(on: .criteria).count == 1)
            let memory3 = try self.memory(signet.runtime.context.store)
            #expect(memory3?.sessions?.total == 1)
            // It may be launched yet: no open was noted.
            let installation = try await signet.runtime.open("v", identify: .none)
            try await installation.iterable.waitUntilIdle()
            let memory4 = try self.memory(signet.runtime.context.store)
            #expect(memory4?.sessions?.total == 2)
        }
    }

    @Test func aVisitorWithoutAMatchIsNotMarked() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            try await installation.iterable.track("view")
            try await installation.iterable.waitUntilIdle()
            let marked1 = try signet.markedServiceRecords
            #expect(marked1.isEmpty)
            try await installation.iterable.identify(Self.ann)
            try await installation.iterable.track("mine")
            try await installation.iterable.waitUntilIdle()
            let marked2 = try signet.markedServiceRecords
            #expect(marked2.isEmpty)
        }
    }

    // MARK: - Activations

    @Test func anActivationThatIterableRefusedIsRepeated() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            world.emulator.faults.inject(.refused(status: 400, code: "BadParams", message: "no"), on: .activation)
            try await installation.iterable.track("signup")
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
            #expect(world.emulator.faults.remaining == 0)
        }
    }

    @Test func anActivationThatWasRefusedIsRepeatedAfterARestartWithoutAnOpen() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            world.emulator.faults.injectAlways(.refused(status: 400, code: "BadParams", message: "no"), on: .activation)
            try await installation.iterable.track("signup")
            try await installation.iterable.waitUntilIdle()
        }
        world.emulator.faults.clear()
        try await world.start().run { signet in
            await signet.pass(until: "the visitor becomes somebody") { world.iterable.unknownUsers().count == 1 }
        }
    }

    @Test func anActivationThatTheDiskRefusedIsRepeated() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await rig.manager.setConsent(true)
            await rig.question().answer(200, IterableWorld.onSignup)
            await rig.services.criteria.untilFetched()
            await rig.manager.untilSettled()
            // The record is taken, the activation is not.
            rig.disk(failsAfter: 2)
            #expect(try await rig.track("signup") == .buffered)
            #expect(rig.isMarked)
            rig.disk(isBroken: false)
            await until("the activation is asked for again") {
                if let next = rig.clock.nextDeadline { rig.clock.advance(to: next) }
                return await rig.manager.machine.memory.activation != nil
            }
            #expect(await rig.done() == "events/session")
        }
    }

    // MARK: - Opt-outs

    /// The process died before Iterable had followed the opt-out.
    @Test func anOptOutDropsWhatWasKeptWithoutAnOpen() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            try await installation.iterable.track("secret")
        }
        try await world.live(configure: { $0.iterable = nil }) { _, installation in
            try await installation.setOptedOut(true)
        }
        try withRecords(in: world.folder.path) { store in
            let bytes = try #require(try store.value(for: StateKey.identity("v")))
            let state = try IdentityState(decoding: bytes)
            let due = DueOptOut(isOptedOut: true, milliseconds: world.clock.milliseconds, messageID: .random())
            try store.put(due.encoded(), for: StateKey.dueOptOut(state.number))
            #expect(try store.keys(withPrefix: StateKey.services(of: state.number)).contains { $0.count > 6 })
        }
        try await world.start().run { signet in
            let store = signet.runtime.context.store
            try await signet.pass(until: "the record is gone") {
                try !store.keys(withPrefix: StateKey.services).contains { $0.count > 6 }
            }
            try await signet.pass(until: "the opt-out is settled") {
                try store.keys(withPrefix: StateKey.dueOptOuts).isEmpty
            }
        }
    }

    // MARK: - Retention

    @Test func aVisitorsRecordsKeepNoInstallation() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            _ = try await installation.identify()
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            try await installation.iterable.track("view")
            try await installation.endSession()
        }
        world.clock.advance(by: .seconds(10 * 86_400))
        try await world.start().run { signet in
            await signet.pass(until: "its events are delivered") { signet.runtime.statistics.eventsWaiting == 0 }
            let removed = try await signet.runtime.removeInstallations(idleFor: .seconds(86_400))
            #expect(removed == 1)
        }
    }
}

/// The pauses after visits that failed.
private final class PostponedVisits: SignetObserver {
    private let pauses = Locked<[Duration]>([])

    var all: [Duration] { self.pauses.withLock { $0 } }

    func dueWorkPostponed(kind: String, count: Int, until pause: Duration, error: SignetError) {
        self.pauses.withLock { $0.append(pause) }
    }
}

/// A failure of one request.
private enum EmulatedFault: Sendable {
    case noNetwork, notFound, throttled

    var value: FaultInjector.Fault {
        switch self {
        case .noNetwork: .connectionRefused
        case .notFound: .status(404)
        case .throttled: .status(429)
        }
    }
}
