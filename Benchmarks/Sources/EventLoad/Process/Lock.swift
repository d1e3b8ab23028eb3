// SPDX-License-Identifier: Apache-2.0

import Glibc

/// State that one thread at a time may touch.
final class Lock<State>: @unchecked Sendable {
    // Proof: `state` is touched between lock and unlock only, and a pthread mutex lets one thread in.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    init(_ state: sending State) {
        self.mutex = .allocate(capacity: 1)
        pthread_mutex_init(self.mutex, nil)
        self.state = state
    }

    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    /// Works on the state; short, and never waits inside.
    func withLock<Result, Failure>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return try body(&self.state)
    }
}
