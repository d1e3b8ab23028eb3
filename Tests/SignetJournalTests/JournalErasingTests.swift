// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

/// After an erasure no file of the folder has a byte of the frames, wherever they lay and whatever their state was.
struct JournalErasingTests {
    /// Frames of two owners in small files; some of both are acknowledged, and some files are full of one of them.
    private static func fill(_ journal: Journal) throws {
        for number in 1...60 {
            let owner = number % 3 == 0 || (31...40).contains(number) ? "wanted" : "other"
            _ = try journal.append(stamp: bytes(owner), payload: bytes("\(owner) did \(number)"))
        }
        try journal.acknowledge([1, 2, 3, 6, 20, 21, 60])
    }

    private static func isWanted(_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer) -> Bool {
        stamp.elementsEqual("wanted".utf8)
    }

    /// The live frames of the other owner.
    private static let others: [String] = (1...60).filter { number in
        number % 3 != 0 && !(31...40).contains(number) && ![1, 2, 20].contains(number)
    }.map { "other did \($0)" }

    private static func texts(_ journal: Journal) throws -> [String] {
        try journal.frames(after: 0, limit: 1000).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// The files that have the word.
    private static func traces(in folder: TemporaryFolder) throws -> [String] {
        try folder.names().filter { try folder.contents(of: $0).contains("wanted") }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func noFileHasAByteOfThem(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 400, storage: storage)
        try Self.fill(journal)
        #expect(try !Self.traces(in: folder).isEmpty)
        let erasure = try journal.erase(where: Self.isWanted)
        #expect(erasure == Journal.Erasure(live: 23, frames: 27))
        #expect(try Self.traces(in: folder).isEmpty)
        #expect(try Self.texts(journal) == Self.others)
        #expect(journal.liveCount == Self.others.count)
        // The newest were erased: their numbers are not given again, here or after a restart.
        #expect(try journal.append(stamp: bytes("other"), payload: bytes("new")) == 61)
        journal.close()
        let again = try Journal(directory: folder.path, segmentBytes: 400, storage: storage)
        #expect(try Self.texts(again) == Self.others + ["new"])
        #expect(again.recovery.damagedRecords == 0)
        #expect(try again.append(stamp: bytes("other"), payload: bytes("newer")) == 62)
    }

    @Test func nothingToEraseChangesNoFile() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 400)
        try Self.fill(journal)
        _ = try journal.erase(where: Self.isWanted)
        let before = try folder.names()
        #expect(try journal.erase(where: Self.isWanted) == Journal.Erasure())
        #expect(try folder.names() == before)
    }

    @Test func numbersAreNotGivenAgainWhenEverythingWasErased() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 400)
        for _ in 1...30 { _ = try journal.append(stamp: bytes("wanted"), payload: bytes("x")) }
        #expect(try journal.erase(where: Self.isWanted).live == 30)
        #expect(try folder.names("journal").isEmpty)
        journal.close()
        let again = try Journal(directory: folder.path, segmentBytes: 400)
        #expect(again.lastSequence == 30)
        #expect(try again.append(stamp: bytes("other"), payload: bytes("y")) == 31)
    }

    /// Frames whose framing is broken cannot be told apart: their bytes go, in the file and in the copies.
    @Test func bytesOfWhichNobodyKnowsWhatTheyAreGoToo() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 1 << 20)
        for number in 1...6 {
            _ = try journal.append(stamp: bytes("wanted"), payload: bytes("wanted \(number)"))
            _ = try journal.append(stamp: bytes("other"), payload: bytes("other \(number)"))
        }
        journal.close()
        let name = try #require(try folder.names("journal").first)
        var file = try folder.contents(of: name)
        let places = file.indices.filter { file[$0...].starts(with: bytes("wantedwanted")) }
        // The stamp of the first, the payload of the second, and the end of the file behind a part of a frame.
        file[places[0]] = UInt8(ascii: "W")
        file[places[1] + 8] = UInt8(ascii: "-")
        file += bytes("a part of what was wanted")
        try folder.store(file, as: name)
        let again = try Journal(directory: folder.path)
        #expect(again.recovery.damagedRecords == 2)
        #expect(try folder.names("torn", "damaged").count == 2)
        let erasure = try again.erase(where: Self.isWanted)
        #expect(erasure.copies == 2)
        #expect(erasure.live == 4)
        for name in try folder.names() {
            let file = try folder.contents(of: name)
            #expect(!file.contains("anted"), "\(name)")
        }
        #expect(try Self.texts(again) == (1...6).map { "other \($0)" })
    }

    /// Before every single call to the disk, a copy of the folder is taken: what a kill at that moment would leave.
    @Test(arguments: Journal.Options.Storage.both)
    func afterAKillAtAnyStepTheSameCallFinishesIt(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let images = Locked<[TemporaryFolder]>([])
        let isErasing = Locked(false)
        let failure = Locked<String?>(nil)
        let disk = Disk { call, _ in
            guard isErasing.withLock({ $0 }), call != .read else { return nil }
            do {
                let image = try TemporaryFolder(imageOf: folder)
                images.withLock { $0.append(image) }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            // Every write comes in pieces, so that there are moments within it.
            return call == .write ? .short(170) : nil
        }
        let journal = try Journal(directory: folder.path, segmentBytes: 400, storage: storage, disk: disk)
        try Self.fill(journal)
        isErasing.withLock { $0 = true }
        _ = try journal.erase(where: Self.isWanted)
        isErasing.withLock { $0 = false }
        let taken = images.withLock { $0 }
        #expect(failure.withLock { $0 } == nil)
        #expect(taken.count > 50)
        for step in TestScale.steps(taken.count, every: 9) {
            let image = taken[step]
            let again = try Journal(directory: image.path, segmentBytes: 400, storage: storage)
            _ = try again.erase(where: Self.isWanted)
            #expect(try Self.traces(in: image).isEmpty, "step \(step)")
            #expect(try Self.texts(again) == Self.others, "step \(step)")
            #expect(again.lastSequence == 60, "step \(step)")
            #expect(again.recovery.damagedRecords == 0, "step \(step)")
        }
    }

    @Test(arguments: [Int32(5), 28])
    func aDiskThatFailsInTheMiddleCostsNothingAndTheNextCallFinishes(errno: Int32) throws {
        for failing in stride(from: 1, through: 200, by: TestScale.count(quick: 7, full: 1)) {
            let folder = try TemporaryFolder()
            let faults = FaultyDisk()
            let journal = try Journal(directory: folder.path, segmentBytes: 400, disk: faults.disk)
            try Self.fill(journal)
            let count = Locked(0)
            faults.fail { call, _, _ in
                guard call != .read else { return nil }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number >= failing ? .failure(errno) : nil
            }
            var hasFailed = false
            do throws(StorageError) {
                _ = try journal.erase(where: Self.isWanted)
            } catch {
                hasFailed = true
                #expect([.diskFull, .diskFailed].contains(error.code))
            }
            faults.reset()
            if hasFailed { _ = try journal.erase(where: Self.isWanted) }
            #expect(try Self.traces(in: folder).isEmpty, "call \(failing)")
            #expect(try Self.texts(journal) == Self.others, "call \(failing)")
            if !hasFailed { return #expect(failing > 50) }
        }
        Issue.record("The erasure never ended.")
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = bytes(text)
        return self.indices.contains { self[$0...].starts(with: wanted) }
    }
}
