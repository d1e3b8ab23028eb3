// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// A reference that does not keep its target in memory, for two objects that refer to each other.
final class WeakReference<Target: AnyObject & Sendable>: Sendable {
    private struct State {
        weak var target: Target?
    }

    private let state = Locked(State())

    /// The target; nil when it is gone.
    var target: Target? {
        self.state.withLock { $0.target }
    }

    /// Sets the target, once, while the two are being made.
    func set(_ target: Target) {
        self.state.withLock { $0.target = target }
    }
}
