// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Lets one loop sleep until it has work; signals sent while it is awake are not lost.
package final class AsyncSignal: Sendable {
    private struct State {
        var isSignalled = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    /// Wakes the loop, or makes its next wait return at once.
    package func signal() {
        let sleeper = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let sleeper = state.sleeper else {
                state.isSignalled = true
                return nil
            }
            state.sleeper = nil
            return sleeper
        }
        sleeper?.resume()
    }

    /// Waits for a signal, a moment or cancellation, whichever is first.
    ///
    /// For one loop at a time.
    ///
    /// - Parameters:
    ///   - deadline: The moment, as uptime of `time`; nil for none.
    ///   - time: The clock.
    package func wait(until deadline: Duration?, on time: TimeSource) async {
        guard let deadline else { return await self.wait() }
        guard deadline > time.uptime else {
            self.state.withLock { $0.isSignalled = false }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask {
                // A cancelled sleep also ends the wait; the loop checks its own cancellation.
                do { try await time.sleep(until: deadline) } catch { return }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits for a signal or cancellation.
    ///
    /// For one loop at a time.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = self.state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.sleeper = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let sleeper = self.state.withLock { state in
                defer { state.sleeper = nil }
                return state.sleeper
            }
            sleeper?.resume()
        }
    }
}
