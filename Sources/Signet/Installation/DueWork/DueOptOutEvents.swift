// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

/// Logs the events of opt-outs and opt-ins whose process died, or had no room on disk, between the choice and its event.
struct DueOptOutEvents: Sendable {
    let context: RuntimeContext

    /// The installations whose event may be missing.
    ///
    /// - Throws: The error of the disk.
    func installations() throws(SignetError) -> [UInt32] {
        try self.context.store.keys(withPrefix: StateKey.dueOptOuts).compactMap { key in
            StateKey.number(key.dropFirst(StateKey.dueOptOuts.count))
        }
    }

    /// Logs the event of an installation that is not in memory, if the journal does not have it, and removes its record.
    ///
    /// No other task may open the installation meanwhile.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - state: Its users on disk.
    /// - Throws: The error of the disk; then the record stays.
    func log(of id: InstallationID, _ state: IdentityState) throws(SignetError) {
        let key = StateKey.dueOptOut(state.number)
        guard let due = try self.due(state.number), try self.log(due, of: id, state) else { return }
        if self.context.store.contains(key) { try self.context.store.remove(key) }
    }

    /// The opt-out of a number; nil if there is none.
    ///
    /// A damaged record is reported and removed.
    func due(_ number: UInt32) throws(SignetError) -> DueOptOut? {
        let key = StateKey.dueOptOut(number)
        guard self.context.store.contains(key) else { return nil }
        do throws(SignetError) {
            if let value = try self.context.store.value(for: key), let due = DueOptOut(value) { return due }
        } catch {
            guard error.isDamage else { throw error }
        }
        self.context.reportDamage("The record of an opt-out is damaged. Its event may not be sent.")
        try self.context.store.remove(key)
        return nil
    }

    /// Logs an event, if the journal does not have it.
    ///
    /// - Returns: True if it is in the journal, or was not due: the process died before the choice was written.
    /// - Throws: The error of the disk.
    func log(_ due: DueOptOut, of id: InstallationID, _ state: IdentityState) throws(SignetError) -> Bool {
        guard state.isOptedOut == due.isOptedOut else { return true }
        let details = EventBody.details(of: Event(content: .optOut(due.isOptedOut)))
        let moment = EventTimestamp(due.milliseconds, due.messageID, nil)
        guard try !self.isLogged(details, moment, of: state.number) else { return true }
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
            let isSafe = try self.context.append(EventFrame(details: details, stamp: stamp)) > 0
            self.context.ingress.eventLogged()
            return isSafe
        } catch {
            self.context.countRefusal(error.code)
            self.context.observer.eventRefused(installation: id, error: error)
            throw error
        }
    }

    /// Returns true if the journal already has the event.
    ///
    /// Looks at all events of the installation: after a loss of power, numbers are below those that were known when the choice was made.
    private func isLogged(
        _ details: EventDetails,
        _ moment: EventTimestamp,
        of number: UInt32
    ) throws(SignetError) -> Bool {
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
        var isFound = false
        var after: UInt64 = 0
        do throws(StorageError) {
            while !isFound {
                var sequences: [UInt64] = []
                let last = try self.context.journal.visit(after: after, limit: 4096) { sequence, stamp, _ in
                    if EventMetadata(stamp)?.installation == number { sequences.append(sequence) }
                }
                guard let last else { return false }
                try self.context.journal.read(sequences) { _, _, payload in
                    if payload.starts(with: head) { isFound = true }
                }
                after = last
            }
        } catch {
            throw SignetError(error)
        }
        return true
    }
}
