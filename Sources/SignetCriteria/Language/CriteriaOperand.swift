// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The value that a criterion compares with, parsed once into each form.
struct CriteriaOperand: Sendable {
    let text: ByteText
    let integer: Int64?
    let double: Double?
    let bool: Bool?

    init(_ text: String, dialect: CriteriaDialect) {
        let text = dialect == .iOS ? NumberText.rewritten(text) : text
        self.text = ByteText(text)
        self.integer = Int64(text)
        self.double = NumberText.double(text, dialect: dialect)
        self.bool = self.text == "true" ? true : self.text == "false" ? false : nil
    }
}
