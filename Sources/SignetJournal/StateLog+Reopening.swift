// SPDX-License-Identifier: Apache-2.0

extension StateLog {
    /// Continues in the folder that has the path of a removed one, or makes it; the next flush writes the files there.
    ///
    /// - Throws: `locked` when another log has that folder, `directoryUnusable` when one left files in it, and the
    ///   disk's error.
    func reopen(_ state: inout State) throws(StorageError) {
        try self.folder.reopen { other throws(StorageError) in
            try self.lock.renew(in: other, name: Self.lockName) { other throws(StorageError) in
                try other.checkHasNone(of: [.log, .snapshot])
            }
        }
        self.quarantine.forget()
        state.move(to: self.folder)
    }
}
