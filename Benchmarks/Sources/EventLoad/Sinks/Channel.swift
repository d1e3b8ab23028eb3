// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Hands things from tasks to threads that wait for them.
final class Channel<Element: Sendable>: @unchecked Sendable {
    // Proof: `elements` and `isEnded` are touched under the mutex only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
    private var elements: [Element] = []
    private var isEnded = false

    init() {
        pthread_mutex_init(self.mutex, nil)
        pthread_cond_init(self.condition, nil)
    }

    deinit {
        pthread_cond_destroy(self.condition)
        pthread_mutex_destroy(self.mutex)
        self.condition.deallocate()
        self.mutex.deallocate()
    }

    /// Adds one; at most a few wait here at once.
    func put(_ element: Element) {
        pthread_mutex_lock(self.mutex)
        self.elements.append(element)
        pthread_cond_signal(self.condition)
        pthread_mutex_unlock(self.mutex)
    }

    /// Lets those who wait go, when nothing is left.
    func end() {
        pthread_mutex_lock(self.mutex)
        self.isEnded = true
        pthread_cond_broadcast(self.condition)
        pthread_mutex_unlock(self.mutex)
    }

    /// Waits for the next one; nil at the end.
    func take() -> Element? {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        while self.elements.isEmpty, !self.isEnded { pthread_cond_wait(self.condition, self.mutex) }
        return self.elements.isEmpty ? nil : self.elements.removeFirst()
    }
}
