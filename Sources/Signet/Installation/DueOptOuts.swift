// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

/// Logs opt-outs of earlier processes that died, or had no room on disk, between the choice and its event.
struct DueOptOuts {
    let context: RuntimeContext
    let users: UserLookup

    /// Logs them, before any installation is opened.
    ///
    /// - Throws: An error if the disk cannot be read. A failed write is reported, and due at the next start.
    func log() throws(SignetError) {
        let records = try self.context.store.values(withPrefix: StateKey.dueOptOuts) {
            self.context.reportDamage("The record of an opt-out is damaged. Its event may not be sent: \($0.message)")
        }
        for (key, value) in records {
            guard let due = DueOptOut(value), let (id, state) = try self.installation(of: due, key) else {
                try self.context.store.remove(key)
                continue
            }
            let details = EventBody.details(of: Event(content: .optOut(due.isOptedOut)))
            let moment = EventTimestamp(due.milliseconds, due.messageID, nil)
            guard try !self.isLogged(details, moment) else {
                try self.context.store.remove(key)
                continue
            }
            do throws(SignetError) {
                let stamp = EventStamp(
                    timestamp: moment,
                    number: state.number,
                    mpid: state.directory.current,
                    urgency: .prompt,
                    context: self.context.contexts.current,
                    own: try self.context.ownContexts.chosen(id)
                )
                // An event in memory only is not safe yet.
                let frame = EventFrame(details: details, stamp: stamp)
                if try self.context.append(frame) > 0 { try self.context.store.remove(key) }
            } catch {
                self.context.countRefusal(error.code)
                self.context.observer.eventRefused(installation: id, error: error)
            }
        }
    }

    /// The installation of the event; nil if the process died before the choice was written, or the installation is unknown.
    private func installation(
        of due: DueOptOut,
        _ key: [UInt8]
    ) throws(SignetError) -> (InstallationID, IdentityState)? {
        guard let number: UInt32 = StateKey.number(key.dropFirst(StateKey.dueOptOuts.count)),
            let id = try self.context.numbers.installation(number),
            let state = try self.users.state(of: id),
            state.isOptedOut == due.isOptedOut
        else { return nil }
        return (id, state)
    }

    /// Returns true if the journal already has the event.
    ///
    /// Looks at all events: after a loss of power, numbers are below those that were known when the choice was made.
    private func isLogged(_ details: EventDetails, _ moment: EventTimestamp) throws(SignetError) -> Bool {
        // A session follows if the event was in one.
        let head = [UInt8](unsafeUninitializedCapacity: EventHead.maximumCount) { buffer, count in
            count = EventHead.write(
                details.kind,
                milliseconds: moment.milliseconds,
                messageID: moment.messageID,
                session: nil,
                to: UnsafeMutableRawBufferPointer(buffer)
            )
        }
        var found: UInt64?
        var after: UInt64 = 0
        do throws(StorageError) {
            while found == nil {
                var sequences: [UInt64] = []
                guard
                    let last = try self.context.journal.visit(
                        after: after,
                        limit: 4096,
                        { sequence, _, _ in sequences.append(sequence) }
                    )
                else { return false }
                try self.context.journal.read(sequences) { sequence, _, payload in
                    if payload.starts(with: head) { found = sequence }
                }
                after = last
            }
        } catch {
            throw SignetError(error)
        }
        return true
    }
}
