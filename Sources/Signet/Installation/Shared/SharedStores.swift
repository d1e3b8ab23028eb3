// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The stores of rows: that of an installation in memory, or one made for a row that no handle here uses.
struct SharedStores: Sendable {
    let fleet: FleetMember
    let context: RuntimeContext
    let managers: RuntimeManagers
    let registry: InstallationRegistry
    let unflushed: UnflushedStores

    /// The time between two looks at the shared store; spread, so that replicas do not look at the same time.
    var pauseLength: Duration {
        .milliseconds(900) + .milliseconds(200) * self.context.configuration.jitter()
    }

    /// Returns the store of an installation.
    func store(of id: InstallationID) -> SharedInstallationStore {
        if let store = self.registry.find(id)?.store.shared { return store }
        let machine = InstallationMachine(
            identity: IdentityState(deviceApplicationStamp: .random(), now: self.context.time.milliseconds),
            sessions: SessionStateMachine(rules: self.context.sessionRules)
        )
        return SharedInstallationStore(
            machine,
            writer: InstallationWriter(id: id, context: self.context, managers: self.managers),
            fleet: self.fleet,
            unflushed: self.unflushed,
            needsRow: true
        )
    }

    /// The object in memory that has a store; nil if it has left, or if its row is gone.
    func object(of store: SharedInstallationStore) -> InstallationCore? {
        guard let core = self.registry.find(store.writer.id), core.store.shared === store else { return nil }
        return core
    }

    /// The store of the object that is in memory for the installation of a store; that store if there is none.
    func current(_ store: SharedInstallationStore) -> SharedInstallationStore {
        self.registry.find(store.writer.id)?.store.shared ?? store
    }

    /// Lets go of the object of a store whose row is gone.
    func letGo(of store: SharedInstallationStore) {
        if store.isGone { self.registry.letGo(of: store.writer.id) }
    }

    /// Does what follows a commit.
    func follow<Value>(_ commit: InstallationCommit<Value>) {
        for resumption in commit.resumptions { resumption.resume() }
        if commit.marks.contains(.hasEvents) { self.context.ingress.eventLogged() }
    }
}
