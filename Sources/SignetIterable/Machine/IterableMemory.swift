// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetWire

import struct FoundationEssentials.UUID

/// The memory of an installation's visitor, without the records: consent and the turns of users.
struct IterableMemory: Sendable, Hashable {
    /// A matched criterion, for which an unknown user is to be made.
    struct Activation: Sendable, Hashable {
        /// The UUID, the same for every try.
        let userID: String
        /// The id of the criterion.
        let criterion: String
    }

    /// The refusals of a task, or of records one after the other, without a reason of the service.
    ///
    /// The day of tries is that of what stands in between: records that have waited through all of it share it.
    struct Refusals: Sendable, Hashable {
        /// The name of the operations; a count for others says nothing.
        let subject: String
        /// The HTTP status; another one is another obstacle.
        let status: Int
        let count: UnexplainedRefusals
        /// The number of the next record at the first refusal: those before it share the count.
        let before: UInt64
    }

    /// The time of the consent, in milliseconds since 1970; nil without consent.
    var consentedAt: Int64?
    /// The sessions of the visitor; nil before the first.
    var sessions: UnknownSessions?
    /// The unknown user that is being made.
    var activation: Activation?
    /// The UUID of the next unknown user, if the service may have seen it already.
    var reservedID: String?
    /// The users with pending work, oldest first; the last one may be in front of the installation.
    var turns: [IterableTurn] = []
    /// The first record of the visitor, while no user is in front of the installation.
    var first: UInt64 = 0
    /// The next record number.
    ///
    /// No record has had it, or any number after it.
    var next: UInt64 = 0
    /// No record on disk has a number before this one.
    ///
    /// With ``reserved`` it is the range of the records: a start looks only there, however many others the directory
    /// holds.
    var low: UInt64 = 0
    /// Records get numbers before this one until the memory is written again.
    var reserved: UInt64 = 0
    /// The last change of the installation's user that was taken over.
    ///
    /// None is taken over twice or out of order.
    var followed: UUID?
    /// The installation's user whom Iterable knows.
    var synced: SyncedUser?
    /// The unknown user whose merge is next or in flight.
    var nextMerge: String?
    /// The push token of the device, for any user in front of it.
    var pushToken: IterablePushToken?
    /// The app's permission to show notifications on the device; nil until the app has set it.
    var allowsNotifications: Bool?
    /// True if the app has paused the requests for tokens without a user: the next user's are paused.
    var pausesTokens = false
    /// The refusals of pending operations without a reason of the service.
    var refusals: [Refusals] = []

    /// The turn of the user who is in front of the installation; nil for a visitor.
    var current: IterableTurn? {
        self.turns.last.flatMap { $0.end == nil ? $0 : nil }
    }

    /// True if there is a visitor who has consented.
    var hasVisitor: Bool { self.consentedAt != nil && self.current == nil }

    /// The device registration for a user; nil without a push token.
    var registration: IterableTask? {
        self.pushToken.map { .register($0, allowsNotifications: self.allowsNotifications) }
    }

    /// Replaces the pending device registration of the current user, if there is one.
    mutating func renewRegistration() {
        guard self.current != nil, let registration else { return }
        let index = self.turns.count - 1
        self.turns[index].tasks.removeAll { if case .register = $0 { true } else { false } }
        self.turns[index].tasks.append(registration)
    }

    /// The work that the service has to do without a call of the app.
    ///
    /// - Parameters:
    ///   - ordinals: The numbers of the records on disk.
    ///   - isOptedOut: True if the installation has opted out.
    /// - Returns: The work.
    func due(_ ordinals: [UInt64], isOptedOut: Bool) -> ServiceDue {
        let owned = ordinals.filter(self.owns)
        let hasTasks = self.turns.contains { !$0.tasks.isEmpty }
        if isOptedOut {
            guard owned.isEmpty, self.activation == nil else { return .due }
            return hasTasks ? .awaitsApp("an opt-in") : .nothing
        }
        let isActivating = self.current == nil && self.activation != nil
        let hasRecords = self.turns.contains { turn in owned.contains(where: turn.owns) }
        if hasTasks || isActivating || hasRecords { return .due }
        return owned.isEmpty ? .nothing : .awaitsApp("records that meet a criterion")
    }

    /// True if a record still counts.
    func owns(_ ordinal: UInt64) -> Bool {
        (self.current == nil && ordinal >= self.first) || self.turns.contains { $0.owns(ordinal) }
    }
}
