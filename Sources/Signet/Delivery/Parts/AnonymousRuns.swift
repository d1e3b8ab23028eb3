// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

/// The anonymous events of an installation by the last reading of its row: their owners, and those that an opt-out withdraws.
struct AnonymousRuns: Sendable {
    /// Neighbours with one owner, in order.
    let runs: [(owner: AnonymousOwner, sequences: [UInt64])]
    /// The events that are not sent.
    let withdrawn: [UInt64]
    /// The reason for which they are not sent; nil for none.
    let withdrawal: EventWithdrawal?

    /// Reads the events.
    ///
    /// - Parameters:
    ///   - sequences: The numbers of the events, in order.
    ///   - id: The installation.
    ///   - number: Its number in the metadata of its events.
    ///   - users: Knows the row.
    ///   - journal: Has the events.
    /// - Throws: The error of the disk.
    init(
        _ sequences: [UInt64],
        of id: InstallationID,
        _ number: UInt32,
        _ users: any EventUsers,
        _ journal: Journal
    ) throws(SignetError) {
        let withdrawal = users.withdrawal(id, number, nil)
        var withdrawn: [UInt64] = []
        var runs: [(owner: AnonymousOwner, sequences: [UInt64])] = []
        do throws(StorageError) {
            try journal.read(sequences) { sequence, stamp, payload in
                if let withdrawal, withdrawal != .installationMissing, withdrawal.applies(to: payload) {
                    return withdrawn.append(sequence)
                }
                let owner = Self.owner(id, stamp, payload, users)
                if runs.last?.owner == owner {
                    runs[runs.count - 1].sequences.append(sequence)
                } else {
                    runs.append((owner, [sequence]))
                }
            }
        } catch {
            throw SignetError(error)
        }
        (self.withdrawal, self.withdrawn, self.runs) = (withdrawal, withdrawn, runs)
    }

    /// The owner of an event at its logging.
    ///
    /// Of an event with a time of its own only the minute of its logging is known. If the user changed in that
    /// minute, its owner is unknown.
    private static func owner(
        _ id: InstallationID,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ users: any EventUsers
    ) -> AnonymousOwner {
        let milliseconds = EventHead.read(payload)?.milliseconds ?? .max
        guard let minute = EventMetadata(stamp).map({ $0.seconds * 1000 }), milliseconds < minute else {
            return users.owner(id, at: milliseconds)
        }
        let first = users.owner(id, at: minute)
        return first == users.owner(id, at: minute + 59_999) ? first : .forgotten
    }
}
