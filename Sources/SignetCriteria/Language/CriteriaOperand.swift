//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// What a criterion compares with, read once in each way that it may be needed.
struct CriteriaOperand: Sendable {
    /// The text.
    let text: ByteText
    /// The text as a whole number.
    let integer: Int64?
    /// The text as a number.
    let double: Double?
    /// The text as a truth value.
    let bool: Bool?

    init(_ text: String, dialect: CriteriaDialect) {
        let text = dialect == .iOS ? NumberText.rewritten(text) : text
        self.text = ByteText(text)
        self.integer = Int64(text)
        self.double = NumberText.double(text, dialect: dialect)
        self.bool = self.text == "true" ? true : self.text == "false" ? false : nil
    }
}
