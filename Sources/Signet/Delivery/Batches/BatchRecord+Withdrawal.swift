// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension BatchRecord {
    /// True if an opt-out withdraws some of the batch's events: those up to this one.
    ///
    /// A former dead letter has no numbers any more; it was logged before.
    func isWithdrawn(upTo last: UInt64) -> Bool {
        self.sequences.first.map { $0 <= last } ?? self.isWithdrawn(by: .all)
    }

    // MARK: - Events in the bytes alone: former dead letters, and facts without events

    /// True if such a batch must not be sent: it goes or stays as a whole.
    ///
    /// - Parameter withdrawal: The events that must not be sent.
    /// - Returns: True if one of its events is among them, or nothing says that none is.
    func isWithdrawn(by withdrawal: EventWithdrawal) -> Bool {
        guard self.events > 0 else {
            switch withdrawal {
            case .all, .installationMissing, .installationGone, .erased: return true
            case .before, .erasedBefore: return false
            }
        }
        guard case .whole(let bytes) = self.content else { return true }
        do throws(JSONError) {
            let events = try JSONReader.read(bytes)["events"]?.array ?? []
            return events.contains { (event: JSONValue) in
                let milliseconds = event["data"]?["timestamp_unixtime_ms"]?.number?.int64 ?? .min
                return withdrawal.applies(isOptOut: event["event_type"]?.string == "opt_out", at: milliseconds)
            }
        } catch {
            // Nothing says that it may be sent.
            return true
        }
    }
}
