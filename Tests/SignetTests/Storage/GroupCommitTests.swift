// SPDX-License-Identifier: Apache-2.0

import SignetLock
import Testing

@testable import Signet

@Suite struct GroupCommitTests {
    @Test func everyTaskGetsAFlushThatBeganAfterItAsked() async throws {
        let written = Locked(0)
        let flushed = Locked(0)
        let flushes = Locked(0)
        let gate = GroupCommit { () throws(SignetError) in
            let covered = written.withLock { $0 }
            flushes.withLock { $0 += 1 }
            flushed.withLock { $0 = max($0, covered) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<50 {
                        let mine = written.withLock { count in
                            count += 1
                            return count
                        }
                        try await gate.sync()
                        let covered = flushed.withLock { $0 }
                        #expect(covered >= mine)
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = flushes.withLock { $0 }
        #expect((1...3200).contains(count))
    }

    @Test func aFlushThatFailsIsToldToAllItWasFor() async {
        let gate = GroupCommit { () throws(SignetError) in throw SignetError(.diskFailed, "no") }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    do throws(SignetError) {
                        try await gate.sync()
                        return false
                    } catch {
                        return error.code == .diskFailed
                    }
                }
            }
            for await hasFailed in group { #expect(hasFailed) }
        }
    }
}
