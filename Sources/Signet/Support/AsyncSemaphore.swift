// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Limits the number of concurrent holders; waiters enter in the order of their arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting = Deque<CheckedContinuation<Void, Never>>()
    }

    private let state: Locked<State>

    /// - Parameter places: The maximum number of concurrent holders.
    package init(places: Int) {
        self.state = Locked(State(free: places))
    }

    /// Waits for a place; one `release()` returns it.
    ///
    /// A cancelled task still waits: earlier holders end by their own cancellation.
    package func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the place to the longest waiter.
    package func release() {
        let next = self.state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
