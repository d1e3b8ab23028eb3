// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite(.watched) struct EventRestartTests {
    private let clock = ManualClock()
    private let observer = RecordingObserver()

    private func platform() -> Emulator {
        let clock = self.clock
        return Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(_ folder: TemporaryFolder, _ platform: Emulator) throws -> EmulatedSignet {
        try EmulatedSignet(in: folder.path, platform: platform, clock: self.clock, observer: self.observer)
    }

    @Test func aBatchKeepsItsBytesAcrossARestart() async throws {
        let folder = try TemporaryFolder()
        let platform = self.platform()
        platform.faults.inject(.replyLost, on: .events)
        let first = try self.signet(folder, platform)
        let mpid = try await first.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setAttribute("before", for: "a")
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
            // What changes now changes later batches only.
            try await visitor.setAttribute("after", for: "a")
            try visitor.log(.custom("later"))
            return try #require(visitor.currentUser).mpid
        }
        #expect(first.runtime.context.lifecycle.report?.eventsLeft == 5)
        // A restart is no way around the pause.
        self.clock.advance(by: .seconds(5))
        let second = try self.signet(folder, platform)
        try await second.run { _ in }
        #expect(second.eventBodies.count == 2)
        let isSame = second.eventBodies.first == first.eventBodies.first
        #expect(isSame)
        #expect(platform.copies(of: mpid).allSatisfy { $0 == 1 })
        #expect(platform.events(of: mpid).compactMap(\.name).contains("later"))
        #expect(platform.batches().map(\.deliveries) == [2, 1])
        #expect(!platform.batches()[0].contentChanged)
        #expect(second.runtime.statistics.eventsLost == 0)
    }

    @Test func aShutdownThatRunsOutOfTimeLeavesEventsOnDiskAndSaysSo() async throws {
        let folder = try TemporaryFolder()
        let platform = self.platform()
        let gate = EmulatorGate()
        platform.faults.injectAlways(.held(gate), on: .events)
        let first = try self.signet(folder, platform)
        let mpid = try await first.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            async let report = signet.runtime.shutdown(within: .seconds(5))
            await gate.arrived()
            await signet.clock.untilNextDeadline(is: .seconds(5))
            signet.clock.advance(by: .seconds(5))
            #expect(await report == ShutdownReport(eventsDelivered: 0, eventsLeft: 2, isComplete: false))
            return try #require(visitor.currentUser).mpid
        }
        #expect(platform.events(of: mpid).isEmpty)
        #expect(first.runtime.statistics.eventsWaiting == 2)
        #expect(first.runtime.statistics.eventsLost == 0)
        platform.faults.clear()
        gate.open()
        let second = try self.signet(folder, platform)
        try await second.run { _ in }
        let isSame = second.eventBodies == first.eventBodies
        #expect(isSame)
        #expect(platform.events(of: mpid).count == 2)
        let ended = ShutdownReport(eventsDelivered: 2, eventsLeft: 0, isComplete: true)
        #expect(await second.runtime.shutdown() == ended)
    }

    @Test func eventsOfNobodyAreAdoptedAfterARestartToo() async throws {
        let folder = try TemporaryFolder()
        let platform = self.platform()
        let first = try self.signet(folder, platform)
        try await first.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            for index in 0..<5 { try visitor.log(.custom("e\(index)")) }
        }
        let ended = ShutdownReport(eventsDelivered: 0, eventsLeft: 6, isComplete: true)
        #expect(first.runtime.context.lifecycle.report == ended)
        let second = try self.signet(folder, platform)
        let mpid = try await second.run { signet in
            try await signet.runtime.open("v").initialIdentifyResult().user.mpid
        }
        #expect(platform.events(of: mpid).compactMap(\.name) == (0..<5).map { "e\($0)" })
        #expect(platform.copies(of: mpid).allSatisfy { $0 == 1 })
    }

    @Test func aDamagedEventHoldsNothingUpAndIsCounted() async throws {
        let folder = try TemporaryFolder()
        let signet = try self.signet(folder, self.platform())
        let visitor = try await signet.runtime.open("v")
        for name in ["one", "needle", "three"] { try visitor.log(.custom(name)) }
        try folder.flip("needle", in: "journal")
        try await signet.run { _ in _ = try await visitor.initialIdentifyResult() }
        let mpid = try #require(visitor.currentUser).mpid
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["one", "three"])
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsDamaged == 1)
        #expect(statistics.damagedRecords == 1)
        #expect(statistics.eventsDelivered == 3)
        #expect(statistics.eventsLost == 0)
        #expect(self.observer.damages.count == 1)
    }

    @Test func anEventThatIsDamagedAfterItsBatchWasCutHoldsNothingUp() async throws {
        let folder = try TemporaryFolder()
        let signet = try self.signet(folder, self.platform())
        signet.emulator.faults.inject(.connectionRefused, on: .events)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("needle"))
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
            try folder.flip("needle", in: "journal")
            await signet.takeIn()
            signet.clock.advance(by: .seconds(5))
            #expect(await self.observer.nextDelivery() == 2)
            return try #require(visitor.currentUser).mpid
        }
        #expect(signet.emulator.events(of: mpid).map(\.type) == ["session_start", "commerce_event"])
        #expect(signet.runtime.statistics.eventsDamaged == 1)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aStoredBatchThatIsNotReadableIsSetAsideAndItsEventsGoInANewOne() async throws {
        let folder = try TemporaryFolder()
        let platform = self.platform()
        platform.faults.inject(.connectionRefused, on: .events)
        let first = try self.signet(folder, platform)
        let mpid = try await first.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            _ = await self.observer.nextPause()
            let store = signet.runtime.context.store
            let batch = try #require(store.values(withPrefix: StateKey.batches) { _ in }.first)
            try store.put([9, 9, 9], for: batch.key)
            return try #require(visitor.currentUser).mpid
        }
        self.clock.advance(by: .seconds(5))
        let second = try self.signet(folder, platform)
        try await second.run { signet in
            await signet.takeIn()
            let aside = try signet.runtime.context.store.values(withPrefix: [UInt8(ascii: "x")]) { _ in }
            #expect(aside.map(\.value) == [[9, 9, 9]])
        }
        #expect(platform.copies(of: mpid) == [1, 1])
        #expect(second.runtime.statistics.damagedRecords == 1)
        #expect(second.runtime.statistics.eventsLost == 0)
    }
}

