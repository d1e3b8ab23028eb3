// SPDX-License-Identifier: Apache-2.0

package import SignetModel

package import struct FoundationEssentials.UUID

/// A service with one ``LinkedServiceDriver`` for each installation.
package protocol DrivenService: LinkedService {
    associatedtype Adapter: LinkedAdapter

    /// Its part of an installation, in reports.
    static var subject: String { get }

    var context: LinkedServiceContext { get }

    /// The drivers in memory.
    var managers: ManagerRegistry<LinkedServiceDriver<Adapter>> { get }

    /// Makes the driver of an installation from its records.
    ///
    /// - Throws: Errors of the disk; `newerFormat` for a record that only a newer version can read.
    func makeManager(
        of id: InstallationID,
        number: UInt32,
        stamp: UUID
    ) throws(SignetError) -> LinkedServiceDriver<Adapter>

    /// Notes that an installation got its driver.
    func follow(_ home: any FollowedInstallation, by manager: LinkedServiceDriver<Adapter>)

    /// Chooses the names by which the service knows its users, each with its kind; nil if the user has left.
    func names(in call: OutboxEntry.Call) -> [String]?

    /// Continues the work of an installation after a launch, an open or an opt-in.
    func resume(_ manager: LinkedServiceDriver<Adapter>) async
}

extension DrivenService {
    package typealias Manager = LinkedServiceDriver<Adapter>

    package var linkedManagers: [any LinkedManager] { self.managers.all }

    package func removeManager(of id: InstallationID) -> (any LinkedManager)? {
        self.managers.remove(id)
    }

    /// The driver of an installation; made at first use, shared with earlier objects of the installation.
    ///
    /// The installation is on disk from then on: the driver writes under its number.
    package func manager(of home: any FollowedInstallation) throws(SignetError) -> Manager {
        if let known = home.manager(of: self.service) as? Manager { return known }
        guard !home.isRetired else { throw .closed }
        let (id, number, stamp) = (home.id, try home.durableNumber(), home.deviceApplicationStamp)
        let manager = try self.managers.manager(of: id) { () throws(SignetError) in
            try self.makeManager(of: id, number: number, stamp: stamp)
        }
        guard home.keep(manager, of: self.service) else {
            // A reset in between: the id belongs to another installation now.
            if home.isReset { self.managers.remove(manager, of: id)?.retire() }
            throw .closed
        }
        manager.home.set(home)
        self.follow(home, by: manager)
        return manager
    }

    /// The snapshot of an installation's driver; nil if it cannot be read.
    ///
    /// A handle that was replaced shows what its successor has.
    package func snapshot(of home: any FollowedInstallation) -> Adapter.Snapshot? {
        do throws(SignetError) {
            // A look makes no installation durable.
            if home.number == 0, !home.isRetired {
                return try self.makeManager(of: home.id, number: 0, stamp: home.deviceApplicationStamp).snapshot
            }
            return try self.manager(of: home).snapshot
        } catch {
            if error.code == .closed { return self.managers.find(home.id)?.snapshot }
            self.reportUnreadable(error)
            return nil
        }
    }

    /// True if the service has records of an installation.
    package func hasRecords(of home: any FollowedInstallation) -> Bool {
        self.hasRecords(home.number)
    }

    package func hasRecords(_ number: UInt32) -> Bool {
        self.records(of: number).isThere
    }

    package func records(of number: UInt32) -> ServiceRecords {
        ServiceRecords(self.context.store, of: self.definition, installation: number)
    }

    /// Continues the work of an installation that has records or entries of the outbox.
    ///
    /// - Parameters:
    ///   - home: The installation.
    ///   - prepare: Does what comes before; the second parameter is true if there are records.
    package func resumeWork(of home: any FollowedInstallation, _ prepare: (Manager, Bool) -> Void = { _, _ in }) {
        let isThere = self.hasRecords(of: home)
        guard isThere || home.hasOutbox else { return }
        do throws(SignetError) {
            let manager = try self.manager(of: home)
            prepare(manager, isThere)
            self.context.jobs.submit {
                self.endForeignEntries(of: home)
                await home.syncIdentity()
                await self.resume(manager)
            }
        } catch {
            self.reportUnreadable(error)
            if !error.isDamage { self.context.workIsLeft(home.number) }
        }
    }

    package func visit(_ home: any FollowedInstallation) async throws(SignetError) -> LinkedVisit {
        guard self.hasRecords(of: home) || home.hasOutbox else { return .nothing }
        let manager = try self.manager(of: home)
        guard !home.isOptedOut else {
            guard await self.followOptOut(of: home) else { return .notSaved(.notFollowed) }
            // What is left waits for the opt-in.
            await manager.letGo()
            return .nothing
        }
        self.endForeignEntries(of: home)
        return try await manager.visit()
    }

    /// Ends entries of a time when the service followed logins.
    private func endForeignEntries(of home: any FollowedInstallation) {
        guard !self.followsLogin else { return }
        do throws(SignetError) {
            guard let last = try home.outbox().open(for: self.service).last else { return }
            home.endOutboxEntry(last, self.service, .superseded)
        } catch {
            home.reportNotSaved(error)
        }
    }

    package func syncState(of home: any FollowedInstallation) -> ServiceSyncState {
        var (knowledge, followed): (ServiceSyncState.Knowledge, UUID?) = (.synced(nil), nil)
        do throws(SignetError) {
            if self.hasRecords(of: home) {
                let syncPoint = try self.manager(of: home).syncPoint
                (knowledge, followed) = (.synced(syncPoint.synced), syncPoint.followed)
            }
        } catch {
            // Reported when it is to follow.
            knowledge = .unreadable
        }
        return ServiceSyncState(of: self.service, knowledge, followed: followed) { self.names(in: $0) }
    }

    package func names(in call: OutboxEntry.Call) -> [String]? { call.names }

    package func followUser(of home: any FollowedInstallation) async throws(SignetError) {
        try await self.manager(of: home).follow()
    }

    package func follow(_ home: any FollowedInstallation, by manager: Manager) {}

    package func takeLoggedEvents() async {}

    package func stop() async {
        for manager in self.managers.all { await manager.stop() }
    }

    /// Reports an opt-out or opt-in that the disk refused to follow; the runner of due work repeats it.
    package func reportNotFollowed(_ home: any FollowedInstallation, _ error: SignetError) {
        home.reportNotSaved(error)
        self.context.workIsLeft(home.number)
    }

    /// Reports an installation whose records cannot be read.
    package func reportUnreadable(_ error: SignetError) {
        self.context.reportDamage("The \(Self.subject) of an installation cannot be read: \(error.message)")
    }
}

extension SignetError {
    fileprivate static let notFollowed = SignetError(
        .diskFailed,
        "The disk refused what follows from an opt-out for a service. It is repeated."
    )
}
