// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// One installation in memory: its machine in a store, and the manager of its identity calls.
///
/// All handles of an id share one object. It lives while a handle, a live session or a request of it does. It decides nothing: it asks
/// the machine and does what follows a transaction.
final class InstallationCore: Sendable {
    let id: InstallationID
    let context: RuntimeContext
    let managers: RuntimeManagers
    let registry: InstallationRegistry
    let store: any InstallationStore
    private let parts = Locked(Parts())

    /// Parts that most of a million installations never need, made at their first use.
    private struct Parts {
        /// Runs the identity calls.
        var identity: IdentityManager?
        /// The managers of the services that were used.
        var linked: [IdentitySyncOutcome.Service: any LinkedManager] = [:]
    }

    /// Makes the object of an installation; the caller guarantees one object per id.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - restored: The facts that `open` found.
    ///   - earlierRequest: The identity request in progress of the objects before this one.
    ///   - registry: The registry that holds it, notified when it closes.
    ///   - managers: The runtime's managers.
    ///   - context: The parts that the runtime shares.
    ///   - makeStore: Makes the place of the machine.
    init(
        id: InstallationID,
        _ restored: RestoredInstallation,
        after earlierRequest: Promise<Void>?,
        registry: InstallationRegistry,
        managers: RuntimeManagers,
        context: RuntimeContext,
        makeStore: (InstallationMachine, InstallationWriter) -> any InstallationStore
    ) {
        let (machine, start) = restored.begin(context)
        self.id = id
        self.registry = registry
        self.managers = managers
        self.context = context
        self.store = makeStore(machine, InstallationWriter(id: id, context: context, managers: managers))
        // The next object of the id asks the manager for the request that it must await.
        guard start != nil || earlierRequest != nil else { return }
        let identity = IdentityManager(of: self, start: start, after: earlierRequest)
        self.parts.withLock { $0.identity = identity }
    }

    /// Runs the identity calls; made by the first call.
    var identity: IdentityManager {
        self.parts.withLock { parts in
            if let identity = parts.identity { return identity }
            let identity = IdentityManager(of: self)
            parts.identity = identity
            return identity
        }
    }

    /// The manager of the identity calls; nil before the first call.
    var identityIfMade: IdentityManager? {
        self.parts.withLock { $0.identity }
    }

    // MARK: - Facts

    /// The users, consent and devices.
    var identityState: IdentityState {
        self.store.read { $0.identity.state }
    }

    var currentSession: Session? {
        self.store.read { $0.sessions.current }
    }

    var phase: InstallationMachine.Phase {
        self.store.read { $0.phase }
    }

    /// True if the registry must keep it in memory.
    var needsHolding: Bool {
        self.store.read { $0.needsHolding }
    }

    // MARK: - Transactions

