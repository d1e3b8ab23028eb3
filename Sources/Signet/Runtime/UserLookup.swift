//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

/// What delivery must know of users: from memory when the installation is there, else from disk.
struct UserLookup: Sendable {
    let registry: InstallationRegistry
    let store: StateStore

    /// What a batch says of its user.
    func batchUser(_ id: InstallationID, _ mpid: MPID) -> BatchUser {
        guard let state = self.state(of: id) else { return BatchUser() }
        let entry = state.directory.entries[mpid]
        return BatchUser(
            deviceApplicationStamp: state.deviceApplicationStamp,
            attributes: entry?.attributes ?? [:],
            identities: entry?.identities.mapValues(\.value) ?? [:]
        )
    }

    /// The first user of an installation.
    func firstUser(_ id: InstallationID) -> MPID? {
        self.state(of: id)?.directory.firstUser
    }

    /// The number of an installation in the tags of its events; nil when it has none.
    func number(_ id: InstallationID) -> UInt32? {
        self.state(of: id).flatMap { $0.number == 0 ? nil : $0.number }
    }

    private func state(of id: InstallationID) -> IdentityState? {
        if let core = self.registry.find(id) { return core.identityState }
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: StateKey.identity(id)) else { return nil }
            return try IdentityState(decoding: bytes)
        } catch {
            // A damaged record is reported when the installation is opened; a batch goes without what it held.
            return nil
        }
    }
}
