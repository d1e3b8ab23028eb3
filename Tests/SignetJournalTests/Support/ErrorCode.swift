// SPDX-License-Identifier: Apache-2.0

import SignetJournal

/// The code of the storage error that a body throws; nil when it throws nothing.
func errorCode(_ body: () throws -> Void) throws -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch let error as StorageError {
        return error.code
    }
}
