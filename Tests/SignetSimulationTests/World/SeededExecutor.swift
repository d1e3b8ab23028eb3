// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetLock
import SignetTestSupport

/// Runs the tasks of a simulation one job at a time; which of the ready ones comes next, a seed says.
///
/// Everything that runs here makes ready only what runs here: the order of all jobs is the seed's alone.
final class SeededExecutor: TaskExecutor {
    private struct State {
        var generator: SeededGenerator
        var ready: [UnownedJob] = []
        var isDraining = false
        var trace = TraceHash()
        /// The last notes, to see where two runs part.
        var notes: [Note] = []
        var pause: (jobs: Int, continuation: CheckedContinuation<Void, Never>)?
        /// How often the job that runs now has looked at the clock.
        var looks = 0
    }

    /// Something that happened, and the way until then as one number.
    struct Note: Equatable, Sendable {
        let trace: UInt64
        let text: String
    }

    /// No job looks at the clock so often, but one that goes round and round and never waits.
    private static let mostLooks = 1_000_000

    private let queue = DispatchQueue(label: "simulation")
    private let state: Locked<State>

    init(seed: UInt64) {
        self.state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// Everything so far as one number.
    var trace: UInt64 {
        self.state.withLock { $0.trace.value }
    }

    /// What was written down, each with the way so far as one number.
    var notes: [Note] {
        self.state.withLock { $0.notes }
    }

    /// The job that runs now looks at the clock: one that never waits would hold up the simulation for ever.
    func look() {
        let looks = self.state.withLock { state in
            state.looks += 1
            return state.looks
        }
        if looks > Self.mostLooks {
            fatalError("A task goes round and round. The last that happened: \(self.notes.suffix(20))")
        }
    }

    /// Writes down something that happened in the simulated world.
    func note(_ text: String) {
        self.state.withLock { state in
            state.trace.add(text)
            state.notes.append(Note(trace: state.trace.value, text: text))
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let begins = self.state.withLock { state in
            state.ready.append(job)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if begins { self.queue.async { self.drain() } }
    }

    /// Waits until nobody can go on without the clock.
    func settled() async {
        await self.pause(jobs: .max)
    }

    /// Lets some jobs of others run, fewer when no more are ready.
    func pause(jobs: Int) async {
        guard jobs > 0 else { return }
        await withCheckedContinuation { continuation in
            let isAlone = self.state.withLock { state in
                guard !state.ready.isEmpty else { return true }
                state.pause = (jobs, continuation)
                return false
            }
            if isAlone { continuation.resume() }
        }
    }

    private func drain() {
        while let job = self.next() {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.endOfPause()?.resume()
        }
    }

    private func next() -> UnownedJob? {
        self.state.withLock { state in
            guard !state.ready.isEmpty else {
                state.isDraining = false
                return nil
            }
            let index = Int.random(in: 0..<state.ready.count, using: &state.generator)
            state.looks = 0
            if state.ready.count > 1 { state.trace.add(state.ready.count * 1000 + index) }
            return state.ready.remove(at: index)
        }
    }

    private func endOfPause() -> CheckedContinuation<Void, Never>? {
        self.state.withLock { state in
            guard let (jobs, continuation) = state.pause else { return nil }
            if jobs > 1, !state.ready.isEmpty {
                state.pause = (jobs == .max ? .max : jobs - 1, continuation)
                return nil
            }
            state.pause = nil
            return continuation
        }
    }
}
