//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import Testing

struct JournalLimitTests {
    private func options(_ whenFull: Journal.WhenFull) -> Journal.Options {
        var options = Journal.Options.segments(2000)
        options.limitBytes = 10_000
        options.whenFull = whenFull
        return options
    }

    private let payload = [UInt8](repeating: 7, count: 82)

    @Test func atTheLimitTheNewestIsRefused() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: self.options(.refuse))
        for _ in 0..<100 { _ = try journal.append(stamp: [], payload: self.payload) }
        #expect(journal.liveBytes == 10_000)
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: []) } == .limitReached)
        #expect(journal.liveCount == 100)
        try journal.acknowledge([1, 2])
        #expect(try journal.append(stamp: [], payload: self.payload) == 101)
        #expect(journal.droppedFrames == 0)
    }

    @Test func onRequestTheOldestMakeRoomAndAreCounted() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: self.options(.dropOldest))
        for _ in 0..<1000 { _ = try journal.append(stamp: [], payload: self.payload) }
        let frames = try journal.frames(after: 0, limit: 2000)
        #expect(frames.count + journal.droppedFrames == 1000)
        #expect(frames.map(\.sequence) == Array(UInt64(1001 - frames.count)...1000))
        #expect(journal.liveBytes <= 10_000)
        #expect(frames.count > 50)
        journal.close()
        let again = try Journal(directory: folder.path, options: self.options(.dropOldest))
        #expect(try again.frames(after: 0, limit: 2000) == frames)
    }

    @Test func aFrameThatCanNeverFitIsRefusedAndDropsNothing() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: self.options(.dropOldest))
        _ = try journal.append(stamp: [], payload: self.payload)
        let code = try errorCode { _ = try journal.append(stamp: [], payload: [UInt8](repeating: 1, count: 20_000)) }
        #expect(code == .limitReached)
        #expect(journal.liveCount == 1)
    }
}
