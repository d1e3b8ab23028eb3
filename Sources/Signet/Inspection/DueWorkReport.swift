// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// The work that a directory or a store still has to do without a call of the app.
package struct DueWorkReport: Sendable, Hashable {
    /// The kinds of work.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Events wait for the first user of their installation.
        case identify
        /// Events wait to be sent, or to be dropped.
        case events
        /// A batch is in flight, or waits.
        case batch
        /// An alias request is in flight, or waits.
        case alias
        /// A session has no end.
        case sessionEnd
        /// The event of an opt-out or opt-in may not be in the journal.
        case optOutEvent
        /// Events of before an opt-out are to be dropped.
        case optOutDrop
        /// A user is being erased.
        case erasure
        /// An installation is being reset or removed.
        case reset
        /// Services must still follow a user.
        case outbox
        /// A service has requests to send, or data to remove.
        case service
        /// The platform lacks facts of a user that no event carries.
        case facts
        /// A batch is a dead letter.
        case deadLetter
        /// A record is marked as due without any of these.
        case mark
    }

    /// The reason for which work may wait.
    package enum AllowedWait: Sendable, Hashable {
        /// The installation has opted out.
        case optedOut
        /// The app decides about dead letters.
        case deadLetter
        /// Only the app can continue it; the text says how.
        case awaitsApp(String)
        /// This service, by its name or its letter, was not given.
        case serviceNotGiven(String)
        /// The record cannot be read.
        case unreadable
        /// No record says whose it is: a loss of power took it, or it cannot be read. Events are kept until they are too old.
        case forgotten
    }

    /// Work of one kind for one installation, or one record.
    package struct Entry: Sendable, Hashable {
        package let kind: Kind
        /// The installation; nil if it has none, or is unknown.
        package let installation: InstallationID?
        /// The number of events or records.
        package let count: Int
        /// The time of the oldest event or choice, in milliseconds since 1970; nil if the record does not say it.
        package let since: Int64?
        /// The reason for which it may wait; nil if it is owed.
        package let allowed: AllowedWait?

        /// Makes an entry.
        package init(
            _ kind: Kind,
            of installation: InstallationID?,
            count: Int = 1,
            since: Int64? = nil,
            allowed: AllowedWait? = nil
        ) {
            self.kind = kind
            self.installation = installation
            self.count = count
            self.since = since
            self.allowed = allowed
        }
    }

    /// The work, in no particular order.
    package var entries: [Entry]

    /// Makes a report.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The work that nothing excuses.
    package var owed: [Entry] { self.entries.filter { $0.allowed == nil } }

    /// The number of entries of each kind that are owed, and that may wait.
    package var counts: [Kind: (owed: Int, allowed: Int)] {
        self.entries.reduce(into: [:]) { counts, entry in
            if entry.allowed == nil {
                counts[entry.kind, default: (0, 0)].owed += 1
            } else {
                counts[entry.kind, default: (0, 0)].allowed += 1
            }
        }
    }
}
