// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetTestSupport
package import SignetTesting
import Testing

extension TimeSource {
    /// What a runtime reads when its clock is this one.
    package static func manual(_ clock: ManualClock) -> TimeSource {
        TimeSource(clock: clock, milliseconds: { clock.milliseconds })
    }
}

extension ManualClock {
    /// Waits until somebody sleeps until a moment, and nobody until an earlier one.
    package func untilNextDeadline(is offset: Duration) async {
        // Looked at again and again: whoever sleeps until an earlier one may leave after the last has fallen asleep.
        await until("a next sleeper that is due at \(offset)") { self.nextDeadline?.offset == offset }
    }

    /// Waits until the next sleeper is due after exactly this time: the facts that tests wait for.
    package func untilNextSleeper(isDueIn duration: Duration) async {
        let deadline = self.now.advanced(by: duration)
        // Looked at again and again: whoever sleeps until an earlier moment may leave after the last has fallen asleep.
        await until("a next sleeper that is due in \(duration)") { self.nextDeadline == deadline }
    }
}
