//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Jobs that outlive the calls that asked for them: handed in from anywhere, performed inside `run()`.
///
/// Jobs handed in before `run()` wait for it. Jobs handed in after it has ended are refused.
final class WorkQueue: Sendable {
    /// One piece of work; must end soon after its task is cancelled.
    typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: [(perform: Job, trace: CallerTrace)] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let wakeup = AsyncSignal()

    /// Hands in a job.
    ///
    /// - Parameters:
    ///   - trace: Whose requests they are that the job sends.
    ///   - job: Starts in the order of submission, beside the others.
    /// - Returns: Whether it will be started; false once the queue is closed.
    @discardableResult
    func submit(in trace: CallerTrace = .none, _ job: @escaping Job) -> Bool {
        let isAccepted = self.state.withLock { state in
            if !state.isClosed { state.jobs.append((job, trace)) }
            return !state.isClosed
        }
        if isAccepted { self.wakeup.signal() }
        return isAccepted
    }

    /// Starts jobs as they come; returns when the queue is closed or the task is cancelled, and all started jobs ended.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let (jobs, isClosed) = self.state.withLock { state in
                    defer { state.jobs = [] }
                    return (state.jobs, state.isClosed)
                }
                for (job, trace) in jobs { group.addTask { await trace.perform(job) } }
                if isClosed { break }
                if jobs.isEmpty { await self.wakeup.wait() }
            }
        }
    }

    /// Takes no more jobs.
    ///
    /// Those that did not start never will; they are let go, because they keep alive what they were to work with.
    func close() {
        let jobs = self.state.withLock { state in
            state.isClosed = true
            defer { state.jobs = [] }
            return state.jobs
        }
        // Let go here, holding no lock: what dies with a job may do anything.
        withExtendedLifetime(jobs) { self.wakeup.signal() }
    }
}
