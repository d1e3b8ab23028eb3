// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Ends the sessions that a directory has when its runtime first has a shared store.
///
/// The rows of the store know nothing of them, and whoever returns has a session of the store's.
struct UnsharedSessions: Sendable {
    let opening: InstallationOpening

    private var context: RuntimeContext {
        self.opening.context
    }

    /// Ends all, before anything else is logged: later frames in the journal are of sessions of the store.
    ///
    /// - Throws: The error of the disk; then the next call ends the rest.
    func endAll() throws(SignetError) {
        var numbers = Set(try self.context.sessionRecovery.unfolded())
        for part in 0..<StateStore.dueParts {
            numbers.formUnion(try MarkedRecords(ofPart: part, in: self.context).sessions.map(\.number))
        }
        for number in numbers.sorted() {
            guard let id = try self.context.numbers.installation(number) else { continue }
            try self.end(id, number)
        }
    }

    private func end(_ id: InstallationID, _ number: UInt32) throws(SignetError) {
        guard let restored = try self.opening.restored(id, number) else { return }
        let writer = InstallationWriter(id: id, context: self.context, managers: self.opening.managers)
        let store = LocalInstallationStore(restored.begin(self.context).machine, writer: writer)
        let commit = try store.transact { machine, transaction in machine.endLeftOpen(&transaction) }
        if let failure = commit.failure { throw failure }
        let key = StateKey.session(id)
        if self.context.store.contains(key) { try self.context.store.remove(key) }
    }
}
