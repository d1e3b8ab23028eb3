// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

extension SignetError {
    /// True for a damaged record, which stays damaged.
    ///
    /// Any other disk error may pass, and must not look like a missing record.
    package var isDamage: Bool {
        (self.cause as? StorageError)?.code == .damagedRecord
    }
}
