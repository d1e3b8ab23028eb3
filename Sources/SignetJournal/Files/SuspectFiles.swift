// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The state of a store with files that begin anew when they are full, and space held back for removals.
protocol LogFileState: StoreState {
    /// Changes the list of those files.
    mutating func withFiles<Result>(_ body: (inout LogFileSet) -> Result) -> Result
}

extension StoreCore where State: LogFileState {
    /// Replaces files whose flush failed with flushed copies, outside the store's lock.
    ///
    /// Frames that come during a copy go to another file.
    ///
    /// - Throws: The error of a copy or of the folder. The file then stays suspect, all its bytes stay readable, and
    ///   the next call begins with it.
    func replaceSuspects() throws(StorageError) {
        // A name that a copy takes must not be removed in between: the copy would bring back the bytes of an old file.
        try self.store.naming.withLock { _ throws(StorageError) in
            while let file = self.state.withLock({ state in state.withFiles { $0.restSuspect() } }) {
                let copy: OpenFile
                do throws(StorageError) {
                    copy = try file.copy(in: self.folder)
                } catch {
                    self.state.withLock { state in state.withFiles { $0.wake(file.header.number) } }
                    throw error
                }
                // The name leads to the copy from here on, so later frames go there, even if the folder's flush fails.
                self.state.withLock { state in state.withFiles { $0.adopt(copy, of: file.header.number) } }
                try self.folder.sync()
                // If the folder was removed meanwhile, the next turn copies the file to the one that has its path.
                guard try copy.status().links > 0 else { continue }
                self.state.withLock { state in state.withFiles { $0.finishCopy(of: file.header.number, file.end) } }
            }
        }
    }

    /// Tries to hold the space for removals again, outside the store's lock.
    func holdSpare() {
        guard var spare = self.state.withLock({ state in state.withFiles { $0.missingSpare } }) else { return }
        spare.hold()
        guard spare.isHeld else { return }
        let held = spare
        self.state.withLock { state in state.withFiles { $0.hold(held) } }
    }
}
