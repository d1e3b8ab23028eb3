// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

extension TimeSource {
    /// What a runtime reads when its clock is this one.
    static func manual(_ clock: ManualClock) -> TimeSource {
        TimeSource(clock: clock, milliseconds: { clock.milliseconds })
    }
}

extension ManualClock {
    /// Waits until somebody sleeps until a moment, and nobody until an earlier one.
    func untilNextDeadline(is offset: Duration) async {
        // Looked at again and again: whoever sleeps until an earlier one may leave after the last has fallen asleep.
        await until("a next sleeper that is due at \(offset)") { self.nextDeadline?.offset == offset }
    }
}
