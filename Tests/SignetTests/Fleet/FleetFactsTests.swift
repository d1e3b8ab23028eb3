// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A batch that arrives late brings facts that another replica has changed: they are compared, also by the next process.
@Suite(.watched) struct FleetFactsTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let withdrawn = ConsentState(gdpr: ["ads": Consent(false)])

    @Test func aConsentWithdrawnElsewhereIsSentAfterAKillBeforeTheComparison() async throws {
        let (fleet, image, mpid) = try await Self.killed()
        #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == true, "the batch was late")
        let (next, store) = try Self.restarted(fleet, image)
        store.faults.injectAlways(.unreachable)
        try await next.run { next in
            // The store is still away: the comparison waits for it.
            try await Self.pass(fleet, 5)
            #expect(try Self.batchesOnDisk(of: next) == 1)
            store.faults.clear()
            for _ in 0..<60 where fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven != false {
                try await Self.pass(fleet, 1)
            }
            #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            await until("no record is left") { (try? Self.batchesOnDisk(of: next)) == 0 }
            let sent = next.transport.exchanges.count
            try await Self.pass(fleet, 5)
            #expect(next.transport.exchanges.count == sent, "once")
        }
    }

    /// The correction itself has no events, and its facts have changed again.
    @Test func anAnsweredCorrectionIsNotSentAgainAfterAKill() async throws {
        let (fleet, image, mpid) = try await Self.killed()
        let second = Locked<TemporaryFolder?>(nil)
        let (next, store) = try Self.restarted(fleet, image)
        let gate = EmulatorGate()
        fleet.platform.faults.inject(.replyHeld(gate), on: .events)
        try await next.run { next in
            await until("a correction") {
                fleet.clock.advance(by: .milliseconds(100))
                return next.transport.inFlight == 1
            }
            await gate.arrived()
            #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            store.faults.injectAlways(.unreachable)
            gate.open()
            await until("the mark") { Self.answeredOnDisk(of: next) == 1 }
            let copy = try TemporaryFolder(copying: image)
            second.withLock { $0 = copy }
        }
        let (last, _) = try Self.restarted(fleet, try #require(second.withLock { $0 }))
        try await last.run { last in
            await until("no record is left") {
                fleet.clock.advance(by: .milliseconds(100))
                return (try? Self.batchesOnDisk(of: last)) == 0
            }
            #expect(last.transport.exchanges.isEmpty)
        }
    }

    @Test func aBatchWithoutAChangeIsComparedAndNotSentAgainAfterAKill() async throws {
        let (fleet, image, mpid) = try await Self.killed(withdraws: false)
        let (next, _) = try Self.restarted(fleet, image)
        try await next.run { next in
            await until("no record is left") {
                fleet.clock.advance(by: .milliseconds(100))
                return (try? Self.batchesOnDisk(of: next)) == 0
            }
            #expect(next.transport.exchanges.isEmpty, "nothing has changed")
            #expect(next.runtime.statistics.eventsWaiting == 0)
        }
        #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == true)
    }

    @Test func anAnsweredBatchThatTheDiskKeepsIsRemovedByTheNextProcess() async throws {
        let isRefused = Locked(false)
        let fleet = try TestFleet(1) {
            $0.disk = Disk(asking: { request in
                guard request.call != .read, request.folder.hasSuffix("/state") else { return nil }
                return isRefused.withLock { $0 } ? .failure(5) : nil
            })
        }
        let left = Locked<TemporaryFolder?>(nil)
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.setConsent(Self.given)
            try here.log(.custom("x"))
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.replyHeld(gate), on: .events)
            async let upload: Void = { _ = try? await fleet[0].runtime.upload() }()
            await gate.arrived()
            isRefused.withLock { $0 = true }
            gate.open()
            await upload
            try await fleet.pass(3)
            #expect(try Self.batchesOnDisk(of: fleet[0].signet) == 1)
            let image = try TemporaryFolder(copying: fleet[0].folder)
            left.withLock { $0 = image }
            isRefused.withLock { $0 = false }
        }
        let (next, _) = try Self.restarted(fleet, try #require(left.withLock { $0 }))
        try await next.run { next in
            await until("no record is left") {
                fleet.clock.advance(by: .milliseconds(100))
                return (try? Self.batchesOnDisk(of: next)) == 0
            }
            #expect(next.transport.exchanges.isEmpty)
            #expect(next.runtime.statistics.eventsWaiting == 0)
        }
    }

    // MARK: - Without an event

    @Test func aConsentWithoutAnEventIsSentOnce() async throws {
        let fleet = try TestFleet { $0.events.uploadInterval = .seconds(30) }
        try await fleet.run { fleet in
            let (here, _, mpid) = try await Self.agreed(fleet)
            try await here.setConsent(Self.withdrawn)
            try await fleet.pass(20)
            #expect(Self.isGiven(fleet, mpid) == true, "events may carry it")
            try await fleet.pass(20)
            await until("it is sent") { Self.isGiven(fleet, mpid) == false }
            try await fleet.pass(5)
            let state = try SharedState(decoding: fleet.row().state)
            #expect(state.identity.unsentConsents.isEmpty)
            try await fleet.pass(70)
            #expect(fleet.replicas.reduce(0) { $0 + Self.corrections($1) } == 1, "once")
        }
    }

    /// The replica that took the change is cut off from the store right after it.
    @Test func aConsentOfAReplicaThatIsCutOffIsSentByAnother() async throws {
        let fleet = try TestFleet { $0.events.uploadInterval = .seconds(30) }
        try await fleet.run { fleet in
            let (here, _, mpid) = try await Self.agreed(fleet)
            try await here.setConsent(Self.withdrawn)
            fleet[0].store.faults.injectAlways(.unreachable)
            try await fleet.pass(40, besides: [0])
            await until("it is sent") { Self.isGiven(fleet, mpid) == false }
            try await fleet.pass(5, besides: [0])
            #expect(Self.corrections(fleet[1]) == 1)
            fleet[0].store.faults.clear()
        }
    }

    /// The user agrees, and the platform has it.
    private static func agreed(
        _ fleet: TestFleet
    ) async throws -> (here: Installation, there: Installation, mpid: MPID) {
        let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
        let mpid = try await here.login([.customerID: "c-1"]).user.mpid
        try await here.setConsent(Self.given)
        try here.log(.custom("agreed"))
        let runtime = fleet[0].runtime
        _ = try await fleet.passing { try await runtime.upload() }
        #expect(Self.isGiven(fleet, mpid) == true)
        try await fleet.pass(2)
        return (here, there, mpid)
    }

    /// The number of batches without events that a replica has sent.
    private static func corrections(_ replica: TestFleet.Replica) -> Int {
        replica.signet.eventBodies.count { String(decoding: $0, as: UTF8.self).hasSuffix("\"events\":[]}") }
    }

    private static func isGiven(_ fleet: TestFleet, _ mpid: MPID) -> Bool? {
        fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven
    }

    // MARK: - A kill

    /// A batch with a consent fails once; the consent is withdrawn on another replica; the platform is back, the store goes away in the
    /// moment of the answer, and the process is killed.
    ///
    /// - Returns: The fleet, whose replicas have ended, the directory that the kill leaves, and the user.
    private static func killed(
        withdraws: Bool = true
    ) async throws -> (fleet: TestFleet, image: TemporaryFolder, mpid: MPID) {
        let fleet = try TestFleet()
        let left = Locked<(image: TemporaryFolder, mpid: MPID)?>(nil)
        try await fleet.run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await here.setConsent(Self.given)
            try here.log(.custom("held"))
            fleet.platform.faults.inject(.status(500), on: .events)
            _ = try? await fleet[0].runtime.upload()
            #expect(fleet.events.isEmpty, "it is held")
            try await there.refresh()
            if withdraws { try await there.setConsent(Self.withdrawn) }
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.replyHeld(gate), on: .events)
            try await fleet.pass(6)
            await gate.arrived()
            fleet[0].store.faults.injectAlways(.unreachable)
            gate.open()
            await until("the answer") { fleet[0].runtime.statistics.eventsWaiting == 0 }
            try await fleet.pass(2, besides: [0])
            let image = try TemporaryFolder(copying: fleet[0].folder)
            left.withLock { $0 = (image, mpid) }
        }
        let (image, mpid) = try #require(left.withLock { $0 })
        return (fleet, image, mpid)
    }

    private static func restarted(
        _ fleet: TestFleet,
        _ directory: TemporaryFolder
    ) throws -> (signet: EmulatedSignet, store: MemorySharedStore) {
        let store = MemorySharedStore(fleet.engine)
        let signet = try EmulatedSignet(in: directory.path, platform: fleet.platform, clock: fleet.clock) {
            $0.fleet = FleetConfiguration(store: store)
            $0.events.uploadInterval = .seconds(3600)
        }
        return (signet, store)
    }

    private static func pass(_ fleet: TestFleet, _ seconds: Int) async throws {
        for _ in 0..<seconds * 10 {
            fleet.clock.advance(by: .milliseconds(100))
            for _ in 0..<50 { await Task.yield() }
        }
    }

    private static func records(of signet: EmulatedSignet) throws -> [BatchRecord] {
        try signet.runtime.context.store.values(withPrefix: StateKey.batches) { Issue.record("\($0)") }
            .compactMap { BatchRecord($0.value) }
    }

    private static func batchesOnDisk(of signet: EmulatedSignet) throws -> Int {
        try self.records(of: signet).count
    }

    private static func answeredOnDisk(of signet: EmulatedSignet) -> Int {
        (try? self.records(of: signet).count { $0.content == .answered }) ?? 0
    }
}
