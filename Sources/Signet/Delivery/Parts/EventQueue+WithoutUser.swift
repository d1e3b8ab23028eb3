// SPDX-License-Identifier: Apache-2.0

import SignetJournal

// Installations that the runtime must identify.
extension EventQueue {
    /// The installations whose events wait for a user.
    struct WithoutUser: Sendable {
        /// Those that were asked for, the one with the oldest event first.
        var numbers: [UInt32] = []
        /// Those that wait for the app.
        var awaitingApp: Set<UInt32> = []
        /// The number of all events that wait for a user.
        var events = 0
        /// Of these, events that wait for the app.
        var eventsAwaitingApp = 0
        /// The number of installations that are neither known nor wait for the app.
        var unknown = 0
        /// The last event that was taken in.
        var last: UInt64 = 0
    }

    /// The times of the oldest waiting events, by what they wait for; in milliseconds since 1970.
    struct Oldest: Sendable, Hashable {
        var forUpload: Int64?
        var forUser: Int64?
        var forApp: Int64?
    }

    /// Finds the oldest events.
    ///
    /// - Parameter awaitingApp: The installations whose events without a user wait for the app.
    /// - Returns: Nil while the events of earlier processes are not known.
    func oldest(awaitingApp: Set<UInt32>) -> Oldest? {
        guard self.takeIn(), self.backlog.intake.isRestored else { return nil }
        let machine = self.backlog.machine
        func earlier(_ sequence: UInt64?, _ other: UInt64?) -> UInt64? {
            guard let sequence, let other else { return sequence ?? other }
            return min(sequence, other)
        }
        var forUpload = self.backlog.held.firstEvent
        var forUser: UInt64?
        var forApp: UInt64?
        for slot in machine.lines.used {
            let line = machine.lines[slot]
            for run in line.runs {
                if run.key.mpid != nil {
                    forUpload = earlier(forUpload, run.events.first)
                } else if awaitingApp.contains(line.number) {
                    forApp = earlier(forApp, run.events.first)
                } else {
                    forUser = earlier(forUser, run.events.first)
                }
            }
        }
        var oldest = Oldest()
        do throws(StorageError) {
            let sequences = [forUpload, forUser, forApp].compactMap(\.self).sorted()
            try self.context.journal.read(sequences) { sequence, stamp, payload in
                let time = EventMetadata(stamp)?.milliseconds(of: payload)
                if sequence == forUpload { oldest.forUpload = time }
                if sequence == forUser { oldest.forUser = time }
                if sequence == forApp { oldest.forApp = time }
            }
        } catch {
            // An unreadable disk is reported by the code that must read it.
            return nil
        }
        return oldest
    }

    /// Finds installations whose events wait for a user.
    ///
    /// - Parameters:
    ///   - sequence: Only those with an event up to this one.
    ///   - others: Installations that are left out.
    ///   - awaitingApp: Installations that may still wait for the app.
    ///   - limit: The most installations.
    /// - Returns: Nil while the events of earlier processes are not known.
    func installationsWithoutUser(
        upTo sequence: UInt64,
        besides others: Set<UInt32>,
        awaitingApp: Set<UInt32>,
        limit: Int
    ) -> WithoutUser? {
        guard self.takeIn(), self.backlog.intake.isRestored else { return nil }
        let machine = self.backlog.machine
        var found = WithoutUser(events: machine.anonymousCount, last: self.backlog.intake.last)
        var oldest: [(first: UInt64, number: UInt32)] = []
        for slot in machine.lines.used where machine.lines[slot].hasEventsWithoutUser {
            let line = machine.lines[slot]
            guard !awaitingApp.contains(line.number) else {
                found.awaitingApp.insert(line.number)
                found.eventsAwaitingApp += line.countWithoutUser
                continue
            }
            guard line.number != 0, !others.contains(line.number), let first = line.firstWithoutUser else { continue }
            found.unknown += 1
            if first <= sequence { oldest.append((first, line.number)) }
        }
        oldest.sort { $0.first < $1.first }
        found.numbers = oldest.prefix(limit).map(\.number)
        return found
    }
}
