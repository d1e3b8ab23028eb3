// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Nobody's executor waits for the disk.
@Suite(.watched) struct BlockingThreadTests {
    private static let key = DispatchSpecificKey<Bool>()
    /// Whether the main actor waits for this code.
    private static var isMain: Bool { DispatchQueue.getSpecific(key: Self.key) == true }

    init() {
        DispatchQueue.main.setSpecific(key: Self.key, value: true)
    }

    @MainActor @Test func workIsDoneElsewhere() async {
        let thread = BlockingThread()
        #expect(Self.isMain)
        #expect(await thread.perform { !Self.isMain })
        #expect(Self.isMain)
    }

    /// A task executor of an app.
    private final class AppExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "app")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Whether a task does this.
    private static var isOfTask: Bool { withUnsafeCurrentTask { $0 != nil } }

    @Test func anAppsTaskExecutorDoesNotGetTheWork() async {
        let thread = BlockingThread()
        let isOfTask = await withTaskExecutorPreference(AppExecutor()) { await thread.perform { Self.isOfTask } }
        #expect(!isOfTask)
        #expect(thread.aside != nil)
    }

    @Test func theCallingTaskDoesTheWorkWhereTheConfigurationSaysSo() async {
        let thread = BlockingThread(.callingTask)
        #expect(await thread.perform { Self.isOfTask })
        #expect(thread.aside == nil)
    }

    @Test func workIsDoneInItsOrderOneAtATime() async {
        let thread = BlockingThread()
        let (busy, done) = (Locked(0), Locked(0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await thread.perform {
                        let now = busy.withLock { count in
                            count += 1
                            return count
                        }
                        #expect(now == 1)
                        done.withLock { $0 += 1 }
                        busy.withLock { $0 -= 1 }
                    }
                }
            }
        }
        #expect(done.withLock { $0 } == 100)
    }

    @MainActor @Test func noFlushHoldsUpTheMainActor() async throws {
        let folder = try TemporaryFolder()
        let counts = Locked((main: 0, other: 0))
        let disk = Disk { call, _ in
            if call == .sync {
                let isMain = Self.isMain
                counts.withLock { if isMain { $0.main += 1 } else { $0.other += 1 } }
            }
            return nil
        }
        let signet = try EmulatedSignet(in: folder.path) { $0.disk = disk }
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("one"))
        counts.withLock { $0 = (0, 0) }
        try await signet.runtime.sync()
        #expect(counts.withLock { $0.main } == 0)
        let flushed = counts.withLock { $0.other }
        #expect(flushed > 0)
        try visitor.log(.custom("two"))
        try await visitor.setOptedOut(true)
        _ = await signet.runtime.shutdown(within: .zero)
        #expect(counts.withLock { $0.main } == 0)
        #expect(counts.withLock { $0.other } > flushed)
    }
}
