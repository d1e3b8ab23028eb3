// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Files of a directory that are gone, or no longer readable, at a start.
@Suite(.watched) struct MissingFilesTests {
    private let clock = ManualClock()
    private let observer = RecordingObserver()
    private let folder: TemporaryFolder
    private let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(observer: RecordingObserver? = nil) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: observer ?? self.observer
        )
    }

    /// A process that ends with a batch that was sent and not answered.
    ///
    /// - Returns: The number of its events.
    private func leaveBatch() async throws -> Int {
        self.platform.faults.inject(.connectionRefused, on: .events)
        let first = try self.signet()
        return try await first.run { signet in
            let visitor = try await signet.openKnown()
            for number in 0..<5 { try visitor.log(.custom("e\(number)")) }
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
            return signet.runtime.statistics.eventsWaiting
        }
    }

    private func files(_ subfolder: String, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: "\(self.folder.path)/\(subfolder)")
            .filter { $0.hasSuffix(suffix) }
            .map { URL(fileURLWithPath: "\(self.folder.path)/\(subfolder)/\($0)") }
    }

    @Test func aJournalFileThatIsGoneAndThatABatchNamesIsReportedOnceAndItsEventsAreCounted() async throws {
        let events = try await self.leaveBatch()
        #expect(events == 7)
        for file in try self.files("journal", ".journal") { try FileManager.default.removeItem(at: file) }
        self.clock.advance(by: .seconds(5))
        let later = RecordingObserver()
        let second = try self.signet(observer: later)
        try await second.run { await $0.takeIn() }
        #expect(later.damages.count == 1, "\(later.damages)")
        #expect(later.damages.first?.contains("\(events) events") == true)
        #expect(second.runtime.statistics.eventsDamaged == events)
        #expect(second.runtime.statistics.eventsRestored == events)
        #expect(second.runtime.statistics.damagedRecords == events)
        #expect(second.runtime.statistics.eventsLost == 0)
        #expect(self.platform.batches().isEmpty)

        let last = RecordingObserver()
        let third = try self.signet(observer: last)
        let mpid = try await third.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("new"))
            return try #require(visitor.currentUser).mpid
        }
        #expect(last.damages.isEmpty)
        #expect(third.runtime.statistics.eventsDamaged == 0)
        #expect(third.runtime.statistics.eventsLost == 0)
        #expect(self.platform.events(of: mpid).compactMap(\.name).contains("new"))
        #expect(self.platform.copies(of: mpid).allSatisfy { $0 == 1 })
    }

    @Test func aBatchThatHasLostSomeOfItsEventsIsMadeAgainAndTheLostOnesAreCounted() async throws {
        let events = try await self.leaveBatch()
        try self.folder.flip("\"e2\"", in: "journal")
        self.clock.advance(by: .seconds(5))
        let later = RecordingObserver()
        let second = try self.signet(observer: later)
        try await second.run { _ in }
        #expect(second.runtime.statistics.eventsDamaged == 1)
        #expect(second.runtime.statistics.eventsRestored == events)
        #expect(second.runtime.statistics.eventsWaiting == 0)
        #expect(second.runtime.statistics.eventsLost == 0)
        #expect(later.damages.count { $0.contains("lacks 1 events") } == 1, "\(later.damages)")
        let names = self.platform.users().flatMap { self.platform.events(of: $0.mpid) }.compactMap(\.name)
        #expect(Set(names).isSuperset(of: ["e0", "e1", "e3", "e4"]))
        #expect(!names.contains("e2"))
        #expect(Set(names).count == names.count)
    }

    @Test func aBatchWhoseEventsWereAnsweredBeforeAKillIsNoDamage() async throws {
        _ = try await self.leaveBatch()
        self.clock.advance(by: .seconds(5))
        let second = try self.signet()
        let record = try #require(
            second.runtime.context.store.values(withPrefix: StateKey.batches) { _ in }.first
        )
        try await second.run { _ in }
        #expect(second.runtime.statistics.eventsWaiting == 0)
        // As if the process had died before it removed the record.
        let other = try self.signet()
        try other.runtime.context.store.put(record.value, for: record.key)
        try await other.run { _ in }
        let later = RecordingObserver()
        let third = try self.signet(observer: later)
        try await third.run { await $0.takeIn() }
        #expect(later.damages.isEmpty, "\(later.damages)")
        #expect(third.runtime.statistics.eventsDamaged == 0)
        #expect(third.runtime.statistics.eventsLost == 0)
        #expect(self.platform.batches().map(\.deliveries) == [1])
    }

    @Test func aStateLogThatIsNotReadableIsReportedOnceForEachInstallation() async throws {
        let first = try self.signet()
        self.platform.faults.injectAlways(.connectionRefused, on: .events)
        try await first.run { signet in
            for number in 0..<3 {
                let visitor = try await signet.runtime.open(InstallationID("v-\(number)"))
                _ = try await visitor.initialIdentifyResult()
                for event in 0..<5 { try visitor.log(.custom("e\(event)")) }
            }
        }
        self.platform.faults.clear()
        let logs = try self.files("state", ".log")
        #expect(!logs.isEmpty)
        for file in logs {
            let handle = try FileHandle(forUpdating: file)
            try handle.write(contentsOf: Data(count: 4096))
            try handle.close()
        }
        self.clock.advance(by: .seconds(3600))
        let later = RecordingObserver()
        let second = try self.signet(observer: later)
        try await second.run { signet in
            await signet.takeIn()
            _ = try await signet.runtime.upload()
        }
        #expect(second.runtime.statistics.eventsWaiting == 0)
        #expect(second.runtime.statistics.eventsLost == 0)
        let names = later.damages.filter { $0.contains("name of installation") }
        #expect(Set(names).count == 3, "\(later.damages)")
        #expect(names.count == 3, "\(later.damages)")
        #expect(Set(later.damages).count == later.damages.count, "each sentence once: \(later.damages)")
    }
}
