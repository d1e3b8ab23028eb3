// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The events without a user of installations in a shared store: a reading of the row says whose they are.
struct AnonymousEvents: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents
    /// The last event that was logged before the rows were read: of a later one another row may be right.
    private var reach: UInt64 = 0

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        (self.context, self.users, self.events) = (context, users, events)
    }

    /// Notes that rows are read from now on.
    ///
    /// - Parameter last: The number of the last event that was logged before.
    mutating func beginReading(after last: UInt64) {
        self.reach = last
    }

    /// Gives the events of an installation to the users of their moments, by the reading; drops those that must not be sent.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - id: The installation.
    ///   - machine: Plans their batches.
    /// - Returns: False if the row must be read again: another replica may have changed the user between the reading and an event.
    /// - Throws: The error of the disk.
    func attribute(
        of number: UInt32,
        _ id: InstallationID,
        in machine: inout UploadStateMachine
    ) throws(SignetError) -> Bool {
        let waiting = machine.anonymousSequences(of: number)
        let sequences = waiting.filter { $0 <= self.reach }
        if !sequences.isEmpty {
            let found = try AnonymousRuns(sequences, of: id, number, self.users, self.context.journal)
            if let withdrawal = found.withdrawal {
                try self.drop(found.withdrawn, of: number, from: &machine, withdrawal.cause)
            }
            try self.attribute(found.runs, of: number, in: &machine)
            if found.withdrawal != .installationMissing { self.attributeToFollower(of: number, in: &machine) }
        }
        return sequences.count == waiting.count
    }

    private func attribute(
        _ runs: [(owner: AnonymousOwner, sequences: [UInt64])],
        of number: UInt32,
        in machine: inout UploadStateMachine
    ) throws(SignetError) {
        for run in runs {
            guard let last = run.sequences.last else { continue }
            switch run.owner {
            // A row without a user has none for any moment.
            case .noUser: return
            // The queue would forget them before the erasure finds them on disk; later the row says what they are.
            case .user(let mpid) where machine.isForgotten(mpid, last): return
            case .user(let mpid): machine.attribute(number, to: mpid, upTo: last, now: self.context.time.uptime)
            case .forgotten:
                try self.events.acknowledge(run.sequences, of: [number])
                machine.attribute(number, to: nil, upTo: last, now: self.context.time.uptime)
                self.context.dropped(run.sequences.count, .unknownUser)
            }
        }
    }

    /// Gives events that still have no user to the user whose events follow here, as in a directory.
    ///
    /// A failover of the store has lost the log-in of that user: the row may never have another, and no event goes before these.
    private func attributeToFollower(of number: UInt32, in machine: inout UploadStateMachine) {
        guard let user = machine.firstUser(of: number), user.first <= self.reach,
            let oldest = machine.anonymousSequences(of: number).first, !machine.isForgotten(user.mpid, oldest)
        else { return }
        machine.attribute(number, to: user.mpid, upTo: user.first, now: self.context.time.uptime)
    }

    /// Drops the events of an installation whose name is lost.
    func dropNameless(of number: UInt32, from machine: inout UploadStateMachine) throws(SignetError) {
        let sequences = machine.anonymousSequences(of: number)
        try self.drop(sequences, of: number, isNamed: false, from: &machine, .installationGone)
    }

    private func drop(
        _ sequences: [UInt64],
        of number: UInt32,
        isNamed: Bool = true,
        from machine: inout UploadStateMachine,
        _ cause: DropCause
    ) throws(SignetError) {
        guard !sequences.isEmpty else { return }
        try self.events.acknowledge(sequences, of: isNamed ? [number] : [])
        machine.takeOff(number, anonymous: Set(sequences))
        self.context.dropped(sequences.count, cause)
    }
}
