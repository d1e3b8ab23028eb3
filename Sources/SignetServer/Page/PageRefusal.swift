//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
/// Why the live page's interface does not do what it was asked.
struct PageRefusal: Error, Hashable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
#endif
