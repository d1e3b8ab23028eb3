//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The bytes of a text; tests read better with it.
func bytes(_ text: String) -> [UInt8] {
    Array(text.utf8)
}
