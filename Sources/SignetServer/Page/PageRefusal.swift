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
    enum Kind: Hashable {
        /// What was asked makes no sense.
        case malformed
        /// What was asked cannot be kept.
        case storage
    }

    let kind: Kind
    let message: String

    init(_ message: String, kind: Kind = .malformed) {
        self.kind = kind
        self.message = message
    }
}
#endif
