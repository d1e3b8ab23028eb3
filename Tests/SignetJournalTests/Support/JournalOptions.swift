//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal

extension Journal.Options {
    /// Files of so many bytes.
    static func segments(_ bytes: Int, _ storage: Journal.Storage = .automatic) -> Journal.Options {
        var options = Journal.Options()
        options.segmentBytes = bytes
        options.storage = storage
        return options
    }
}