    /// Decides, commits, and does what follows.
    ///
    /// - Returns: The value of `body`.
    /// - Throws: The error of `body`, or that of a write that the call needs.
    @discardableResult
    func transact<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        do throws(SignetError) {
            let commit = try self.store.transact(body)
            self.follow(commit)
            if let failure = commit.failure { throw failure }
            return commit.value
        } catch {
            self.context.health.refused(error.code)
            throw error
        }
    }

    /// The same for a change that all replicas must see.
    ///
    /// - Parameters:
    ///   - token: The slot that the caller must still have; nil for none.
    ///   - decides: True if the body begins or ends sessions.
    ///   - confirms: True if a shared row is read again before a change counts as none.
    ///   - began: The uptime at which an open was called that makes the change; nil for other calls.
    ///   - body: Decides; may run more than once.
    /// - Returns: The value of `body`.
    /// - Throws: As ``transact(_:)``; the errors of a shared store.
    @discardableResult
    nonisolated(nonsending) func commit<Value>(
        fencedBy token: UUID? = nil,
        decides: Bool = false,
        confirms: Bool = true,
        ofOpenSince began: Duration? = nil,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        do throws(SignetError) {
            let commit = try await self.store.commit(
                fencedBy: token,
                decides: decides,
                confirms: confirms,
                ofOpenSince: began,
                body
            )
            self.follow(commit)
            if let failure = commit.failure { throw failure }
            return commit.value
        } catch {
            self.context.health.refused(error.code)
            throw error
        }
    }

    /// The same for a change without a waiting caller: an error is reported.
    func transactOrReport(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Void
    ) {
        do throws(SignetError) {
            try self.transact(body)
        } catch {
            self.context.reportNotSaved(self.id, error)
        }
    }

    /// Does what follows a transaction; the lock of the installation is free.
    ///
    /// - Parameters:
    ///   - commit: The transaction.
    ///   - wakes: False if the caller wakes the queue of events, once for many transactions.
    func follow<Value>(_ commit: InstallationCommit<Value>, wakes: Bool = true) {
        for resumption in commit.resumptions { resumption.resume() }
        if let error = commit.notSaved { self.context.reportNotSaved(self.id, error) }
        if let error = commit.lostEvent {
            self.context.countRefusal(error.code)
            self.context.observer.eventRefused(installation: self.id, error: error)
        }
        if commit.usersDropped > 0 {
            self.context.statistics.record { $0.usersDropped += commit.usersDropped }
            self.context.observer.usersDropped(commit.usersDropped, installation: self.id)
        }
        if wakes, commit.marks.contains(.hasEvents) { self.context.ingress.eventLogged() }
        if commit.marks.contains(.becameDurable) { self.registry.becameDurable(self) }
        if commit.marks.contains(.isHoldingChanged) { self.registry.reconsider(self) }
        for effect in commit.effects {
            switch effect {
            case .watch(let deadline): self.managers.sessions.watch(self, until: deadline)
            case .optedOut:
                self.context.ingress.optedOut(self.number)
                self.managers.aliases.wake()
            case .alias, .aliasesOptedOut: self.managers.aliases.wake()
            case .attributed(let mpid, let last) where self.number != 0:
                self.context.ingress.attributed(self.number, to: mpid, upTo: last)
            case .superseded(let entry):
                for service in entry.services { self.publishSyncOutcome(entry, service, .superseded) }
            case .userChange, .sessionChange, .reset, .attributed: break
            }
        }
    }

    // MARK: - Life

    /// Closes the installation after a clean exit of its app.
    func close() {
        self.exit()
        self.registry.close(self)
        // Folds events logged meanwhile: nothing is logged from now on, and it may leave memory.
        self.foldNow()
    }

    /// Records a clean exit of the app; in application mode, the session can time out from now on.
    func exit() {
        let rules = self.context.sessionRules
        guard rules.mode == .application || rules.reportsApplicationState else {
            self.foldNow()
            return
        }
        do throws(SignetError) {
            try self.advance { sessions, now, timeout in sessions.exit(at: now, timeout) }
        } catch {
            // Opted out or already closed, there is nothing to write; any other error comes from the disk.
            if error.code != .optedOut, error.code != .closed { self.context.reportNotSaved(self.id, error) }
        }
        self.saveLaunch(isClosedInOrder: true)
        self.foldNow()
    }

    /// Marks the installation as closed, for the registry.
    ///
    /// - Returns: True if it was open until now.
    func markClosed() -> Bool {
        self.store.update { $0.close() }
    }

    /// Retires it without ending anything: the next open continues from the disk.
    func retire() {
        self.store.update { $0.retire() }
    }

    // MARK: - Managers of services

    /// The manager of a service; nil before its first use.
    func manager(of service: IdentitySyncOutcome.Service) -> (any LinkedManager)? {
        self.parts.withLock { $0.linked[service] }
    }

    /// Keeps the manager of a service.
    ///
    /// - Returns: False if the installation is retired.
    func keep(_ manager: any LinkedManager, of service: IdentitySyncOutcome.Service) -> Bool {
        self.parts.withLock { parts in
            guard !self.isRetired else { return false }
            parts.linked[service] = manager
            return true
        }
    }
}
