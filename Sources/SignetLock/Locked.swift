// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#elseif canImport(Glibc)
package import Glibc
#endif

/// A value that many threads read and change, one at a time.
///
/// It uses `pthread_mutex`, because `Synchronization.Mutex` becomes 40 to 200 times slower on Linux when more threads
/// than cores contend for it, and makes the thread sanitizer report false races.
///
/// The lock is not recursive: taking it again on the same thread traps in debug builds and hangs in release builds.
/// Never suspend, resume a continuation or call foreign code while it is held.
// Proof of the `Sendable` conformance: `storage` is of this type alone, and its value is touched in three places. `init`
// has the only reference and takes the value as `sending`, so no other code can reach the objects in it. `withLock` touches
// it between lock and unlock of the mutex, which orders the accesses of all threads; `inout sending` and `sending` keep the
// body from letting a non-Sendable part in or out. `deinit` runs when no reference is left. The mutex never moves: it is a
// part of a heap object.
package struct Locked<State>: @unchecked Sendable {
    package let storage: LockStorage<State>

    /// Makes a lock around an initial value; copies of the lock share it.
    package init(_ state: sending State) {
        self.storage = LockStorage.make(state)
    }

    /// Runs a short body with exclusive access to the value.
    ///
    /// - Parameter body: Reads or changes the value; must not suspend, block for long or take this lock again.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; its earlier changes to the value stay.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // The storage lives as long as this copy; both pointers point into it.
        let (state, mutex) = self.storage.withUnsafeMutablePointers { ($0, $1) }
        let locked = pthread_mutex_lock(mutex)
        precondition(locked == 0, "pthread_mutex_lock failed with error \(locked): taken twice on one thread?")
        defer {
            pthread_mutex_unlock(mutex)
            extendLifetime(self.storage)
        }
        return try body(&state.pointee)
    }
}

/// A value and its mutex in one allocation, because there may be millions of them.
///
/// Accesses through its pointers are not checked for exclusivity at run time; the mutex ensures it.
package final class LockStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    fileprivate static func make(_ state: sending State) -> LockStorage<State> {
        let buffer = Self.create(minimumCapacity: 1) { _ in state }
        buffer.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            #if DEBUG
            pthread_mutexattr_settype(&attributes, .init(PTHREAD_MUTEX_ERRORCHECK))
            #elseif canImport(Glibc)
            // Bodies take less time than putting a thread to sleep and waking it, so a waiter spins for a moment first.
            pthread_mutexattr_settype(&attributes, .init(PTHREAD_MUTEX_ADAPTIVE_NP))
            #endif
            let result = pthread_mutex_init(mutex, &attributes)
            precondition(result == 0, "pthread_mutex_init failed with error \(result)")
            pthread_mutexattr_destroy(&attributes)
        }
        return unsafeDowncast(buffer, to: Self.self)
    }

    deinit {
        self.withUnsafeMutablePointerToElements { mutex in
            _ = pthread_mutex_destroy(mutex)
            mutex.deinitialize(count: 1)
        }
    }
}
