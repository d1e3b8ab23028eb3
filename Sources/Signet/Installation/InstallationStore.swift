// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// The marks of a commit: facts that the owner of the installation follows up.
struct InstallationCommitMarks: OptionSet, Sendable {
    let rawValue: UInt8

    /// An event was written.
    static let hasEvents = InstallationCommitMarks(rawValue: 1 << 0)
    /// The installation is on disk since this transaction.
    static let becameDurable = InstallationCommitMarks(rawValue: 1 << 1)
    /// ``InstallationMachine/needsHolding`` has changed.
    static let isHoldingChanged = InstallationCommitMarks(rawValue: 1 << 2)
}

/// The result of a transaction.
struct InstallationCommit<Value> {
    /// The value that the transaction returned.
    let value: Value
    /// The error of a refused write that the call needs; what came before it stands.
    var failure: SignetError?
    /// The error of a refused write without which the change stands; to be reported.
    var notSaved: SignetError?
    /// The error of a refused event that Signet logs itself.
    var lostEvent: SignetError?
    /// The subscribers to resume.
    var resumptions: [Resumption] = []
    /// The effects to run after the lock.
    var effects: [InstallationTransaction.Effect] = []
    var marks: InstallationCommitMarks = []
    /// The number of users who have left the record of the users, which was full; to be counted and reported.
    var usersDropped = 0
    /// The entries of a shared row's outbox whose events were written.
    var entries: Set<UUID> = []
}

/// The place of one installation's machine: no task sees a transaction half done.
///
/// ``LocalInstallationStore`` is for one process. A store that several processes share reads the machine, applies the transaction
/// to a copy and commits it if no other process has committed meanwhile; else it applies it again.
protocol InstallationStore: AnyObject, Sendable {
    /// Decides and commits.
    ///
    /// - Parameter body: Changes the machine and adds writes. It may run more than once, and sees each time the newest machine. If it
    ///   throws, nothing is changed.
    /// - Returns: The value of its last run, and what became of the writes.
    /// - Throws: Its error.
    func transact<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> InstallationCommit<Value>

    /// Decides and commits a change that all processes must see.
    ///
    /// - Parameters:
    ///   - token: The slot that the caller must still have; nil for none.
    ///   - decides: True if the body begins or ends sessions.
    ///   - confirms: True if a shared row is read again before a change counts as none.
    ///   - began: The uptime at which an open was called that makes the change; nil for other calls.
    ///   - body: As in ``transact(_:)``.
    /// - Returns: The value of its last run, and what became of the writes.
    /// - Throws: Its error; those of a shared store.
    nonisolated(nonsending) func commit<Value>(
        fencedBy token: UUID?,
        decides: Bool,
        confirms: Bool,
        ofOpenSince began: Duration?,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> InstallationCommit<Value>

    /// Reads the machine.
    func read<Value>(_ body: (borrowing InstallationMachine) -> Value) -> Value

    /// Changes what is in memory only, or what later transactions write.
    func update<Value>(_ body: (inout InstallationMachine) -> Value) -> Value

    /// Logs an event in the open session, the frequent case; its details are bytes that are valid during the call.
    ///
    /// - Returns: The event's number; nil if the event changes more than the journal, so that it needs a transaction.
    /// - Throws: The error of the disk; nothing was logged.
    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ urgency: EventMetadata.Urgency
    ) throws(SignetError) -> UInt64?

    /// True if the session record lacks frames of an open session.
    var needsFold: Bool { get }

    /// This store, if several processes share it.
    var shared: SharedInstallationStore? { get }
}

