// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Opens installations: finds them in memory, restores them from disk or makes them, and begins their sessions.
struct InstallationOpening: Sendable {
    /// The arguments of `SignetRuntime.open`.
    struct Request {
        let identify: IdentifyPolicy
        let context: InstallationContext?
        let retry: RetryPolicy?
        let deviceApplicationStamp: UUID?
        let launchReferral: String?
        let installType: SignetConfiguration.Sessions.InstallType?
    }

    let context: RuntimeContext
    let managers: RuntimeManagers
    let registry: InstallationRegistry
    /// Makes the store of an installation's machine.
    let makeStore: InstallationStoreFactory

    /// Opens an installation; sends nothing before it returns.
    func open(_ id: InstallationID, _ request: Request) throws(SignetError) -> InstallationCore {
        let context = try self.validated(id, request)
        // Checked before anything is released for an open that is then refused.
        if let present = self.registry.find(id) {
            try Self.check(request.deviceApplicationStamp, against: present.identityState)
        }
        // Damage found under the lock of the registry is reported after the lock is released.
        var damage: [String] = []
        var begun: (core: InstallationCore, commit: InstallationCommit<Void>, isLaunch: Bool)?
        defer {
            for description in damage { self.context.reportDamage(description) }
            if let begun { begun.core.follow(begun.commit) }
        }
        let ownContexts = self.context.ownContexts
        var chosen: UInt32?
        defer { chosen.map(ownContexts.unpin) }
        let (core, _) = try self.registry.open(id, identifiesOnce: request.identify.isOnce) {
            isLaunch,
            earlierRequest throws(SignetError) in
            let (restored, launch) = try self.restore(id, request, context, isLaunch: isLaunch, &damage)
            // A new installation holds it: it is on disk with the installation's first record.
            if restored.unsaved == nil {
                chosen = try context.map { context throws(SignetError) in try ownContexts.pin(context) }
            }
            let core = self.makeCore(id, restored, after: earlierRequest)
            let transition = SessionTransition(
                launch: launch?.launch,
                referral: request.launchReferral,
                context: chosen
            )
            do throws(SignetError) {
                let commit = try core.store.transact { machine, transaction throws(SignetError) in
                    try machine.begin(transition, &transaction)
                }
                begun = (core, commit, isLaunch)
                if let failure = commit.failure { throw failure }
                // Written after the launch event: a process that dies in between logs a first run twice rather than never.
                if let launch, core.number != 0 {
                    try self.context.store.put(launch.record.encoded(), for: StateKey.launch(id))
                }
            } catch {
                // The object is not returned: the next open finds the part that the disk has accepted, as after a kill.
                core.retire()
                self.context.sessionRecovery.evicted(core.number)
                // The disk may have taken the begin of a session that no object watches now.
                if core.number != 0 { self.context.dueWork.report { $0.leftOpen.append(core.number) } }
                throw error
            }
            return core
        }
        self.noteUse(of: core)
        if let begun {
            core.identityIfMade?.submitStart()
            for service in self.managers.linked.all { service.resume(core, isLaunch: begun.isLaunch) }
            core.resumeFacts()
        } else {
            try Self.check(request.deviceApplicationStamp, against: core.identityState)
            if let context { try core.setContext(ofOpen: context) }
            try core.setPendingIdentify(request.identify.pending)
            if request.identify.isIfUnknown, core.identityState.directory.current == nil {
                core.identity.askAgain(request.retry)
            }
        }
        return core
    }

    /// Notes an open that leaves no other trace on disk, so that an installation in use is never idle.
    private func noteUse(of core: InstallationCore) {
        let number = core.number
        let now = self.context.time.milliseconds
        // The record of a session says when it was, if the clock is right.
        guard self.context.fleet == nil, number != 0, core.currentSession == nil || self.context.uses.isBehind(now)
        else { return }
        do throws(SignetError) {
            try self.context.uses.note(number, now: now)
        } catch {
            self.context.reportNotSaved(core.id, error)
        }
    }

