// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// A value that arrives once; any number of tasks can await it.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Sets the value; only the first call counts.
    ///
    /// - Parameter value: The value for all present and later waiters.
    /// - Returns: True if this was the first call.
    @discardableResult
    package func resolve(_ value: Value) -> Bool {
        let waiters = self.state.withLock { state -> [CheckedContinuation<Value?, Never>]? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiters = [:] }
            // The longest waiter resumes first.
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return true
    }

    /// The value, if it has arrived.
    package var current: Value? {
        self.state.withLock { $0.value }
    }

    /// Waits for the value.
    ///
    /// - Returns: The value; nil if the waiting task was cancelled first.
    package func value() async -> Value? {
        let id = self.state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = self.state.withLock { state -> Value?? in
                    if let value = state.value { return .some(value) }
                    // Cancelled before it registered: the handler has run and found nothing to resume.
                    if Task.isCancelled { return .some(nil) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }
}
