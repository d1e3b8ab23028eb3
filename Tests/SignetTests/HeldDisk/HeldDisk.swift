// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock

/// A disk that can be held: flushes then do not return until it is let go.
///
/// It also notes which calls that wait for the medium were made by a task, and so by a thread of the cooperative pool.
final class HeldDisk: Sendable {
    private struct State {
        var isHeld = false
        var isWatched = false
        /// The calls that wait for the disk to be let go.
        var waiting = 0
        /// The watched calls, and those of them that a task made.
        var calls: [Disk.Call] = []
        var ofTasks: [String] = []
    }

    private static let flushes: Set<Disk.Call> = [.sync, .syncFolder]
    /// A file that was just made gets its name without waiting for the medium.
    private static let slow: Set<Disk.Call> = [.sync, .syncFolder, .remove]

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    /// The disk of a configuration.
    var disk: Disk {
        Disk { call, name in
            self.pass(call, name)
            return nil
        }
    }

    private func pass(_ call: Disk.Call, _ name: String) {
        // Work of a queue belongs to no task.
        let isOfTask = withUnsafeCurrentTask { $0 != nil }
        let isHeld = self.state.withLock { state in
            if state.isWatched, Self.slow.contains(call) {
                state.calls.append(call)
                if isOfTask { state.ofTasks.append("\(call.rawValue) \(name)") }
            }
            guard state.isHeld, Self.flushes.contains(call) else { return false }
            state.waiting += 1
            return true
        }
        if isHeld { self.gate.wait() }
    }

    /// From now on no flush returns.
    func hold() {
        self.state.withLock { ($0.isHeld, $0.isWatched) = (true, true) }
    }

    /// From now on calls are noted; an open of the runtime, which may wait, was before.
    func watch() {
        self.state.withLock { $0.isWatched = true }
    }

    /// Lets all flushes return, those to come too.
    func letGo() {
        let waiting = self.state.withLock { state in
            defer { (state.isHeld, state.waiting) = (false, 0) }
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
        self.state.withLock { $0.calls.contains(call) }
    }

    /// The calls of tasks that wait for the medium; there should be none.
    var ofTasks: [String] {
        self.state.withLock { $0.ofTasks }
    }
}