    /// Checks the arguments.
    ///
    /// - Returns: The context to set, if any.
    /// - Throws: `invalidArgument`.
    func validated(_ id: InstallationID, _ request: Request) throws(SignetError) -> InstallationContext? {
        guard id.isValid else {
            throw SignetError(
                .invalidArgument,
                "An installation id has 1 to \(InstallationID.maximumLength) bytes and no control characters."
            )
        }
        if case .request(let identity) = request.identify { try identity.validate() }
        try request.retry?.validate()
        return try request.context?.validated()
    }

    /// Makes the object of an installation, in the registry's care.
    func makeCore(
        _ id: InstallationID,
        _ restored: RestoredInstallation,
        after earlierRequest: Promise<Void>?
    ) -> InstallationCore {
        InstallationCore(
            id: id,
            restored,
            after: earlierRequest,
            registry: self.registry,
            managers: self.managers,
            context: self.context,
            makeStore: self.makeStore
        )
    }

    // MARK: - Restoring

    /// Reads an installation from disk, or makes a new one in memory.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - request: The arguments of the open.
    ///   - context: The context to set, if any.
    ///   - isLaunch: True for the first open of the app's launch.
    ///   - damage: Descriptions of damage, for a report after the registry's lock is released.
    /// - Returns: The facts, and the launch with its record if launches are reported.
    /// - Throws: The error of the disk; `invalidArgument` for another stamp.
    private func restore(
        _ id: InstallationID,
        _ request: Request,
        _ context: InstallationContext?,
        isLaunch: Bool,
        _ damage: inout [String]
    ) throws(SignetError) -> (facts: RestoredInstallation, launch: (record: LaunchRecord, launch: LaunchRecord.Launch)?)
    {
        try self.managers.finishState(of: id, self.context)
        var state = try self.restoreUsers(id, request.deviceApplicationStamp, &damage)
        let isSaved = state.number != 0
        // Before events of this process: an opt-in's event must not come after those that it allows.
        if isSaved { try DueOptOutEvents(context: self.context).log(of: id, state) }
        let before = state
        try self.applyDefaultConsent(to: &state)
        if state.directory.current == nil { state.pendingIdentify = request.identify.pending }
        if isSaved, state != before { try self.context.store.put(state, of: id) }
        // Its events may have waited for the app until now.
        if isSaved, state.pendingIdentify != nil, before.pendingIdentify == nil {
            self.context.dueWork.report { [number = state.number] in $0.identified.append(number) }
        }
        let record = try self.sessionRecord(of: id, state.number, &damage)
        // A choice without an installation is what an earlier one with a damaged record left.
        let choice = isSaved ? try self.bytes(for: StateKey.chosenContext(id), "the context", &damage) : nil
        let own = choice.map(InstallationContexts.number) ?? 0
        let hasUser = state.directory.current != nil
        let pause = request.identify.isIfUnknown && !hasUser ? self.context.identifyPause(of: id) : nil
        let type = request.installType ?? self.context.configuration.sessions.installType
        let launch =
            try isLaunch ? self.launch(id, context, own, type: type, isOptedOut: state.isOptedOut, &damage) : nil
        let facts = RestoredInstallation(
            state: state,
            unsaved: isSaved ? nil : UnsavedInstallation(context: context),
            record: record,
            own: own,
            start: request.identify.call(isLaunch: isLaunch, hasUser: hasUser, isPaused: pause != nil),
            pause: pause,
            retry: request.retry
        )
        return (facts, launch)
    }

    /// Reads the users of an installation.
    ///
    /// - Returns: The users; those of a new installation have no number yet.
    private func restoreUsers(
        _ id: InstallationID,
        _ stamp: UUID?,
        _ damage: inout [String]
    ) throws(SignetError) -> IdentityState {
        let damageBefore = damage.count
        if let state = try self.storedState(of: id, &damage) {
            try Self.check(stamp, against: state)
            try self.context.numbers.confirm(state.number, of: id)
            return state
        }
        var state = IdentityState(
            deviceApplicationStamp: stamp ?? .random(),
            now: self.context.configuration.time.milliseconds
        )
        guard damage.count > damageBefore else { return state }
        // At once, so that the damage is reported once. The known context is of another user, damaged, or of an erased user.
        try self.context.ownContexts.choose(0, for: id)
        // The opening record precedes the first event of the installation.
        state.number = try self.context.numbers.assign(to: id)
        try self.context.store.put(state, of: id)
        return state
    }

