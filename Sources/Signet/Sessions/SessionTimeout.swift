// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The time that sessions live without an event; can change while the runtime lives.
final class SessionTimeout: Sendable {
    private let nanoseconds: Atomic<Int64>

    /// Makes a timeout; values above about 285 years are capped.
    init(_ timeout: Duration) {
        self.nanoseconds = Atomic(Self.nanoseconds(timeout))
    }

    /// The current timeout.
    var value: Duration {
        get { .nanoseconds(self.nanoseconds.load(ordering: .relaxed)) }
        set { self.nanoseconds.store(Self.nanoseconds(newValue), ordering: .relaxed) }
    }

    private static func nanoseconds(_ timeout: Duration) -> Int64 {
        let (seconds, attoseconds) = timeout.components
        guard seconds < 9_000_000_000 else { return 9_000_000_000_000_000_000 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
