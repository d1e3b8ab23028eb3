// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Lets one loop sleep until it has work; signals sent while it is awake are not lost.
package final class AsyncSignal: Sendable {
    private enum State {
        /// The loop is awake, and nothing has happened since it looked.
        case quiet
        /// The loop is awake, and its next wait returns at once.
        case signalled
        case asleep(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.quiet)

    package init() {}

    /// Wakes the loop, or makes its next wait return at once.
    package func signal() {
        let sleeper = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .asleep(let sleeper) = state else {
                state = .signalled
                return nil
            }
            state = .quiet
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
            self.state.withLock { if case .signalled = $0 { $0 = .quiet } }
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
                    if case .signalled = state {
                        state = .quiet
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .asleep(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let sleeper = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .asleep(let sleeper) = state else { return nil }
                state = .quiet
                return sleeper
            }
            sleeper?.resume()
        }
    }
}
