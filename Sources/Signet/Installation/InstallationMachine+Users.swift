// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Users, consent and opt-out. The slot of the identity calls is in ``IdentityStateMachine``.
extension InstallationMachine {
    // MARK: - Identity calls

    /// Begins an identity call; see ``IdentityStateMachine/begin(_:mayWait:now:)``.
    mutating func begin(
        _ call: IdentityCall,
        mayWait: Bool,
        _ transaction: inout InstallationTransaction
    ) -> IdentityStateMachine.BeginAction {
        self.keepingDevices(&transaction) { $0.begin(call, mayWait: mayWait, now: $1) }
    }

    /// Asks what a call sends whose turn has come, or that resumes after a pause.
    mutating func send(
        _ transaction: inout InstallationTransaction,
        _ ask: (inout IdentityStateMachine, Int64) -> IdentityStateMachine.SendAction
    ) throws(SignetError) -> IdentityStateMachine.SendAction {
        guard !self.phase.isRetired else { throw .closed }
        return self.keepingDevices(&transaction, ask)
    }

    /// Saves the device identities if a modify that needs no request has changed them; the slot moves on in any case.
    private mutating func keepingDevices<Action>(
        _ transaction: inout InstallationTransaction,
        _ change: (inout IdentityStateMachine, Int64) -> Action
    ) -> Action {
        let before = self.state.devices
        let action = change(&self.identity, transaction.moment.now.milliseconds)
        let after = self.state.devices
        guard after != before else { return action }
        self.state.devices = before
        transaction.step(&self)
        self.state.devices = after
        self.saveIdentity(&transaction)
        return action
    }

    // MARK: - Changes that need no platform

    /// Changes attributes of the addressed user.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID; nil before the first user.
    ///   - transaction: The transaction.
    ///   - change: Makes the change; if it throws, nothing is changed.
    /// - Returns: The value of `change`.
    /// - Throws: The error of `change`; `optedOut`, `closed`, `noUser`, `invalidArgument`.
    mutating func changeAttributes<Value>(
        of mpid: MPID?,
        _ transaction: inout InstallationTransaction,
        _ change: (inout AttributeEditor) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        guard !self.isOptedOut else { throw .optedOut }
        try self.requireOpen()
        let target = self.state.directory.addressee(mpid)
        guard var editor = self.state.directory.editor(of: target) else { throw .noUser }
        let value = try change(&editor)
        guard !editor.events.isEmpty else { return value }
        if editor.hasSet, let violation = UserLimits.violation(of: editor.attributes) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        self.state.directory.take(editor, of: target)
        self.saveIdentity(&transaction)
        transaction.step(&self)
        self.log(editor.events.map { UserUpdate($0, of: target) }, &transaction)
        return value
    }

    /// Changes and saves the users, consent or devices.
    mutating func changeState(
        _ transaction: inout InstallationTransaction,
        _ change: (inout IdentityStateMachine) throws(SignetError) -> Void
    ) throws(SignetError) {
        try self.requireOpen()
        try change(&self.identity)
        self.saveIdentity(&transaction)
    }

    /// Opts out or in, and logs that.
    ///
    /// - Parameters:
    ///   - isOptedOut: True for out, false for in.
    ///   - messageID: The id of the event, the same in each run of the transaction.
    ///   - transaction: The transaction.
    /// - Returns: The event that a later process would have to log.
    /// - Throws: `closed`, or an error of the disk.
    mutating func setOptedOut(
        _ isOptedOut: Bool,
        named messageID: UUID,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> DueOptOut {
        try self.requireOpen()
        // All earlier events of the installation have lower numbers; the event of this opt-out has a higher one. Events in memory,
        // which the disk refused, must be in the journal to be dropped with the rest.
        let last = try transaction.records.lastSequence()
        let due = DueOptOut(
            isOptedOut: isOptedOut,
            milliseconds: transaction.moment.now.milliseconds,
            messageID: messageID
        )
        OptOutTransition(due, upTo: last).write(&self, &transaction)
        return due
    }

    /// Persists an alias request; the transaction orders it against an opt-out.
    mutating func add(
        _ request: AliasRequest,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> AliasRecord {
        try self.requireOpen()
        let window = try request.window(now: transaction.moment.now.milliseconds) {
            self.state.directory.entries[$0]?.isLoggedIn == true
        }
        guard !self.isOptedOut else { throw .optedOut }
        let record = AliasRecord(
            request,
            window,
            of: transaction.id,
            stamp: self.state.deviceApplicationStamp,
            after: transaction.records.journalSequence
        )
        transaction.write(.put(record.encoded(), for: StateKey.alias(record.id)))
        transaction.add(.alias(record))
        self.aliasCount += 1
        return record
    }

    // MARK: - The outbox

    /// Reads the outbox at its first use.
    ///
    /// - Returns: The outbox; an empty one, and true, if the record is damaged.
    /// - Throws: `newerFormat`, or an error of the disk that may pass.
    mutating func loadOutbox(
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> (outbox: Outbox, isDamaged: Bool) {
        let loaded = try self.outbox.load(current: self.mpid, &transaction)
        transaction.step(&self, ifRefused: .isReported)
        return loaded
    }

    /// Ends an entry of the outbox for a service.
    ///
    /// - Returns: The entries that have ended with it, in order.
    mutating func endOutboxEntry(
        _ entry: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ transaction: inout InstallationTransaction
    ) -> [OutboxEntry] {
        // Retired: the next object of the installation reports it.
        guard !self.phase.isRetired else { return [] }
        let ended = self.outbox.end(entry, service, &transaction)
        if !ended.isEmpty { transaction.step(&self, ifRefused: .isReported) }
        return ended
    }
}

// MARK: - Editing

extension InstallationMachine {
    /// Saves changes of a user's attributes and consent together, and logs those of attributes.
    ///
    /// - Parameters:
    ///   - editor: The changes, made on a snapshot of the user.
    ///   - transaction: The transaction.
    /// - Returns: Nil if they are saved; an editor of the user as of now if the snapshot is out of date.
    /// - Throws: `closed`, `noUser`, `optedOut`, `invalidArgument`; nothing was changed.
    mutating func save(
        _ editor: UserEditor,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> UserEditor? {
        try self.requireOpen()
        guard let current = UserEditor(of: editor.mpid, in: self.state.directory) else { throw .noUser }
        guard current.base == editor.base else { return current }
        let attributes = editor.edited.attributes
        if !attributes.events.isEmpty, self.isOptedOut { throw .optedOut }
        if attributes.hasSet, let violation = UserLimits.violation(of: attributes.attributes) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        let isConsentChanged = editor.edited.consent != editor.base.consent
        let consent = try editor.edited.consent?.checked(now: transaction.moment.now.milliseconds)
        guard isConsentChanged || !attributes.events.isEmpty else { return nil }
        self.state.directory.take(attributes, of: editor.mpid)
        // After the attributes, which bring the number of their last removal.
        if isConsentChanged { self.state.setConsent(consent, of: editor.mpid) }
        self.saveIdentity(&transaction)
        transaction.step(&self)
        self.log(attributes.events.map { UserUpdate($0, of: editor.mpid) }, &transaction)
        return nil
    }
}
