// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock

/// The time of the oldest event of a journal, to the millisecond.
///
/// The bytes beside an event have the minute alone. Its JSON is read once for each event that becomes the oldest one.
struct OldestEvent: Sendable {
    private struct Known {
        let sequence: UInt64
        let milliseconds: Int64
    }

    private let known = Locked<Known?>(nil)

    /// Returns the time at which the oldest event was logged.
    ///
    /// - Parameter journal: The journal; always the same one.
    /// - Returns: Milliseconds since 1970; nil if no event waits, or if the disk cannot be read.
    func milliseconds(in journal: Journal) -> Int64? {
        do throws(StorageError) {
            var minute: Int64?
            let first = try journal.visit(after: 0, limit: 1) { _, stamp, _ in
                minute = EventMetadata(stamp)?.seconds
            }
            guard let oldest = first else { return nil }
            if let known = self.known.withLock({ $0 }), known.sequence == oldest { return known.milliseconds }
            var exact: Int64?
            try journal.read([oldest]) { _, stamp, payload in
                exact = EventMetadata(stamp)?.milliseconds(of: payload)
            }
            // Damaged, or delivered in between.
            guard let exact else { return minute.map { $0 * 1000 } }
            let known = Known(sequence: oldest, milliseconds: exact)
            self.known.withLock { $0 = known }
            return exact
        } catch {
            // An unreadable disk is reported by the code that must read it.
            return nil
        }
    }
}
