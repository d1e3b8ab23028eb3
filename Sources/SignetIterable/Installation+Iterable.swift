// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel

extension Installation {
    /// A person Iterable may not know yet: unknown user activation.
    public var iterable: IterableVisitor {
        IterableVisitor(installation: self)
    }

    /// Changes of the visitor, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (`Updates.droppedCount`).
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``IterableService``.
    public func iterableChanges() throws(SignetError) -> Updates<IterableChange> {
        try self.updates(self.linked.find(IterableServices.self, named: "Iterable").changes)
    }
}

extension SignetRuntime {
    /// Changes of the visitors of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (`Updates.droppedCount`).
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``IterableService``.
    public func iterableChanges() throws(SignetError) -> Updates<IterableChange> {
        try self.updates(self.linked.find(IterableServices.self, named: "Iterable").changes)
    }
}