extension TemporaryFolder {
    /// Flips a bit of a text, wherever it stands in the files of a subfolder.
    func flip(_ text: String, in subfolder: String) throws {
        try self.flip(Array(text.utf8), in: subfolder)
    }

    /// Flips a bit of some bytes, wherever they stand in the files of a subfolder.
    func flip(_ bytes: [UInt8], in subfolder: String) throws {
        let files = try self.files(with: bytes).filter { $0.path.contains("/\(subfolder)/") }
        try #require(!files.isEmpty, "No file has the bytes.")
        for file in files {
            let range = try #require(try Data(contentsOf: file).range(of: Data(bytes)))
            let handle = try FileHandle(forUpdating: file)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(range.lowerBound))
            var byte = try #require(try handle.read(upToCount: 1))
            byte[byte.startIndex] ^= 1
            try handle.seek(toOffset: UInt64(range.lowerBound))
            try handle.write(contentsOf: byte)
        }
    }

    /// All files that hold a text.
    func files(with text: String) throws -> [URL] {
        try self.files(with: Array(text.utf8))
    }

    private func files(with bytes: [UInt8]) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: self.path)
            .map { URL(fileURLWithPath: self.path + "/" + $0) }
            .filter { !$0.hasDirectoryPath }
            .filter { try Data(contentsOf: $0).range(of: Data(bytes)) != nil }
    }
}
