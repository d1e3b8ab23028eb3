// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct NextSegmentTests {
    private func makePrepared(_ temporary: TemporaryFolder) throws -> PreparedSegment? {
        try PreparedSegment(number: 7, capacity: 4096, in: Folder(path: temporary.path, disk: Disk()))
    }

    @Test func itIsWantedOnceAMappedFileIsHalfFull() {
        var next = NextSegment(isOn: true)
        next.noteEnd(1 << 40)
        #expect(!next.isWanted)
        next.noteBegun(capacity: 1000, isMapped: true)
        var hasWork = next.takeWork()
        #expect(hasWork)
        next.noteEnd(500)
        hasWork = next.takeWork()
        #expect(!next.isWanted && !hasWork)
        next.noteEnd(501)
        hasWork = next.takeWork()
        #expect(next.isWanted && hasWork)
        // It stays wanted, but asks for nothing twice.
        next.noteEnd(900)
        hasWork = next.takeWork()
        #expect(next.isWanted && !hasWork)
        next.noteBegun(capacity: 1000, isMapped: true)
        #expect(!next.isWanted)
    }

    @Test func itIsNotWantedForWrittenFilesOrWithoutAnOwner() {
        var written = NextSegment(isOn: true)
        written.noteBegun(capacity: 1000, isMapped: false)
        written.noteEnd(1000)
        #expect(!written.isWanted)
        var off = NextSegment(isOn: false)
        off.noteBegun(capacity: 1000, isMapped: true)
        off.noteEnd(1000)
        let hasWork = off.takeWork()
        #expect(!off.isWanted && !hasWork)
    }

    @Test func aPreparedFileIsTakenOnceAndKeepsAnotherFromBeingWanted() throws {
        let temporary = try TemporaryFolder()
        var next = NextSegment(isOn: true)
        next.noteBegun(capacity: 1000, isMapped: true)
        next.keep(try #require(try self.makePrepared(temporary)))
        #expect(next.bytes == 4096)
        next.noteEnd(900)
        #expect(!next.isWanted)
        #expect(next.take()?.number == 7)
        #expect(next.take() == nil)
        #expect(next.bytes == 0)
    }

    @Test func aPreparedFileStaysUntilItIsTaken() throws {
        let temporary = try TemporaryFolder()
        var next = NextSegment(isOn: true)
        next.keep(try #require(try self.makePrepared(temporary)))
        next.noteBegun(capacity: 1000, isMapped: true)
        #expect(!next.isWanted)
        #expect(next.take()?.number == 7)
        next.noteEnd(501)
        #expect(next.isWanted)
        #expect(next.take() == nil)
        #expect(next.isWanted)
    }

    @Test func unneededFilesAreWorkOnceEvenWithoutAnOwner() {
        var off = NextSegment(isOn: false)
        off.noteUnneededFiles()
        var hasWork = off.takeWork()
        #expect(hasWork)
        hasWork = off.takeWork()
        #expect(!hasWork)
    }

    @Test func itsHeaderHasNoBaseUntilItIsBegun() throws {
        let temporary = try TemporaryFolder()
        let prepared = try #require(try self.makePrepared(temporary))
        let name = "0000000000000007.journal"
        #expect(try temporary.names() == [name])
        guard case .known(let empty) = FileHeader.read(try temporary.contents(of: name)) else {
            Issue.record("no header")
            return
        }
        #expect(empty.base == 0 && empty.number == 7)
        let segment = try prepared.begin(base: 42)
        #expect(segment.header.base == 42 && segment.header.salt == empty.salt)
        #expect(FileHeader.read(try temporary.contents(of: name)) == .known(segment.header))
        #expect(try temporary.contents(of: name).count == 4096)
    }
}
