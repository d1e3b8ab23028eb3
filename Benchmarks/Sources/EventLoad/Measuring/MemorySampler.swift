// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Looks at the anonymous memory 100 times a second and keeps the highest; costs about 0.2 % of a core.
final class MemorySampler: Sendable {
    private let highest = Atomic<Int>(0)
    private let isEnded = Atomic<Bool>(false)
    private let failures = Atomic<Int>(0)

    /// Bytes of anonymous memory at the begin.
    let first: Int

    private init(first: Int) {
        self.first = first
        self.highest.store(first, ordering: .relaxed)
    }

    /// Measures the memory while something goes on.
    ///
    /// - Parameter body: What goes on.
    /// - Returns: The result and what was seen, in bytes: at the begin, at most, and at the end.
    /// - Throws: What a system call or the runtime says.
    static func during<Result>(
        _ body: () async throws -> Result
    ) async throws -> (Result, begin: Int, peak: Int, end: Int) {
        Memory.trim()
        let sampler = MemorySampler(first: try Memory.anonymous())
        let thread = try OSThread { sampler.sample() }
        let result: Result
        do {
            result = try await body()
        } catch {
            sampler.isEnded.store(true, ordering: .relaxed)
            thread.join()
            throw error
        }
        sampler.isEnded.store(true, ordering: .relaxed)
        thread.join()
        guard sampler.failures.load(ordering: .relaxed) == 0 else { throw LoadError("/proc/self/status is unreadable") }
        let last = try Memory.anonymous()
        return (result, sampler.first, max(sampler.highest.load(ordering: .relaxed), last), last)
    }

    private func sample() {
        while !self.isEnded.load(ordering: .relaxed) {
            do {
                let now = try Memory.anonymous()
                if now > self.highest.load(ordering: .relaxed) { self.highest.store(now, ordering: .relaxed) }
            } catch {
                self.failures.add(1, ordering: .relaxed)
            }
            usleep(10_000)
        }
    }
}
