// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Manages the Infobip profile of one installation, as its state machine decides.
typealias InfobipManager = LinkedServiceDriver<InfobipAdapter>

/// The part of a profile's driver that knows Infobip.
struct InfobipAdapter: LinkedAdapter {
    typealias Machine = InfobipStateMachine

    /// The state that callers read without waiting for the driver.
    struct Snapshot: Sendable {
        let user: InfobipUser
        let installation: InfobipInstallation
        let pending: Pending
    }

    /// What has not reached the service.
    struct Pending: OptionSet, Sendable {
        let rawValue: UInt8

        /// The person of before has not left.
        static let depersonalization = Pending(rawValue: 1)
        /// Changes of the app; what waits for a person's return does not count.
        static let changes = Pending(rawValue: 2)
    }

    /// What is lost with the process: data that must not be on disk, tokens and waiting callers.
    struct State {
        /// Events that must not be on disk.
        var unwritten: [UInt64: [UInt8]] = [:]
        /// The memory as it was last persisted.
        var saved: InfobipMemory
        /// The person in front of the app at the last decision.
        var person: PersonScope.ID
        var promises: [Int: Promise<Result<InfobipSaveResult, SignetError>>] = [:]
        var tokens = TokenState()
        /// Distinguishes the job that counts one period of use from that of another.
        var activation = 0
    }

    static let service = IdentitySyncOutcome.Service.infobip

    let installation: InstallationID
    /// The id that the installation gave itself.
    let universalID: String
    let services: InfobipServices
    let store: InfobipStore
    /// The latest reported activity of the app.
    let use = Locked(false)

    var context: LinkedServiceContext { self.services.context }
    var followsLogin: Bool { self.services.followsLogin }

    static func snapshot(of machine: InfobipStateMachine) -> Snapshot {
        var pending: Pending = []
        if machine.isDepersonalizationPending { pending.insert(.depersonalization) }
        if machine.hasPendingChanges { pending.insert(.changes) }
        return Snapshot(user: machine.user, installation: machine.profile, pending: pending)
    }

    /// Restores the persisted state of a profile.
    ///
    /// - Throws: The error of the disk; `newerFormat` if only a newer version can read the record.
    func makeManager() throws(SignetError) -> InfobipManager {
        let configuration = self.services.configuration
        let application = InfobipApplication(code: configuration.applicationCode).hash
        let fresh = InfobipMemory(
            application: application,
            isPushRegistrationEnabled: configuration.isPushRegistrationEnabled
        )
        var memory = try self.store.load { self.context.reportDamage($0) } ?? fresh
        if memory.application != application {
            // Another application: only the device stays, and a registration that is no longer needed.
            let other = memory
            memory = fresh
            memory.token = other.token
            memory.former = other.former + (other.active.map { [$0.id] } ?? [])
            memory.nextEvent = other.nextEvent
            try self.store.save(memory)
            try self.store.remove(other.events)
            self.context.statistics.record { $0.infobipEventsDropped += other.events.count }
        }
        var machine = InfobipStateMachine(
            restoring: memory,
            systemHash: self.services.requests.systemHash(memory.pushService),
            fresh: fresh
        )
        machine.device = configuration.device
        return InfobipManager(self.installation, machine, State(saved: memory, person: memory.last.id), self)
    }

    // MARK: - Decisions

    func persist(_ actions: [Machine.Action], of machine: Machine, _ driver: isolated Driver) throws(SignetError) {
        guard !driver.isRetired else { return }
        for case .store(let event) in actions where self.store.persistsUser { try self.store.save(event) }
        if machine.memory != driver.state.saved {
            try self.store.save(machine.memory)
            driver.state.saved = machine.memory
        }
        for case .store(let event) in actions where !self.store.persistsUser {
            driver.state.unwritten[event.ordinal] = event.element
        }
    }

    func hasUnwritten(_ driver: isolated Driver) -> Bool {
        !self.store.persistsUser && driver.machine.memory.hasUnsentOfPeople
    }

    func rest(_ driver: isolated Driver) {
        guard self.store.isMarked, !driver.machine.memory.isDue else { return }
        do throws(SignetError) {
            try self.store.save(driver.machine.memory)
            driver.state.saved = driver.machine.memory
        } catch {
            // A visit for nothing.
            driver.reportNotSaved(error)
        }
    }

