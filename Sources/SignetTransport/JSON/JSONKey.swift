//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The name of a member, compared by its bytes.
///
/// Swift compares strings by canonical equivalence; JSON compares names code unit by code unit (RFC 8259, 8.3). Hashing
/// the bytes also denies an attacker thousands of different names with one hash.
struct JSONKey: Hashable {
    let text: String

    static func == (lhs: JSONKey, rhs: JSONKey) -> Bool {
        Self.isSame(lhs.text, rhs.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    static func isSame(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.count == rhs.utf8.count && lhs.utf8.elementsEqual(rhs.utf8)
    }
}
