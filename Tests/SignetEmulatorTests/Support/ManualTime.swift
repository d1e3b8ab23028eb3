// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetLock

@testable import SignetEmulator

/// A wall clock that a test sets.
struct ManualTime: Sendable {
    static let start: Int64 = 1_700_000_000_000

    private let now = Locked(Self.start)

    var milliseconds: Int64 {
        self.now.withLock { $0 }
    }

    @Sendable
    func date() -> Date {
        Date(timeIntervalSince1970: Double(self.milliseconds) / 1000)
    }

    func advance(by duration: Duration) {
        self.now.withLock {
            $0 += duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        }
    }
}
