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
        let before = self.state
        self.state.directory.take(editor, of: target)
        try self.saveIdentity(makingRoomFor: target, from: before, &transaction)
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

    /// Sets or removes the consent of the addressed user.
    ///
    /// - Parameters:
    ///   - consent: The consent; nil removes it.
    ///   - mpid: The user's MPID; nil before the first user.
    ///   - consents: The latest consents of users; nil if the user has no record.
    ///   - transaction: The transaction.
    /// - Throws: `closed`, `noUser`, an error of the disk.
    mutating func setConsent(
        _ consent: ConsentState?,
        of mpid: MPID?,
        in consents: (any ConsentRecords)?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        try self.requireOpen()
        let target = self.state.directory.addressee(mpid)
        if let target, self.state.directory.entries[target] == nil { throw .noUser }
        let answer = try self.record(consent, of: target, in: consents, transaction)
        try self.follow(answer, consent, of: target, in: consents, transaction.moment)
        // An answer about consent is never refused for lack of room.
        try self.saveIdentity(makingRoomFor: target, from: nil, &transaction)
    }

    /// Sets or removes the consent for all users.
    ///
    /// - Parameters:
    ///   - consent: The consent; nil removes it, and the answers of users that it superseded count as given now.
    ///   - consents: The latest consents of users; nil if the store has them, which was asked before.
    ///   - transaction: The transaction.
    /// - Throws: `closed`, an error of the disk.
    mutating func setInstallationConsent(
        _ consent: ConsentState?,
        in consents: (any ConsentRecords)?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        try self.requireOpen()
        guard consent != self.state.consent else { return }
        let users = self.state.directory.entries.filter { !$0.value.isEphemeral }.keys.sorted()
        let moment = transaction.moment.userFacts == .all ? nil : self.state.consentMoment
        var last: Int64 = 0
        for mpid in users {
            if consent == nil { try consents?.renew(mpid, after: moment) }
            let record = try consents?.record(of: mpid) ?? transaction.sharedConsents[mpid]?.record
            last = max(last, record?.lastVersion ?? 0)
        }
        self.state.setInstallationConsent(consent, at: max(transaction.moment.now.milliseconds, last + 1))
        self.saveIdentity(&transaction)
    }

    /// Takes an answer of a user into their record first, so that after a kill in between it counts for all
    /// installations.
    ///
    /// Before that the disk says that this installation owes an answer: whatever ends the call after the record, the platform gets it.
    ///
    /// - Returns: The fate of the answer; nil if the user has no record.
    private func record(
        _ consent: ConsentState?,
        of mpid: MPID?,
        in consents: (any ConsentRecords)?,
        changing base: Int64? = nil,
        _ transaction: borrowing InstallationTransaction
    ) throws(SignetError) -> UserConsents.Answer? {
        guard let consents, let mpid, let entry = self.state.directory.entries[mpid], !entry.isEphemeral
        else { return nil }
        let known = consent?.isEmpty == true ? nil : consent
        let answer = ConsentAnswer(
            consent: known,
            known: entry.consent,
            base: base,
            after: self.state.consentMoment
        )
        let now = transaction.moment.now.milliseconds
        if transaction.scope.key == nil, !self.isUnsaved,
            case .record = answer.meaning(for: mpid, on: try consents.record(of: mpid), at: now)
        {
            var owing = self.state
            owing.oweConsent(of: mpid)
            // Without a record this one would be sent.
            owing.directory.entries[mpid]?.consent = known
            try transaction.records.save(owing)
        }
        return try consents.take(answer, of: mpid)
    }

    /// Takes an answer of a user over from their record.
    private mutating func follow(
        _ answer: UserConsents.Answer?,
        _ consent: ConsentState?,
        of mpid: MPID?,
        in consents: (any ConsentRecords)?,
        _ moment: InstallationMoment
    ) throws(SignetError) {
        switch answer {
        case nil: self.state.setConsent(consent, of: mpid, carrying: moment.userFacts)
        case .taken?: self.state.setConsent(consent, of: mpid, isNew: true, carrying: moment.userFacts)
        case .same?:
            // A call before this one may have died between the record and the installation.
            guard let mpid, let latest = try consents?.latest(of: mpid) else { return }
            self.state.follow(latest)
            if latest.isUnsent { self.state.oweConsent(of: mpid) }
        case .outdated?: return
        }
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
            after: transaction.records.journalSequence,
            at: transaction.moment.now.milliseconds
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
    ///   - consents: The latest consents of users; nil if the user has no record.
    ///   - transaction: The transaction.
    /// - Returns: Nil if they are saved; an editor of the user as of now if the snapshot is out of date.
    /// - Throws: `closed`, `noUser`, `optedOut`, `invalidArgument`; nothing was changed.
    mutating func save(
        _ editor: UserEditor,
        in consents: (any ConsentRecords)?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> UserEditor? {
        try self.requireOpen()
        let latest = try consents?.latest(of: editor.mpid)
        guard let current = UserEditor(of: editor.mpid, in: self.state.directory, latest) else { throw .noUser }
        guard current.base == editor.base else { return current }
        let attributes = editor.edited.attributes
        let consent = try self.check(editor, now: transaction.moment.now.milliseconds)
        let isConsentChanged = editor.isConsentChanged
        guard isConsentChanged || !attributes.events.isEmpty else { return nil }
        let before = attributes.events.isEmpty ? nil : self.state
        if isConsentChanged, before != nil {
            // The record of the user takes the consent for good, so a lack of room must show first.
            var (trial, scratch) = (self, transaction)
            trial.state.directory.take(attributes, of: editor.mpid)
            try trial.saveIdentity(makingRoomFor: editor.mpid, from: before, &scratch)
        }
        var answer: UserConsents.Answer?
        if isConsentChanged {
            let base = latest?.version ?? 0
            answer = try self.record(consent, of: editor.mpid, in: consents, changing: base, transaction)
            // Another installation has answered in this moment.
            guard answer != .outdated else {
                return UserEditor(of: editor.mpid, in: self.state.directory, try consents?.latest(of: editor.mpid))
            }
        }
        self.state.directory.take(attributes, of: editor.mpid)
        // After the attributes, which bring the number of their last removal.
        if isConsentChanged { try self.follow(answer, consent, of: editor.mpid, in: consents, transaction.moment) }
        try self.saveIdentity(makingRoomFor: editor.mpid, from: isConsentChanged ? nil : before, &transaction)
        transaction.step(&self)
        self.log(attributes.events.map { UserUpdate($0, of: editor.mpid) }, &transaction)
        return nil
    }

    /// Checks the changes of a user.
    ///
    /// - Returns: The consent, as it is kept.
    /// - Throws: `optedOut`, `invalidArgument`.
    func check(_ editor: UserEditor, now: Int64) throws(SignetError) -> ConsentState? {
        let attributes = editor.edited.attributes
        if !attributes.events.isEmpty, self.isOptedOut { throw .optedOut }
        if attributes.hasSet, let violation = UserLimits.violation(of: attributes.attributes) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        return try editor.edited.consent?.checked(now: now)
    }
}
