//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Whether a value passes a test.
///
/// Text is compared by canonical equivalence, case counts. A list passes when one of its elements does, and is different
/// when none is equal. Under `.iOS` that is so for lists of numbers and lists of texts only, and `null` is a value like
/// others; under `.strict` it is as if the field were not there.
struct Comparison {
    let dialect: CriteriaDialect

    func holds(_ test: CriteriaTest, _ value: FieldValue) -> Bool {
        if self.dialect == .strict, case .null = value { return false }
        switch test {
        case .equals(let operands): return operands.contains { self.isEqual(value, $0) }
        case .differs(let operands): return !operands.contains { self.isEqual(value, $0) }
        case .isSet: return Self.isSet(value)
        case .compares(let order, let operands):
            return operands.contains { operand in
                self.anyElement(of: value) { self.compares($0, order, operand) }
            }
        case .contains(let operands): return operands.contains { self.contains(value, $0) }
        case .startsWith(let operands):
            return operands.contains { operand in
                self.anyText(of: value) { $0.hasPrefix(operand.text) }
            }
        case .matches(let patterns):
            return patterns.contains { pattern in
                self.anyText(of: value) { pattern.isFound(in: $0) }
            }
        case .never: return false
        }
    }

    private func isEqual(_ value: FieldValue, _ operand: CriteriaOperand) -> Bool {
        self.anyElement(of: value) { element in
            switch element {
            case .string(let text): text == operand.text
            case .integer(let integer): operand.integer.map { $0 == integer } ?? (operand.double == Double(integer))
            case .double(let double): double == operand.double
            case .bool(let bool): bool == operand.bool
            case .null, .list, .object: false
            }
        }
    }

    private static func isSet(_ value: FieldValue) -> Bool {
        switch value {
        case .string(let text): !text.isEmpty
        case .double(let double): !double.isNaN
        case .list(let list): !list.elements.isEmpty
        case .object(let fields): !fields.isEmpty
        case .null, .bool, .integer: true
        }
    }

    private func compares(_ value: FieldValue, _ order: CriteriaTest.Order, _ operand: CriteriaOperand) -> Bool {
        if case .integer(let integer) = value, let other = operand.integer {
            return Self.isOrdered(integer, order, other)
        }
        guard let other = operand.double else { return false }
        switch value {
        case .integer(let integer): return Self.isOrdered(Double(integer), order, other)
        case .double(let double): return Self.isOrdered(double, order, other)
        case .string(let text):
            guard let number = NumberText.double(text, dialect: self.dialect) else { return false }
            return Self.isOrdered(number, order, other)
        case .null, .bool, .list, .object: return false
        }
    }

    private static func isOrdered<Number: Comparable>(
        _ first: Number,
        _ order: CriteriaTest.Order,
        _ second: Number
    ) -> Bool {
        switch order {
        case .greater: first > second
        case .less: first < second
        case .greaterOrEqual: first >= second
        case .lessOrEqual: first <= second
        }
    }

    /// Text contains text that is not empty; a list contains an element as a whole.
    private func contains(_ value: FieldValue, _ operand: CriteriaOperand) -> Bool {
        switch value {
        case .string(let text): return Self.contains(text, operand.text)
        case .list:
            return self.anyText(of: value) { $0 == operand.text }
        case .null, .bool, .integer, .double, .object: return false
        }
    }

    static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        var (text, part) = (text, part)
        let found: Bool? = text.withUTF8 { text in
            part.withUTF8 { part in
                // Bytes say it all when they are ASCII.
                guard text.allSatisfy({ $0 < 0x80 }), part.allSatisfy({ $0 < 0x80 }) else { return nil }
                return TextSearch.finds(part, in: text)
            }
        }
        return found ?? TextSearch.finds(Array(part), in: text)
    }

    private func anyText(of value: FieldValue, _ holds: (String) -> Bool) -> Bool {
        self.anyElement(of: value) { if case .string(let text) = $0 { holds(text) } else { false } }
    }

    private func anyElement(of value: FieldValue, _ holds: (FieldValue) -> Bool) -> Bool {
        guard case .list(let list) = value else { return holds(value) }
        if self.dialect == .iOS, list.kind == .other || list.kind == .objects { return false }
        return list.elements.contains(where: holds)
    }
}