    /// Persists the decisions so far.
    ///
    /// - Returns: The error of the disk, if any; it is reported.
    @discardableResult
    func saveNow(_ driver: isolated Driver) -> SignetError? {
        do throws(SignetError) {
            try self.persist([], of: driver.machine, driver)
            return nil
        } catch {
            driver.reportNotSaved(error)
            return error
        }
    }

    /// Notifies subscribers, then answers callers.
    func perform(_ actions: [Machine.Action], _ driver: isolated Driver) {
        var ends: [(Promise<Result<InfobipSaveResult, SignetError>>, Result<InfobipSaveResult, SignetError>)] = []
        for action in actions {
            switch action {
            case .tell(let kind):
                let notice = InfobipUpdate(installation: self.installation, kind: kind)
                self.services.changes.send(notice, of: self.installation)
            case .end(let ticket, let result):
                if let promise = driver.state.promises.removeValue(forKey: ticket) { ends.append((promise, result)) }
            case .linked(let id, let kind): self.endOutboxEntry(id, kind, driver)
            case .remove(let ordinals): self.remove(ordinals, driver)
            case .drop(let ordinals):
                self.remove(ordinals, driver)
                self.count(events: ordinals.count)
            case .dropChanges(let count): self.count(changes: count)
            case .countRefused: self.context.statistics.record { $0.infobipChangesRefused += 1 }
            case .countRefusedEvents(let count): self.count(refused: count)
            case .save, .store: break
            }
        }
        for (promise, result) in ends { promise.resolve(result) }
        let person = driver.machine.memory.last.id
        if person != driver.state.person { driver.endTokenWait() }
        driver.state.person = person
    }

    private func count(changes: Int = 0, events: Int = 0) {
        guard changes + events > 0 else { return }
        self.context.statistics.record { statistics in
            statistics.infobipChangesDropped += changes
            statistics.infobipEventsDropped += events
        }
        for (count, kind) in [(changes, "change"), (events, "event")] where count > 0 {
            self.tellDropped(count, kind)
        }
    }

    private func count(refused events: Int) {
        self.context.statistics.record { $0.infobipEventsRefused += events }
        self.tellDropped(events, "event", cause: "rejected")
    }

    private func tellDropped(_ count: Int, _ kind: String, cause: String? = nil) {
        self.context.observer.serviceDataDropped(
            count,
            of: kind,
            service: .infobip,
            installation: self.installation,
            cause: cause
        )
    }

    /// Removes events that the persisted memory no longer counts.
    private func remove(_ ordinals: [UInt64], _ driver: isolated Driver) {
        for ordinal in ordinals { driver.state.unwritten[ordinal] = nil }
        guard !driver.isRetired else { return }
        do throws(SignetError) {
            try self.store.remove(ordinals)
        } catch {
            driver.reportNotSaved(error)
        }
    }

    // MARK: - Logins

    func follow(_ entry: OutboxEntry, in machine: inout Machine) -> [Machine.Action] {
        machine.follow(entry)
    }

    /// Reports an entry that was done if the process died before it was reported.
    func review(_ open: [OutboxEntry], of home: any LinkedHome, _ driver: isolated Driver) {
        let memory = driver.machine.memory
        guard !memory.hasLogin, let last = open.last, last.id == memory.followed else { return }
        home.endOutboxEntry(last, .infobip, .done)
    }

    /// Reports the outcome of a change of the user; earlier ones are superseded.
    private func endOutboxEntry(_ id: UUID, _ kind: IdentitySyncOutcome.Kind, _ driver: isolated Driver) {
        // The installation has left memory: a visit ends the entry.
        guard let home = driver.home.target else { return self.context.workIsLeft(self.store.number) }
        do throws(SignetError) {
            let open = try home.outbox().open(for: .infobip)
            if let entry = open.first(where: { $0.id == id }) { home.endOutboxEntry(entry, .infobip, kind) }
        } catch {
            self.context.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }
}

extension InfobipStateMachine: LinkedMachine {
    var followed: UUID? { self.memory.followed }
    var synced: SyncedUser? { self.memory.synced }
}
