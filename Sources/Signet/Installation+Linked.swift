// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Outcomes of identity sync: the work that a login or logout gives to other services, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    ///
    /// The result and the error of `login` and `logout` are those of the identity call alone.
    public func identitySyncOutcomes() -> Updates<IdentitySyncOutcome> {
        Updates(self.core.context.identitySyncOutcomes, of: self.id)
    }
}
