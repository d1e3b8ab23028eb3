// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension InstallationOpening {
    /// Opens an installation whose row several processes share.
    ///
    /// One reading; a commit follows if there is no row, if a session begins or ends, and once a week. The row is made before a first
    /// event: all replicas must agree on its stamp, from which the first session's id follows. An object whose row was removed is
    /// replaced: the id is a new installation.
    ///
    /// With ``FleetConfiguration/Unreachable/logOnly`` neither a reading nor a commit that the store does not carry out fails the open: the
    /// object says what was last read, and without a row its events wait for the next reading.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - request: The arguments of the open.
    ///   - fleet: The shared store.
    /// - Returns: The object in memory, with what the row says.
    /// - Throws: As `SignetRuntime.open`; the errors of the shared store.
    nonisolated(nonsending) func open(
        _ id: InstallationID,
        _ request: Request,
        in fleet: FleetMember
    ) async throws(SignetError) -> InstallationCore {
        let context = try self.validated(id, request)
        let ownContexts = self.context.ownContexts
        let chosen = try context.map { context throws(SignetError) in try ownContexts.pin(context) }
        defer { chosen.map(ownContexts.unpin) }
        let began = fleet.time.uptime
        for _ in 0..<SharedInstallationStore.tries {
            let reading = try await self.reading(of: id, in: fleet)
            defer { if reading != nil { fleet.leaveOpen() } }
            let core = try self.registry.open(id) { _, earlier throws(SignetError) in
                self.makeShared(id, request, earlier)
            }.core
            guard let store = core.store.shared else { return core }
            do throws(SignetError) {
                store.want(request.identify.pending)
                let isRead = try await self.take(reading, store, in: fleet)
                try store.noteWish()
                if isRead { try await self.beginIfPossible(core, store, request, since: began, in: fleet) }
                if let chosen { try core.setContext(chosen) }
                return core
            } catch {
                // The row was removed since it was last read: the next turn finds no object, and makes one.
                guard store.isGone else { throw error }
            }
        }
        throw .storeBusy
    }

    /// Reads the row; nil if the store is away and events may be logged without it.
    private nonisolated(nonsending) func reading(
        of id: InstallationID,
        in fleet: FleetMember
    ) async throws(SignetError) -> FleetMember.Answer<SharedInstallation?>? {
        do throws(SignetError) {
            return try await fleet.read(SharedIDs.key(of: Array(id.rawValue.utf8)), for: .open)
        } catch {
            guard fleet.opensWithoutStore(after: error) else { throw error }
            return nil
        }
    }

    /// Takes over a reading.
    ///
    /// - Returns: False if the store is away, and events may be logged without it.
    private nonisolated(nonsending) func take(
        _ reading: FleetMember.Answer<SharedInstallation?>?,
        _ store: SharedInstallationStore,
        in fleet: FleetMember
    ) async throws(SignetError) -> Bool {
        guard let reading else { return false }
        guard try !store.take(reading) else { return true }
        do throws(SignetError) {
            try await store.refresh()
            return true
        } catch {
            guard fleet.opensWithoutStore(after: error) else { throw error }
            return false
        }
    }

    /// Makes the row, ends a session that is over and begins the next; a later open does if the store is away and events may be logged
    /// without it.
    private nonisolated(nonsending) func beginIfPossible(
        _ core: InstallationCore,
        _ store: SharedInstallationStore,
        _ request: Request,
        since began: Duration,
        in fleet: FleetMember
    ) async throws(SignetError) {
        do throws(SignetError) {
            try await self.begin(core, store, request, since: began, goesOn: fleet.whenUnreachable == .logOnly)
        } catch {
            guard fleet.opensWithoutStore(after: error), !store.isGone else { throw error }
        }
    }

    private nonisolated(nonsending) func begin(
        _ core: InstallationCore,
        _ store: SharedInstallationStore,
        _ request: Request,
        since began: Duration,
        goesOn: Bool
    ) async throws(SignetError) {
        guard !store.isGone else { throw .closed }
        if store.hasRow { try Self.check(request.deviceApplicationStamp, against: core.identityState) }
        try await core.openShared(ofOpenSince: began, goesOn: goesOn)
        if core.identityState.directory.current == nil, !core.isOptedOut, let call = request.identify.callOfUnknown {
            core.identity.askAgain(request.retry, call)
        }
        core.resumeFacts()
    }

    /// The object of an installation for due work, with what its row says.
    ///
    /// It makes no row and notes no use: a request takes a slot in the row first, which makes one where none is.
    ///
    /// - Returns: Nil if the row that the number belongs to is gone.
    /// - Throws: The error of the disk; those of the shared store.
    func wakeShared(_ number: UInt32) async throws(SignetError) -> InstallationCore? {
        guard let id = try self.context.numbers.installation(number) else { return nil }
        let core = try self.registry.wake(id) { earlier in
            let state = IdentityState(deviceApplicationStamp: .random(), now: self.context.time.milliseconds)
            return self.makeCore(id, RestoredInstallation(state: state), after: earlier)
        }
        guard let core, let store = core.store.shared else { return nil }
        try await store.refresh()
        // Events of a row that is gone are dropped: nobody makes the visitor anew for them. A reading takes their number from the object.
        return store.isGone || core.identityState.number != number ? nil : core
    }

    private func makeShared(_ id: InstallationID, _ request: Request, _ earlier: Promise<Void>?) -> InstallationCore {
        let state = IdentityState(
            deviceApplicationStamp: request.deviceApplicationStamp ?? .random(),
            now: self.context.time.milliseconds
        )
        return self.makeCore(id, RestoredInstallation(state: state), after: earlier)
    }
}

