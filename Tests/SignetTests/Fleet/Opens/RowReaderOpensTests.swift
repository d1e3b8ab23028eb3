// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Readings and changes of opens at the reader, on a clock that the test moves.
@Suite(.watched) struct RowReaderOpensTests {
    private let clock = ManualClock()
    private let reader: RowReader
    /// The keys of each reading, and the gate at which it waits.
    private let flights = Locked<[(keys: [UUID], gate: EmulatorGate)]>([])

    init() {
        let clock = self.clock
        self.reader = RowReader(on: TimeSource(clock: clock, milliseconds: { clock.milliseconds }))
    }

    private func row(_ key: UUID, for purpose: RowReader.Purpose) async throws(SignetError) -> RowReader.Answer {
        try await self.reader.row(key, for: purpose) { keys throws(SignetError) in
            let gate = EmulatorGate()
            self.flights.withLock { $0.append((keys, gate)) }
            guard await gate.pass() else { throw SignetError(.cancelled, "cancelled") }
            return RowReader.Rows(value: [], milliseconds: 1, sent: .zero, received: .zero)
        }
    }

    private func code(_ body: () async throws(SignetError) -> Void) async -> SignetError.Code? {
        do throws(SignetError) { try await body() } catch { return error.code }
        return nil
    }

    private func flights(_ count: Int) async -> [(keys: [UUID], gate: EmulatorGate)] {
        await until("\(count) readings") { self.flights.withLock { $0.count } >= count }
        return self.flights.withLock { $0 }
    }

    @Test func anOpenThatIsRefusedAsksTheStoreForNothing() async throws {
        // All places but two are taken.
        self.reader.state.withLock { state in
            for _ in 0..<4_094 { #expect(state.admission.enter(.open, at: .zero) == .admitted) }
        }
        let codes = Locked<[SignetError.Code?]>([])
        await withDiscardingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    let code = await self.code { () async throws(SignetError) in
                        _ = try await self.row(.random(), for: .open)
                        self.reader.leaveOpen()
                    }
                    codes.withLock { $0.append(code) }
                }
            }
            await until("the refusals") { codes.withLock { $0.count } == 8 }
            for flight in await self.flights(2) { flight.gate.open() }
        }
        #expect(codes.withLock { $0.count { $0 == .storeBusy } } == 8)
        #expect(codes.withLock { $0.count { $0 == nil } } == 2)
        #expect(self.flights.withLock { $0.count } == 2, "the store heard nothing of them")
    }

    @Test func aReadingWithinACallGoesBeforeOpens() async throws {
        let call = UUID.random()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { _ = try await self.row(.random(), for: .open) } }
            let first = await self.flights(2)
            for _ in 0..<600 { group.addTask { _ = try await self.row(.random(), for: .open) } }
            await until("they wait") { self.reader.state.withLock { $0.waiting.opens.count } == 600 }
            group.addTask { _ = try await self.row(call, for: .call) }
            await until("it waits") { self.reader.state.withLock { $0.waiting.calls.count } == 1 }
            first[0].gate.open()
            #expect(await self.flights(3)[2].keys.contains(call))
            while !group.isEmpty {
                for flight in self.flights.withLock({ $0 }) { flight.gate.open() }
                if self.reader.state.withLock({ $0.flights }) == 0 { break }
                await Task.yield()
            }
            try await group.waitForAll()
        }
    }

    /// The changes of opens are as many as the store's queue has room for beside other calls.
    @Test func aCrowdOfOpensLeavesRoomForOtherCalls() async throws {
        let gate = EmulatorGate()
        let underWay = Locked((now: 0, most: 0))
        let codes = Locked<[SignetError.Code?]>([])
        self.warm()
        await withDiscardingTaskGroup { group in
            for _ in 0..<2_000 {
                group.addTask {
                    let code = await self.code { () async throws(SignetError) in
                        try await self.change {
                            underWay.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
                            _ = await gate.pass()
                            underWay.withLock { $0.now -= 1 }
                        }
                    }
                    codes.withLock { $0.append(code) }
                }
            }
            await until("the store is asked") { underWay.withLock { $0.now } == 768 }
            for _ in 0..<1_000 { await Task.yield() }
            #expect(codes.withLock { $0.isEmpty }, "2,000 are answered in time")
            gate.open()
        }
        #expect(underWay.withLock { $0.most } == 768)
        #expect(codes.withLock { $0.count { $0 == nil } } == 2_000)
    }

    @Test func aChangeThatWaitsAndIsCancelledGivesItsPlaceBack() async throws {
        let gate = EmulatorGate()
        let began = Locked(0)
        self.warm()
        await withDiscardingTaskGroup { group in
            for _ in 0..<768 {
                group.addTask {
                    _ = await self.code { () async throws(SignetError) in
                        try await self.change {
                            began.withLock { $0 += 1 }
                            _ = await gate.pass()
                        }
                    }
                }
            }
            await until("the store is asked") { began.withLock { $0 } == 768 }
            let waiting = Task {
                await self.code { () async throws(SignetError) in
                    try await self.change { began.withLock { $0 += 1 } }
                }
            }
            await until("it waits") { !self.reader.state.withLock { $0.changes.isEmpty } }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            gate.open()
        }
        #expect(began.withLock { $0 } == 768)
        // All places are free again.
        let code = await self.code { () async throws(SignetError) in
            try await self.change { began.withLock { $0 += 1 } }
        }
        #expect(code == nil)
        #expect(began.withLock { $0 } == 769)
    }

    private func change(_ body: @Sendable () async -> Void) async throws(SignetError) {
        try await self.reader.change(ofOpenSince: self.reader.time.uptime) { () async throws(SignetError) in
            await body()
        }
    }

    /// A store that has answered 10,000 changes a second.
    private func warm() {
        self.reader.state.withLock { state in
            for round in 0..<20 {
                let now = Duration.milliseconds(100 * round)
                for _ in 0..<1_000 {
                    guard state.admission.beginChange(after: .zero, at: now) == .admitted else { continue }
                    state.admission.endChange(.answered, after: .milliseconds(1), at: now)
                }
            }
        }
    }
}