    /// Applies the configured consent if none is known.
    private func applyDefaultConsent(to state: inout IdentityState) throws(SignetError) {
        guard let consent = self.context.configuration.defaultConsent else { return }
        let checked = try consent.checked(now: self.context.configuration.time.milliseconds)
        try state.setDefaultConsent(checked) { mpid throws(SignetError) in
            try self.context.latestConsent(of: mpid) != nil
        }
    }

    static func check(_ stamp: UUID?, against state: IdentityState) throws(SignetError) {
        guard let stamp, stamp != state.deviceApplicationStamp else { return }
        throw SignetError(
            .invalidArgument,
            "The installation has another device application stamp. Call `open` without a stamp to use the existing one."
        )
    }

    /// Reads an installation's record; a damaged one is quarantined and reported, and the installation begins anew.
    func storedState(of id: InstallationID, _ damage: inout [String]) throws(SignetError) -> IdentityState? {
        let key = StateKey.identity(id)
        do throws(SignetError) {
            guard let bytes = try self.context.store.value(for: key) else { return nil }
            do throws(SignetError) {
                return try IdentityState(decoding: bytes)
            } catch {
                guard error.code != .newerFormat else { throw error }
                try self.context.store.put(bytes, for: StateKey.unreadable(key))
                damage.append("The record of an installation cannot be read. It was quarantined.")
                return nil
            }
        } catch {
            guard error.isDamage else { throw error }
            damage.append("The record of an installation is damaged: \(error.message)")
            return nil
        }
    }

    func sessionRecord(
        of id: InstallationID,
        _ number: UInt32,
        _ damage: inout [String]
    ) throws(SignetError) -> SessionRecord? {
        let bytes = try self.bytes(for: StateKey.session(id), "the sessions", &damage)
        if let record = bytes.map({ SessionRecord($0) }) ?? .empty {
            return try self.context.sessionRecovery.complete(number, record)
        }
        guard let bytes else { return nil }
        try self.context.store.put(bytes, for: StateKey.unreadable(StateKey.session(id)))
        damage.append(
            "The session record of an installation cannot be read. It was quarantined; its open session gets no end."
        )
        return nil
    }

    /// The launch and its record; nil if launches are not reported.
    private func launch(
        _ id: InstallationID,
        _ context: InstallationContext?,
        _ own: UInt32,
        type: SignetConfiguration.Sessions.InstallType,
        isOptedOut: Bool,
        _ damage: inout [String]
    ) throws(SignetError) -> (record: LaunchRecord, launch: LaunchRecord.Launch)? {
        guard self.context.sessionRules.reportsApplicationState, !isOptedOut else { return nil }
        let bytes = try self.bytes(for: StateKey.launch(id), "the launches", &damage)
        let record = bytes.flatMap { LaunchRecord($0) }
        if bytes != nil, record == nil {
            damage.append(
                "The launch record of an installation cannot be read. This launch counts as the first."
            )
        }
        return LaunchRecord.launch(
            after: record,
            type,
            try self.application(context, own, &damage) ?? self.context.configuration.application,
            now: self.context.configuration.time.milliseconds
        )
    }

    /// The installation's own app: from the given context, or from the previous one.
    private func application(
        _ context: InstallationContext?,
        _ own: UInt32,
        _ damage: inout [String]
    ) throws(SignetError) -> ApplicationInformation? {
        if let context { return context.application }
        guard own != 0 else { return nil }
        return try self.bytes(for: StateKey.ownContext(own), "the context", &damage).map { BatchContext($0) }?
            .application
    }

    func bytes(
        for key: [UInt8],
        _ what: String,
        _ damage: inout [String]
    ) throws(SignetError) -> [UInt8]? {
        do throws(SignetError) {
            return try self.context.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            damage.append("The record of \(what) of an installation is damaged: \(error.message)")
            return nil
        }
    }
}