extension InstallationStore {
    /// The same as a transaction, where no other process has the installation.
    nonisolated(nonsending) func commit<Value>(
        fencedBy token: UUID?,
        decides: Bool,
        confirms: Bool,
        ofOpenSince began: Duration?,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> InstallationCommit<Value> {
        try self.transact(body)
    }

    /// The same for a call that is no open.
    nonisolated(nonsending) func commit<Value>(
        fencedBy token: UUID?,
        decides: Bool,
        confirms: Bool,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> InstallationCommit<Value> {
        try await self.commit(fencedBy: token, decides: decides, confirms: confirms, ofOpenSince: nil, body)
    }

    var shared: SharedInstallationStore? { nil }
}

/// Makes the store of a machine.
typealias InstallationStoreFactory =
    @Sendable (InstallationMachine, InstallationWriter) -> any InstallationStore

/// The store of one process: a lock.
final class LocalInstallationStore: InstallationStore {
    private struct State {
        var machine: InstallationMachine
        var frames: InstallationFrames
    }

    private let writer: InstallationWriter
    private let state: Locked<State>

    init(_ machine: InstallationMachine, writer: InstallationWriter) {
        self.writer = writer
        self.state = Locked(
            State(machine: machine, frames: InstallationFrames(last: writer.context.journal.lastSequence))
        )
    }

    func transact<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> InstallationCommit<Value> {
        try self.state.withLock { state throws(SignetError) in
            var marks: InstallationCommitMarks = []
            while true {
                var machine = state.machine
                var transaction = self.writer.begin(state.frames)
                let value = try body(&machine, &transaction)
                transaction.finish(machine)
                var refusal: SignetError?
                if state.machine.becomesDurable(with: transaction) {
                    do throws(SignetError) {
                        try self.writer.makeDurable(&state.machine)
                        marks.insert(.becameDurable)
                        // If more than events depends on the number, it decides again.
                        guard transaction.takeNumber(of: state.machine) else { continue }
                    } catch {
                        refusal = error
                    }
                }
                var commit = self.writer.commit(transaction, value, &state.machine, &state.frames, refusedBy: refusal)
                commit.marks.formUnion(marks)
                return commit
            }
        }
    }

    func read<Value>(_ body: (borrowing InstallationMachine) -> Value) -> Value {
        self.state.withLock { body($0.machine) }
    }

    func update<Value>(_ body: (inout InstallationMachine) -> Value) -> Value {
        self.state.withLock { body(&$0.machine) }
    }

    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ urgency: EventMetadata.Urgency
    ) throws(SignetError) -> UInt64? {
        try self.state.withLock { state throws(SignetError) in
            guard !state.machine.isUnsaved else { return nil }
            return try self.writer.append(kind, json, urgency, &state.machine, &state.frames)
        }
    }

    var needsFold: Bool {
        self.state.withLock { $0.frames.areUnfolded && $0.machine.session.totals != nil }
    }
}

extension InstallationWriter {
    /// The moment of a transaction that begins now.
    var moment: InstallationMoment {
        InstallationMoment(
            now: SessionTimestamp(self.context.time),
            timeout: self.context.sessionTimeout,
            context: self.context.contexts.current,
            newSessionID: self.context.configuration.newSessionID,
            eventAge: self.context.configuration.events.storage.maximumAge,
            userFacts: self.context.configuration.events.userFacts
        )
    }

    /// Begins a transaction.
    func begin(_ frames: InstallationFrames) -> InstallationTransaction {
        InstallationTransaction(
            id: self.id,
            moment: self.moment,
            records: InstallationRecords(id: self.id, context: self.context),
            frames: frames
        )
    }

    /// Carries out a transaction, step by step, up to the first one that the disk refuses.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - value: Its value.
    ///   - machine: The installation, which takes the state of the last full step.
    ///   - frames: Its frames.
    ///   - refusal: The error of a disk that has refused the installation itself, and so every write.
    /// - Returns: The value, and what became of the writes.
    func commit<Value>(
        _ transaction: consuming InstallationTransaction,
        _ value: Value,
        _ machine: inout InstallationMachine,
        _ frames: inout InstallationFrames,
        refusedBy refusal: SignetError? = nil
    ) -> InstallationCommit<Value> {
        var commit = InstallationCommit(value: value, notSaved: transaction.problem)
        let wasHeld = machine.needsHolding
        let unsaved = machine.unsaved
        frames.checked(as: transaction.frames)
        let messageIDs = transaction.steps.last?.after.messageIDs
        // Moved out, not copied: an installation is large.
        var steps = transaction.takeReversedSteps()
        while let step = steps.popLast() {
            do throws(SignetError) {
                if let refusal, !step.writes.isEmpty { throw refusal }
                try self.perform(step.writes, &frames, &commit)
                commit.entries.formUnion(transaction.entries(of: step))
            } catch {
                switch step.refusal {
                case .fails: commit.failure = error
                case .losesEvent: commit.lostEvent = error
                case .isReported: commit.notSaved = commit.notSaved ?? error
                case .isIgnored: break
                }
                if commit.failure != nil || commit.lostEvent != nil { break }
            }
            machine = step.after
            // With the number that the refused attempt has reserved.
            if refusal != nil { machine.unsaved = unsaved }
            self.publish(step.effects, &commit)
        }
        // An id that a refused step has used may be on disk: it is not given again.
        if let messageIDs { machine.messageIDs = messageIDs }
        if wasHeld != machine.needsHolding { commit.marks.insert(.isHoldingChanged) }
        if commit.failure == nil { commit.usersDropped = transaction.usersDropped }
        return commit
    }

    private func perform<Value>(
        _ writes: [InstallationTransaction.Write],
        _ frames: inout InstallationFrames,
        _ commit: inout InstallationCommit<Value>
    ) throws(SignetError) {
        for write in writes {
            do throws(SignetError) {
                if try self.perform(write, &frames) != nil { commit.marks.insert(.hasEvents) }
            } catch {
                // The journal has the same; only a restart would be less exact.
                guard case .session = write else { throw error }
                commit.notSaved = commit.notSaved ?? error
            }
        }
    }

    /// Logs an event in the open session.
    ///
    /// - Returns: Nil if the event needs a transaction.
    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ urgency: EventMetadata.Urgency,
        _ machine: inout InstallationMachine,
        _ frames: inout InstallationFrames
    ) throws(SignetError) -> UInt64? {
        let now = SessionTimestamp(self.context.time)
        guard machine.continuesSession(at: now, self.context.sessionTimeout), !frames.isRecordDue(at: now) else {
            return nil
        }
        let stamp = machine.stamp(at: now, urgency: urgency, context: self.context.contexts.current)
        let sequence = try self.context.append(kind, json, stamp)
        machine.session.count(stamp.mpid, at: now)
        frames.note(sequence)
        return sequence
    }
}
