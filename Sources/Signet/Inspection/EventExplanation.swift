// SPDX-License-Identifier: Apache-2.0

package import SignetModel

package import struct FoundationEssentials.UUID

/// The facts of a directory about one event: to whom it belongs, and why it has not been delivered.
///
/// It holds no value of an identity, no attribute and no address: only the kinds of them. All times are milliseconds since 1970.
package struct EventExplanation: Sendable, Hashable {
    /// The id of the event (`source_message_id`).
    package let id: UUID
    /// The kind of event (`event_type`).
    package let kind: String
    /// The name that the app gave it; nil for a kind without one.
    package let name: String?
    /// The time of the call.
    package let milliseconds: Int64?
    /// The number in the journal; nil if the event is not there any more.
    package let sequence: UInt64?
    package let installation: InstallationFacts
    package let user: UserFacts
    /// The session; nil outside of one.
    package let session: SessionFacts?
    package let consent: ConsentFacts
    package let context: ContextFacts
    /// The batch that carries the event, written down but not answered for good; nil if there is none.
    package let batch: BatchFacts?
    /// The dead letter that holds the event; nil if there is none.
    package let deadLetter: DeadLetterFacts?
    /// The last recorded pause of uploads; nil if there is none.
    package let pause: PauseFacts?

    /// True if an opt-out after the event keeps it from being sent.
    package var isWithdrawn: Bool {
        self.sequence.map { self.installation.optOut.covers($0) } ?? false
    }

    /// True if the event was logged in this launch, the last one, not in an earlier one.
    package func isLogged(in launch: LaunchFacts) -> Bool {
        self.milliseconds.map { $0 >= launch.last } ?? false
    }

    /// True if the window of this request has the time of the event.
    package func isCovered(by alias: AliasFacts) -> Bool {
        self.milliseconds.map { $0 >= alias.start && $0 <= alias.end } ?? false
    }

    /// The installation that logged the event.
    package struct InstallationFacts: Sendable, Hashable {
        /// The id; nil if the directory does not know it any more.
        package var id: InstallationID?
        /// The number in this directory; zero if unknown.
        package var number: UInt32 = 0
        /// The permanent id on the platform; nil if the record is not in this directory.
        package var deviceApplicationStamp: UUID?
        /// The time of the first open.
        package var createdAt: Int64?
        /// The launches of the app; nil where the runtime does not count them.
        package var launch: LaunchFacts?
        package var optOut = OptOut.none
    }

    /// The last opt-out of an installation; it keeps events up to one of the journal from being sent.
    package enum OptOut: Sendable, Hashable {
        case none
        /// The installation has opted out; the event is nil if the record does not name it.
        case current(upTo: UInt64?)
        /// The installation has opted in again.
        case past(upTo: UInt64)

        /// True if the installation has opted out.
        package var isCurrent: Bool {
            if case .current = self { true } else { false }
        }

        /// True if it keeps an event with this number from being sent.
        package func covers(_ sequence: UInt64) -> Bool {
            switch self {
            case .none, .current(nil): false
            case .current(let last?), .past(let last): sequence <= last
            }
        }
    }

    /// The launches of an installation's app.
    package struct LaunchFacts: Sendable, Hashable {
        /// The number of launches so far.
        package let count: Int
        /// The time of the last launch.
        package let last: Int64
        /// The version of the app at the last launch.
        package let version: String?
    }

    /// The user to whom the event belongs.
    package struct UserFacts: Sendable, Hashable {
        /// The user's MPID; nil if there is none.
        package var mpid: MPID?
        package var reason: UserReason
        /// The current user of the installation now.
        package var current: MPID?
        /// The stored facts of the user; nil if the directory has none.
        package var stored: StoredFacts?
        /// The waiting events of the installation that report a change of identities before this one, at most the last five.
        package var identityChanges: [EventTrail.Moment] = []
        /// The alias requests of this user that have no answer yet.
        package var aliases: [AliasFacts] = []
        /// The other services that have not followed this user yet.
        package var services: [String] = []
    }

    /// The reason for which an event belongs to a user.
    package enum UserReason: String, Sendable, Hashable {
        /// The user was current at the call.
        case current
        /// There was no user at the call: the first user of the installation owns the event.
        case first
        /// There was no user at the call, and the first user after it was erased.
        case erased
        /// There is no user yet; the event waits for the first one.
        case waiting
        /// The batch names the user, and nothing else is left.
        case batch
        /// There was no user at the call, and the record of the installation is not in this directory.
        case unknown
    }

    /// A user as the last answers of the platform left them.
    package struct StoredFacts: Sendable, Hashable {
        /// True if the last answer named a known user.
        package let isKnown: Bool
        /// The time of the answer that made the user current for the first time.
        package let firstSeen: Int64
        /// The time at which the user was last current; for the current user, of the last answer.
        package let lastSeen: Int64
        /// The names of the types of identities, sorted, with the time at which each was set.
        package let identities: [IdentityFacts]
    }

    /// One identity without its value.
    package struct IdentityFacts: Sendable, Hashable {
        package let type: String
        package let since: Int64
    }

    /// An alias request without an answer.
    package struct AliasFacts: Sendable, Hashable {
        package let id: UUID
        package let source: MPID
        package let destination: MPID
        /// The begin and the end of the request's window, inclusive.
        package let start: Int64
        package let end: Int64
    }
}
