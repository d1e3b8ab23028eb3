//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
/// Why a command cannot do what it was asked.
struct ToolFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
#endif
