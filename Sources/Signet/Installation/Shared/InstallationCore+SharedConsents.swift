// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Consents where a shared store has them: the record of the user first, then the row.
extension InstallationCore {
    /// Sets or removes the consent of the addressed user.
    nonisolated(nonsending) func setConsent(
        _ consent: ConsentState?,
        of mpid: MPID?,
        in shared: SharedInstallationStore
    ) async throws(SignetError) {
        let consent = consent?.isEmpty == true ? nil : consent
        while true {
            guard self.phase == .open else { throw .closed }
            let target = try await self.addressee(mpid, in: shared)
            var record: AnsweredConsent?
            if let target, let entry = self.identityState.directory.entries[target], !entry.isEphemeral {
                let moment = self.identityState.consentMoment
                let answer = ConsentAnswer(consent: consent, known: entry.consent, after: moment)
                try await self.owe(answer, of: target, in: shared)
                record = try await shared.record(answer, of: target)
            }
            let answered = record
            let isDone = try await self.afterRecord(answered) { () async throws(SignetError) in
                try await self.commit { machine, transaction throws(SignetError) in
                    // The first user has come since; then they are asked for their record.
                    guard target != nil || machine.state.directory.addressee(mpid) == nil else { return false }
                    try machine.setConsent(consent, of: target, in: answered, &transaction)
                    return true
                }
            }
            if isDone { return }
        }
    }

    /// Saves the changes of an editor.
    ///
    /// - Returns: Nil if they are saved; an editor of the user as of now if the user was changed meanwhile.
    nonisolated(nonsending) func save(
        _ editor: UserEditor,
        in shared: SharedInstallationStore
    ) async throws(SignetError) -> UserEditor? {
        guard self.phase == .open else { throw .closed }
        let mpid = editor.mpid
        var record = AnsweredConsent(mpid: mpid, latest: shared.latestConsent(of: mpid))
        let entry = self.identityState.directory.entries[mpid]
        if editor.isConsentChanged, let entry, !entry.isEphemeral {
            guard let current = self.editor(of: mpid) else { throw .noUser }
            guard current.base == editor.base else { return current }
            let consent = try self.checkedConsent(of: editor)
            let answer = ConsentAnswer(
                consent: consent?.isEmpty == true ? nil : consent,
                known: entry.consent,
                base: record.latest?.version ?? 0,
                after: self.identityState.consentMoment
            )
            try await self.owe(answer, of: mpid, in: shared)
            record = try await shared.record(answer, of: mpid) ?? record
            // Another installation has answered in this moment.
            guard record.answer != .outdated else { return self.editor(of: mpid) }
        }
        let answered = record
        let newer = try await self.afterRecord(answered) { () async throws(SignetError) in
            try await self.commit { machine, transaction throws(SignetError) in
                try machine.save(editor, in: answered, &transaction)
            }
        }
        guard newer != nil else { return nil }
        if answered.answer == .taken {
            // The user's attributes were changed meanwhile, and the record has the answer.
            try await self.afterRecord(answered) { () async throws(SignetError) in
                try await self.commit { machine, transaction throws(SignetError) in
                    try machine.changeState(&transaction) { $0.state.oweConsent(of: mpid) }
                }
            }
        }
        return self.editor(of: mpid)
    }

    /// Makes the answers of users count as given now that the consent of the installation has superseded, as it is
    /// removed; before the row says it.
    nonisolated(nonsending) func renewConsents(
        unless consent: ConsentState?,
        in shared: SharedInstallationStore
    ) async throws(SignetError) {
        guard self.phase == .open else { throw .closed }
        if !shared.isRead { try await shared.refresh() }
        let state = self.identityState
        guard consent == nil, state.consent != nil else { return }
        let moment = self.context.configuration.events.userFacts == .all ? nil : state.consentMoment
        let users = state.directory.entries.filter { !$0.value.isEphemeral }.keys.sorted()
        let answered = users.filter { shared.latestConsent(of: $0) != nil }
        if !answered.isEmpty {
            try await self.commit { machine, transaction throws(SignetError) in
                try machine.changeState(&transaction) { machine in
                    for mpid in answered { machine.state.oweConsent(of: mpid) }
                }
            }
        }
        for mpid in users { try await shared.renewConsent(of: mpid, after: moment) }
    }

    /// Records what the first user answered before anyone was known, at the moment of that answer.
    ///
    /// The outcome of the identity call is the platform's alone: an error is reported. The row owes the consent and
    /// sends it all the same.
    func recordAnonymousConsent(of before: UserDirectory) async {
        guard let shared = self.store.shared,
            let (mpid, consent) = before.anonymousAnswer(inheritedIn: self.identityState.directory)
        else { return }
        do throws(SignetError) {
            _ = try await shared.record(ConsentAnswer(consent: consent, moment: consent.newest), of: mpid)
        } catch {
            self.context.reportNotSaved(self.id, error)
        }
    }

    /// Lets the row say that it owes a consent, before the record of the user has the answer: whatever ends the call after
    /// that, the platform gets it.
    private nonisolated(nonsending) func owe(
        _ answer: ConsentAnswer,
        of mpid: MPID,
        in shared: SharedInstallationStore
    ) async throws(SignetError) {
        let latest = shared.latestConsent(of: mpid)
        guard case .record = answer.meaning(for: mpid, on: latest, at: self.context.time.milliseconds) else { return }
        try await self.commit { machine, transaction throws(SignetError) in
            try machine.changeState(&transaction) { machine in
                machine.state.oweConsent(of: mpid)
                // Without a record this one would be sent.
                if latest == nil { machine.state.directory.entries[mpid]?.consent = answer.consent }
            }
        }
    }

    /// The addressed user; the row is read if it was not, or does not know the user by the last reading.
    private nonisolated(nonsending) func addressee(
        _ mpid: MPID?,
        in shared: SharedInstallationStore
    ) async throws(SignetError) -> MPID? {
        let known = self.identityState.directory
        if let target = known.addressee(mpid), known.entries[target] != nil { return target }
        if mpid != nil || !shared.isRead { try await shared.refresh() }
        return self.identityState.directory.addressee(mpid)
    }

    private func editor(of mpid: MPID) -> UserEditor? {
        UserEditor(of: mpid, in: self.identityState.directory, self.latestConsent(of: mpid))
    }

    private func checkedConsent(of editor: UserEditor) throws(SignetError) -> ConsentState? {
        let now = self.context.time.milliseconds
        return try self.store.read { machine in
            Result { () throws(SignetError) in try machine.check(editor, now: now) }
        }
        .get()
    }

    /// Changes the row after the record; once that was written, an error leaves open what counts.
    private nonisolated(nonsending) func afterRecord<Value>(
        _ record: AnsweredConsent?,
        _ body: nonisolated(nonsending) () async throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        do throws(SignetError) {
            return try await body()
        } catch {
            guard record?.answer == .taken else { throw error }
            throw .storeOutcomeUnknown
        }
    }
}
