//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#elseif canImport(Glibc)
package import Glibc
#endif

/// A value that many threads read and change, one at a time.
///
/// It stands on `pthread_mutex`, because `Synchronization.Mutex` becomes 40 to 200 times slower on Linux when more
/// threads than cores contend for it, and makes the thread sanitizer report races that are none.
///
/// The lock is not recursive: taking it again on the same thread traps in debug builds and hangs in release builds.
/// Never suspend, resume a continuation or call code of others while it is held.
// Proof of the `Sendable` conformance: `state` is private to this class and touched in three places. `init` has the only
// reference and takes the value as `sending`, so nobody else can reach what it refers to. `withLock` touches it between
// lock and unlock of `mutex`, which orders the accesses of all threads; `inout sending` and `sending` keep the body from
// letting a non-Sendable part in or out. `deinit` runs when no reference is left. `mutex` never moves: it is allocated on
// its own and freed in `deinit`.
package final class Locked<State>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var state: State

    /// Makes a lock around a first value.
    package init(_ state: sending State) {
        self.state = state
        self.mutex = .allocate(capacity: 1)
        self.mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        #if DEBUG
        pthread_mutexattr_settype(&attributes, .init(PTHREAD_MUTEX_ERRORCHECK))
        #elseif canImport(Glibc)
        // Bodies are shorter than a thread's way to sleep and back: a waiter spins for a moment first.
        pthread_mutexattr_settype(&attributes, .init(PTHREAD_MUTEX_ADAPTIVE_NP))
        #endif
        let result = pthread_mutex_init(self.mutex, &attributes)
        precondition(result == 0, "pthread_mutex_init failed with error \(result)")
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deinitialize(count: 1)
        self.mutex.deallocate()
    }

    /// Runs a short body that alone has the value.
    ///
    /// - Parameter body: Reads or changes the value; must not suspend, block for long or take this lock again.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; changes that it made before stay.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let locked = pthread_mutex_lock(self.mutex)
        precondition(locked == 0, "pthread_mutex_lock failed with error \(locked): taken twice on one thread?")
        defer { pthread_mutex_unlock(self.mutex) }
        return try body(&self.state)
    }
}
