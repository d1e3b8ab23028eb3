// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

#if canImport(Glibc)
import Glibc

/// Upkeep that the owner of a journal takes over.
struct JournalAsideTests {
    private static let payload = [UInt8](repeating: 7, count: 80)

    private func open(_ folder: TemporaryFolder, _ works: WorkList, _ disk: Disk = Disk()) throws -> Journal {
        var options = Journal.Options()
        options.segmentBytes = 2000
        options.aside = { work in works.add(work) }
        return try Journal(directory: folder.path, options: options, disk: disk)
    }

    /// Appends frames of 100 bytes: 19 fill a file.
    @discardableResult
    private func append(_ journal: Journal, _ count: Int = 1) throws -> UInt64 {
        var last: UInt64 = 0
        for _ in 0..<count { last = try journal.append(stamp: bytes("1234"), payload: Self.payload) }
        return last
    }

    @Test func callsHandOneWorkOverAndRemoveNothingThemselves() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 100)
        try journal.acknowledge(Array(1...60))
        try journal.acknowledge(Array(61...80))
        try journal.sync()
        #expect(works.count == 1)
        #expect(faults.count(.remove) == 0)
        works.run()
        #expect(works.count == 0)
        #expect(faults.count(.remove) >= 4)
        #expect(try journal.frames(after: 0, limit: 100).map(\.sequence) == Array(81...100))
    }

    @Test func aRequestDuringTheWorkIsHandedOverOnceMore() throws {
        let folder = try TemporaryFolder()
        let holder = Locked<Journal?>(nil)
        let works = WorkList()
        // The work flushes acknowledgements before it removes a file; meanwhile others come.
        let disk = Disk { call, name in
            guard call == .sync, name.hasSuffix(".acks"),
                let journal = holder.withLock({ held in
                    defer { held = nil }
                    return held
                })
            else { return nil }
            do {
                try journal.acknowledge(Array(20...38))
                try journal.acknowledge(Array(39...57))
            } catch {
                Issue.record(error)
            }
            return nil
        }
        let journal = try self.open(folder, works, disk)
        try self.append(journal, 100)
        works.run()
        try journal.acknowledge(Array(1...19))
        holder.withLock { $0 = journal }
        works.run()
        #expect(holder.withLock { $0 == nil })
        #expect(works.count == 1)
        works.run()
        #expect(works.count == 0)
        let names = try folder.names("journal")
        #expect(!names.contains("0000000000000001.journal") && journal.liveCount == 43)
        #expect(names.count <= 4)
    }

    @Test func aFailureGoesToMaintainAlone() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 60)
        works.run()
        faults.fail { call, _, _ in call == .remove ? .failure(EIO) : nil }
        try journal.acknowledge(Array(1...19))
        works.run()
        #expect(faults.count(.remove) == 1)
        #expect(try errorCode { try journal.maintain() } == .diskFailed)
        // The next acknowledgement tries again.
        try journal.acknowledge([20])
        #expect(works.count == 1)
        faults.reset()
        works.run()
        #expect(!(try folder.names().contains("0000000000000001.journal")))
    }

    @Test func workThatBeginsAfterTheCloseDoesNothing() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 60)
        try journal.acknowledge(Array(1...40))
        #expect(works.count == 1)
        #expect(journal.close() == 20)
        faults.reset()
        works.run()
        #expect(faults.asked.isEmpty && works.count == 0)
        let again = try Journal(directory: folder.path)
        #expect(again.liveCount == 20)
    }

    @Test(arguments: [true, false])
    func aCloseRemovesFilesOnlyIfNoFlushIsNeeded(isFlushed: Bool) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        let journal = try self.open(folder, works, faults.disk)
        try self.append(journal, 60)
        works.run()
        try journal.acknowledge(Array(1...38))
        if isFlushed { try journal.sync() }
        #expect(works.count == 1)
        faults.reset()
        journal.close()
        #expect(faults.count(.sync) == 0 && faults.count(.syncFolder) == 0)
        #expect(try folder.names("journal").count == (isFlushed ? 2 : 4))
        let again = try Journal(directory: folder.path)
        #expect(try again.frames(after: 0, limit: 100).map(\.sequence) == Array(39...60))
        #expect(again.recovery.damagedRecords == 0)
    }

    @Test func anErasureEndsWhenTheJournalIsClosed() throws {
        let folder = try TemporaryFolder()
        let journal = try self.open(folder, WorkList())
        try self.append(journal, 100)
        let closed = DispatchSemaphore(value: 0)
        var asked: [UInt64] = []
        var letGo = 0
        let code = try errorCode {
            _ = try journal.erase(
                where: { sequence, _ in
                    if asked.isEmpty {
                        DispatchQueue.global().async {
                            journal.close()
                            closed.signal()
                        }
                        // The close refuses calls, then waits for this one.
                        while self.isOpen(journal) { sched_yield() }
                    }
                    asked.append(sequence)
                    return true
                },
                letGo: { _ in letGo += 1 }
            )
        }
        closed.wait()
        #expect(code == .closed && letGo == 0)
        #expect(asked == Array(1...19))
        let again = try Journal(directory: folder.path)
        #expect(again.liveCount == 100)
    }

    private func isOpen(_ journal: Journal) -> Bool {
        do {
            _ = try journal.visit(after: 0, limit: 1) { _, _, _ in }
            return true
        } catch {
            return false
        }
    }

    @Test func waitingWorkDoesNotKeepTheJournal() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let works = WorkList()
        var journal: Journal? = try self.open(folder, works, faults.disk)
        weak var released: Journal?
        released = journal
        if let journal { try self.append(journal, 60) }
        #expect(works.count == 1)
        journal = nil
        #expect(released == nil)
        let again = try self.open(folder, WorkList())
        faults.reset()
        works.run()
        #expect(faults.asked.isEmpty)
        #expect(again.liveCount == 60)
    }

    @Test func withoutAnOwnerNothingIsPreparedOrPutOff() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 2000)
        try self.append(journal, 15)
        #expect(try folder.names("journal").count == 1)
        try self.append(journal, 15)
        #expect(try folder.contents(of: "0000000000000001.journal").count == 80 + 1900)
        try journal.acknowledge(Array(1...19))
        #expect(try folder.names("journal") == ["0000000000000002.journal"])
    }
}
#endif
