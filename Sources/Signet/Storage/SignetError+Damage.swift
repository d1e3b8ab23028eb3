//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

extension SignetError {
    /// Whether a record is damaged, which stays; any other error of a disk may pass, and must not look as if nothing was there.
    var isDamage: Bool {
        (self.cause as? StorageError)?.code == .damagedRecord
    }
}
