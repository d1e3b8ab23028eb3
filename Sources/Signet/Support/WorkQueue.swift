// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Jobs that outlive the calls that submit them: submitted from anywhere, performed inside `run()`.
///
/// Jobs submitted before `run()` wait for it. Jobs submitted after its end are refused.
package final class WorkQueue: Sendable {
    /// A piece of work, which must end soon after its task is cancelled.
    package typealias Job = @Sendable () async -> Void

    /// The jobs that have not started; nil once the queue is closed.
    private let waiting = Locked<[(perform: Job, trace: CallerTrace)]?>([])
    private let wakeup = AsyncSignal()

    /// Submits a job.
    ///
    /// - Parameters:
    ///   - trace: The trace of the job's requests.
    ///   - job: The job, which starts in the order of submission and runs beside the others.
    /// - Returns: True if the job will start; false once the queue is closed.
    @discardableResult
    package func submit(in trace: CallerTrace = .none, _ job: @escaping Job) -> Bool {
        let isAccepted = self.waiting.withLock { $0?.append((job, trace)) != nil }
        if isAccepted { self.wakeup.signal() }
        return isAccepted
    }

    /// Starts jobs as they arrive.
    ///
    /// Returns when the queue is closed or the task is cancelled, and all started jobs have ended.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let jobs = self.waiting.withLock { jobs in
                    defer { if jobs != nil { jobs = [] } }
                    return jobs
                }
                guard let jobs else { break }
                for (job, trace) in jobs { group.addTask { await trace.perform(job) } }
                if jobs.isEmpty { await self.wakeup.wait() }
            }
        }
    }

    /// Refuses further jobs.
    ///
    /// Jobs that have not started are released, because they keep their objects alive.
    package func close() {
        let jobs = self.waiting.withLock { $0.take() }
        // Released here, without a lock: a deinit in a job may run any code.
        withExtendedLifetime(jobs) { self.wakeup.signal() }
    }
}
