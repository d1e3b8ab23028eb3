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

/// Readings of rows for many callers at once.
@Suite(.watched) struct RowReaderTests {
    /// A store whose readings wait at gates, and are counted.
    private final class Readings: Sendable {
        struct Flight: Sendable {
            let keys: [UUID]
            let gate: EmulatorGate
        }

        private let all = Locked<[Flight]>([])
        let failure = Locked<SignetError?>(nil)

        var flights: [Flight] { self.all.withLock { $0 } }

        nonisolated(nonsending) func read(_ keys: [UUID]) async throws(SignetError) -> RowReader.Rows {
            let gate = EmulatorGate()
            self.all.withLock { $0.append(Flight(keys: keys, gate: gate)) }
            guard await gate.pass() else { throw SignetError(.cancelled, "cancelled") }
            if let failure = self.failure.withLock({ $0 }) { throw failure }
            return RowReader.Rows(value: [], milliseconds: 1, sent: .zero, received: .zero)
        }
    }

    private let clock = ManualClock()
    private let reader: RowReader

    init() {
        let clock = self.clock
        self.reader = RowReader(on: TimeSource(clock: clock, milliseconds: { clock.milliseconds }))
    }

    private let readings = Readings()

    private func row(_ key: UUID) async throws(SignetError) -> RowReader.Answer {
        try await self.reader.row(key) { keys throws(SignetError) in try await self.readings.read(keys) }
    }

    private func open(_ count: Int) async {
        await until("\(count) readings") { self.readings.flights.count == count }
        for flight in self.readings.flights { flight.gate.open() }
    }

    @Test func twoGoAtOnceAndAllOthersWithTheNext() async throws {
        let keys = (0..<40).map { _ in UUID.random() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // One at a time: a reading takes along whoever has come before it begins.
            for (count, key) in keys.prefix(2).enumerated() {
                group.addTask { _ = try await self.row(key) }
                await until("a reading") { self.readings.flights.count == count + 1 }
            }
            for key in keys.dropFirst(2) + keys.suffix(10) { group.addTask { _ = try await self.row(key) } }
            await until("others wait") { self.reader.state.withLock { $0.waiting.all.count } == 48 }
            #expect(self.readings.flights.map(\.keys.count) == [1, 1])
            self.readings.flights[0].gate.open()
            await until("the next") { self.readings.flights.count == 3 }
            #expect(Set(self.readings.flights.flatMap(\.keys)) == Set(keys), "each key, in one of three readings")
            #expect(self.readings.flights[2].keys.count >= 38)
            for flight in self.readings.flights { flight.gate.open() }
            try await group.waitForAll()
        }
        #expect(self.readings.flights.count == 3)
        // Nothing is under way any more: the next one goes at once.
        async let last = self.row(keys[0])
        await self.open(4)
        _ = try await last
    }

    @Test func aStoreThatIsAwayIsToldToAllWhoWait() async {
        self.readings.failure.withLock { $0 = SignetError(.storeUnreachable, "away") }
        let codes = await withTaskGroup(of: SignetError.Code?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(SignetError) { _ = try await self.row(.random()) } catch { return error.code }
                    return nil
                }
            }
            await until("two readings") { self.readings.flights.count == 2 }
            for _ in 0..<1000 { await Task.yield() }
            for flight in self.readings.flights { flight.gate.open() }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .storeUnreachable, count: 20))
        #expect(self.readings.flights.count == 2)
    }

    @Test func aCancelledReaderLeavesItsReadingToAnother() async throws {
        let keys = (0..<3).map { _ in UUID.random() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Both flights, one after the other, so that the third waits.
            let first = Task { try await self.row(keys[0]) }
            await until("a reading") { self.readings.flights.count == 1 }
            group.addTask { _ = try await self.row(keys[1]) }
            await until("another") { self.readings.flights.count == 2 }
            let waiting = Task { try await self.row(keys[2]) }
            for _ in 0..<1000 { await Task.yield() }
            first.cancel()
            await #expect(throws: SignetError.self) { try await first.value }
            // The flight of the cancelled one is that of the waiting one.
            await until("its reading") { self.readings.flights.count == 3 }
            #expect(self.readings.flights[2].keys == [keys[2]])
            for flight in self.readings.flights { flight.gate.open() }
            _ = try await waiting.value
            try await group.waitForAll()
        }
    }

    @Test(arguments: 0..<200) func nobodyIsLeftBehindWhoeverIsCancelled(seed: UInt64) async throws {
        var chance = SeededGenerator(seed: seed)
        let plan = (0..<30).map { _ in Bool.random(using: &chance) }
        let shifts = (0..<30).map { _ in Int.random(in: 0..<5, using: &chance) }
        await withTaskGroup(of: Void.self) { group in
            for (isCancelled, shift) in zip(plan, shifts) {
                group.addTask {
                    let task = Task {
                        try await self.reader.row(.random()) { keys throws(SignetError) in
                            for _ in 0..<shift { await Task.yield() }
                            if Task.isCancelled { throw SignetError(.cancelled, "cancelled") }
                            return RowReader.Rows(value: [], milliseconds: 1, sent: .zero, received: .zero)
                        }
                    }
                    for _ in 0..<shift { await Task.yield() }
                    if isCancelled { task.cancel() }
                    let isDone = await task.result
                    if !isCancelled { #expect(throws: Never.self) { try isDone.get() } }
                }
            }
        }
        // Both flights are free again.
        _ = try await self.reader.row(.random()) { _ throws(SignetError) in
            RowReader.Rows(value: [], milliseconds: 1, sent: .zero, received: .zero)
        }
    }

    // MARK: - A store that is slow

    /// Two readings are under way and do not end: an open that waits for them is refused after a second.
    @Test func noOpenWaitsLongerThanASecondForReadingsOfOthers() async throws {
        try await TestFleet(1).run { fleet in
            _ = try await fleet[0].open("first")
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .read, times: 2)
            async let one = fleet[0].open("one")
            async let two = fleet[0].open("two")
            await gate.arrived()
            await gate.arrived()
            let begin = fleet.clock.now
            let codes = try await fleet.passing {
                await withTaskGroup(of: SignetError.Code?.self) { group in
                    for number in 0..<20 {
                        group.addTask { await code { _ = try await fleet[0].open(InstallationID("v-\(number)")) } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(codes == Array(repeating: .storeUnreachable, count: 20))
            #expect(begin.duration(to: fleet.clock.now) < .seconds(2))
            gate.open()
            _ = try await (one, two)
            _ = try await fleet[0].open("v-0")
        }
    }
}
