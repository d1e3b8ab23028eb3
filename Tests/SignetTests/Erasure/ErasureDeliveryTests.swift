// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// An erasure while events are logged and batches are on the wire.
@Suite(.watched) struct ErasureDeliveryTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(_ configure: (inout SignetConfiguration) -> Void = { _ in }) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer
        ) {
            $0.sessions.timeout = .seconds(1_000_000)
            $0.events.maximumBatchesPerSecond = nil
            configure(&$0)
        }
    }

    /// A user of `v` with one event, whose batch is on the wire until the gate opens.
    private func send(
        _ signet: EmulatedSignet,
        _ fault: FaultInjector.Fault,
        _ gate: EmulatorGate
    ) async throws -> (visitor: Installation, mpid: MPID) {
        let visitor = try await signet.openKnown()
        let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
        try await signet.runtime.upload()
        self.platform.faults.inject(fault, on: .events)
        try await signet.logPrompt(visitor)
        await gate.arrived()
        return (visitor, mpid)
    }

    @Test func aBatchOnTheWireIsWaitedForAndCountsAsDelivered() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let gate = EmulatorGate()
            let (visitor, mpid) = try await self.send(signet, .held(gate), gate)
            try visitor.log(.custom("erased"))
            let delivered = signet.runtime.statistics.eventsDelivered
            async let report = signet.runtime.eraseUser(mpid)
            await until("the visitor has no user") { visitor.currentUser == nil }
            gate.open()
            let erased = try await report
            #expect(erased.batchesAbandoned == 0)
            #expect(erased.events == 1)
            #expect(signet.runtime.statistics.eventsDelivered == delivered + 1)
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
        #expect(signet.runtime.statistics.eventsDropped == [.forgotten: 1])
    }

    @Test func whoeverWaitsForAnUploadWaitsNoLonger() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let gate = EmulatorGate()
            let (visitor, mpid) = try await self.send(signet, .held(gate), gate)
            try visitor.log(.custom("erased"))
            async let flushed = signet.runtime.upload()
            let events = signet.runtime.managers.events
            await until("somebody waits for an upload") { await !events.backlog.machine.goals.isEmpty }
            try await signet.runtime.eraseUser(mpid, within: .zero)
            _ = try await flushed
            gate.open()
        }
    }

    @Test func aBatchThatWasSetAsideAndIsSentAgainGoesToo() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await signet.runtime.upload()
            self.platform.faults.inject(.status(400), on: .events)
            try visitor.log(.custom("erased"))
            try await signet.runtime.upload()
            let id = try #require(try await signet.runtime.deadLetters.list().first?.id)
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            #expect(try await signet.runtime.deadLetters.resend(id))
            let report = try await signet.runtime.eraseUser(mpid)
            #expect(report.events == 1)
            #expect(signet.runtime.statistics.eventsWaiting == 0)
            #expect(signet.runtime.statistics.eventsLost == 0)
            #expect(try await !signet.runtime.deadLetters.resend(id))
        }
    }

    @Test func othersLogFromManyTasksMeanwhile() async throws {
        let signet = try self.signet { $0.journal.segmentBytes = 16 << 10 }
        try await signet.run { signet in
            var visitors: [Installation] = []
            for index in 0..<6 {
                let visitor = try await signet.runtime.open(InstallationID("v\(index)"), identify: .none)
                try await visitor.login([.customerID: index.isMultiple(of: 2) ? "erased" : "c-\(index)"])
                visitors.append(visitor)
            }
            let mpid = try #require(visitors[0].currentUser?.mpid)
            let others = visitors.filter { $0.currentUser?.mpid != mpid }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for visitor in visitors {
                    group.addTask {
                        for index in 0..<200 {
                            try visitor.log(.custom("e\(index)"))
                            if index.isMultiple(of: 20) { await Task.yield() }
                        }
                    }
                }
                group.addTask { _ = try await signet.runtime.eraseUser(mpid) }
                group.addTask { _ = try await signet.runtime.eraseUser(mpid) }
                try await group.waitForAll()
            }
            try await signet.runtime.eraseUser(mpid)
            try await signet.runtime.upload()
            for visitor in others {
                let user = try #require(visitor.currentUser?.mpid)
                let copies = self.platform.events(of: user).filter { $0.type == "custom_event" }
                #expect(copies.count == 200)
                #expect(Set(copies.map(\.messageID)).count == 200)
            }
            #expect(visitors.count { $0.currentUser == nil } == 3)
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
    }

    @Test func theObserverIsTold() async throws {
        let signet = try self.signet()
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("of nobody"))
        try await signet.run { signet in
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            let report = try await signet.runtime.eraseUser(mpid)
            let told = self.observer.notes.compactMap { note -> Int? in
                if case .dropped(let count, .forgotten) = note { count } else { nil }
            }
            #expect(told.reduce(0, +) == report.events)
            #expect(report.events > 0)
        }
    }
}
