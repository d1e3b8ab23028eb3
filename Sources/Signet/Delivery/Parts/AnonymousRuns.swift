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
            try journal.read(sequences) { sequence, _, payload in
                if let withdrawal, withdrawal != .installationMissing, withdrawal.applies(to: payload) {
                    return withdrawn.append(sequence)
                }
                let owner = users.owner(id, at: EventHead.read(payload)?.milliseconds ?? .max)
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
}
