// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock

/// A disk that can be held: flushes, or other calls, then do not return until it is let go.
///
/// It also notes which calls that wait for the medium were made by a task, and so by a thread of the cooperative pool. Reads, which are
/// mostly short, are counted.
final class HeldDisk: Sendable {
    private struct State {
        /// Returns true for a call that waits.
        var isHeld: (@Sendable (Disk.Request) -> Bool)?
        var isWatched = false
        /// The calls that wait for the disk to be let go.
        var waiting = 0
        /// The watched calls, and those of them that a task made.
        var calls: [Disk.Request] = []
        var ofTasks: [String] = []
        var reads = 0
        var readsOfTasks = 0
    }

    private static let flushes: Set<Disk.Call> = [.sync, .syncFolder]
    /// A file that was just made gets its name without waiting for the medium.
    private static let slow: Set<Disk.Call> = [.sync, .syncFolder, .remove]

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    /// The disk of a configuration.
    var disk: Disk {
        Disk(asking: { request in
            self.pass(request)
            return nil
        })
    }

    private func pass(_ request: Disk.Request) {
        // Work of a queue belongs to no task.
        let isOfTask = withUnsafeCurrentTask { $0 != nil }
        let isHeld = self.state.withLock { state in
            if state.isWatched, Self.slow.contains(request.call) {
                state.calls.append(request)
                if isOfTask { state.ofTasks.append("\(request.call.rawValue) \(request.name)") }
            }
            if state.isWatched, request.call == .read {
                state.reads += 1
                if isOfTask { state.readsOfTasks += 1 }
            }
            guard state.isHeld?(request) == true else { return false }
            state.waiting += 1
            return true
        }
        if isHeld { self.gate.wait() }
    }

    /// From now on no flush returns.
    func hold() {
        self.hold { Self.flushes.contains($0.call) }
    }

    /// From now on no such call returns.
    func hold(_ isHeld: @escaping @Sendable (Disk.Request) -> Bool) {
        self.state.withLock { ($0.isHeld, $0.isWatched) = (isHeld, true) }
    }

    /// The flush of what a compaction of the records has written.
    static let isOfCompaction: @Sendable (Disk.Request) -> Bool = { $0.call == .sync && $0.name.contains(".snapshot") }

    /// From now on calls are noted; an open of the runtime, which may wait, was before.
    func watch() {
        self.state.withLock { $0.isWatched = true }
    }

    /// Lets all flushes return, those to come too.
    func letGo() {
        let waiting = self.state.withLock { state in
            defer { (state.isHeld, state.waiting) = (nil, 0) }
            return state.waiting
        }
        for _ in 0..<waiting { self.gate.signal() }
    }

    /// True while a flush waits.
    var isWaitedFor: Bool {
        self.state.withLock { $0.waiting > 0 }
    }

    /// True if such a call was noted.
    func saw(_ call: Disk.Call) -> Bool {
        self.state.withLock { $0.calls.contains { $0.call == call } }
    }

    /// The files that were removed.
    var removed: [String] {
        self.state.withLock { $0.calls.filter { $0.call == .remove }.map(\.name) }
    }

    /// The number of reads, and of those that tasks made.
    var reads: (all: Int, ofTasks: Int) {
        self.state.withLock { ($0.reads, $0.readsOfTasks) }
    }

    /// The calls of tasks that wait for the medium; there should be none.
    var ofTasks: [String] {
        self.state.withLock { $0.ofTasks }
    }
}