extension IdentifyPolicy {
    /// The call where no replica knows a user: no policy identifies a user who is known.
    fileprivate var callOfUnknown: IdentityCall? {
        switch self {
        case .none: nil
        case .oncePerProcess, .ifUnknown: .startIfUnknown(nil)
        case .request(let request): .start(request)
        }
    }
}

extension InstallationCore {
    /// Makes the row if there is none, ends a session that is over, and begins the next if opens do.
    ///
    /// It notes the use, once a week: a visitor who comes and does nothing else is not idle. A session that is over stays while a replica may have untold events of it. Then one that looks at rows ends it, and the first
    /// event here begins the next.
    ///
    /// - Parameters:
    ///   - began: The uptime at which the open was called; nil for calls that are no open.
    ///   - goesOn: True if the caller goes on without the change: it is sent once only.
    /// - Throws: ``SignetError``: `closed`, and those of the shared store; `storeBusy` if the store would answer an open too late.
    nonisolated(nonsending) func openShared(
        ofOpenSince began: Duration? = nil,
        goesOn: Bool = false
    ) async throws(SignetError) {
        let consent = self.context.configuration.defaultConsent
        let told = try await self.store.shared?.told(ofOpenSince: began) ?? .min
        try await self.commit(decides: true, confirms: false, ofOpenSince: began) {
            machine,
            transaction throws(SignetError) in
            transaction.makeRow()
            if goesOn { transaction.sendOnce() }
            try machine.openShared(defaultConsent: consent, told: told, &transaction)
        }
    }

    /// Reads the row again.
    ///
    /// - Parameter purpose: The use of the row.
    /// - Throws: ``SignetError``: `closed`, and those of the shared store.
    nonisolated(nonsending) func refresh(for purpose: RowReader.Purpose = .call) async throws(SignetError) {
        guard let store = self.store.shared else { return }
        guard self.phase == .open else { throw .closed }
        try await store.refresh(for: purpose)
        guard !store.isGone else { throw .closed }
        if !store.hasRow { try await self.openShared() }
    }
}

extension InstallationMachine {
    /// Opens an installation with a shared row: notes the use, ends a session that is over, and begins the next.
    mutating func openShared(
        defaultConsent consent: ConsentState?,
        told: Int64,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        try self.requireOpen()
        if let consent {
            let known = transaction.sharedConsents
            try self.state.setDefaultConsent(try consent.checked(now: transaction.moment.now.milliseconds)) { mpid in
                known[mpid]?.record.answered != nil
            }
        }
        self.shared.value.noteUse(at: transaction.moment.now.milliseconds)
        guard !self.isOptedOut else { return }
        let newID = transaction.moment.newSessionID
        let limited = transaction.moment.limited(to: told)
        try self.advance(&transaction) { sessions, now, timeout in
            let actions = sessions.timeOut(at: limited, timeout)
            return sessions.rules.begins(at: nil) ? actions + sessions.begin(at: now, newID: newID) : actions
        }
    }
}
