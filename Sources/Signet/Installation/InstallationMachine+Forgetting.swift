// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Records that are saved again, removals that batches carry, and breadcrumbs.
extension InstallationMachine {
    /// Saves the installation's state again after its record on disk was found damaged.
    ///
    /// - Returns: True if this is still the object of its installation.
    func writeDown(_ transaction: inout InstallationTransaction) -> Bool {
        guard !self.phase.isRetired else { return false }
        self.saveIdentity(&transaction)
        transaction.saveSession(of: self, isRequired: true)
        return true
    }

    // MARK: - Once events are in batches

    /// Forgets attribute removals that a saved batch carries: no other batch will carry them.
    ///
    /// - Returns: True if this object took it; false if it has left memory.
    mutating func removalsCarried(
        of mpid: MPID,
        upTo number: Int64,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        guard !self.phase.isRetired else { return false }
        if self.state.directory.forgetRemovals(of: mpid, upTo: number) { self.saveIdentity(&transaction) }
        return true
    }

    /// Notes that an answered batch has carried a user's consent.
    ///
    /// - Returns: True if this object took it; false if it has left memory.
    mutating func consentSent(
        of mpid: MPID,
        upTo number: Int64,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        guard !self.phase.isRetired else { return false }
        if self.state.directory.consentSent(of: mpid, upTo: number) { self.saveIdentity(&transaction) }
        return true
    }

    /// Notes attribute removals again that a saved batch was to carry, which is not sent.
    ///
    /// - Returns: True if this object took it; false if it has left memory.
    mutating func removalsNotSent(
        _ keys: [String],
        of mpid: MPID,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        guard !self.phase.isRetired else { return false }
        if self.state.directory.noteRemovals(keys, of: mpid) { self.saveIdentity(&transaction) }
        return true
    }

    // MARK: - Breadcrumbs

    /// Leaves a breadcrumb of the current user.
    mutating func leaveBreadcrumb(
        _ label: String,
        _ attributes: Attributes,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        guard self.phase == .open, !self.isOptedOut else { return }
        try self.breadcrumbs.leave(label, attributes, of: self.mpid, self.state.number, &transaction)
        transaction.step(&self, ifRefused: .isReported)
    }
}
