// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Decides if a value passes a test.
///
/// Text is compared by its bytes (``ByteText``), with regard to case. A list passes when one of its elements does, and
/// differs when none is equal; under `.iOS` this applies only to lists of numbers and lists of texts. Under `.iOS`
/// `null` is a value like others; under `.strict` it counts as a missing field.
struct Comparison {
    let dialect: CriteriaDialect
    let meter: WorkMeter

    func holds(_ test: CriteriaTest, _ value: FieldValue) throws(WorkLimitReached) -> Bool {
        try self.meter.spend()
        if self.dialect == .strict, case .null = value { return false }
        switch test {
        case .equals(let operands): return try self.isEqual(value, to: operands)
        case .differs(let operands): return try !self.isEqual(value, to: operands)
        case .isSet: return Self.isSet(value)
        case .compares(let order, let operands):
            return try self.any(of: value, operands) { (element, operand) throws(WorkLimitReached) in
                try self.compares(element, order, operand)
            }
        case .contains(let operands): return try self.contains(value, operands)
        case .startsWith(let operands):
            return try self.any(of: value, operands) { (element, operand) throws(WorkLimitReached) in
                guard case .string(let text) = element else { return false }
                try self.meter.spend(operand.text.text.utf8.count / 16)
                return text.begins(with: operand.text.text)
            }
        case .matches(let patterns):
            return try self.any(of: value, patterns) { (element, pattern) throws(WorkLimitReached) in
                guard case .string(let text) = element else { return false }
                try self.meter.spend(pattern.steps(in: text.text))
                return pattern.isFound(in: text.text)
            }
        case .never: return false
        }
    }

    private func isEqual(_ value: FieldValue, to operands: [CriteriaOperand]) throws(WorkLimitReached) -> Bool {
        try self.any(of: value, operands) { (element, operand) throws(WorkLimitReached) in
            switch element {
            case .string(let text): return try self.isSame(text, operand.text)
            case .integer(let integer):
                return operand.integer.map { $0 == integer } ?? (operand.double == Double(integer))
            case .double(let double): return double == operand.double
            case .bool(let bool): return bool == operand.bool
            case .null, .list, .object: return false
            }
        }
    }

    private func isSame(_ text: ByteText, _ other: ByteText) throws(WorkLimitReached) -> Bool {
        guard text.text.utf8.count == other.text.utf8.count else { return false }
        try self.meter.spend(text.text.utf8.count / 16)
        return text == other
    }

    private static func isSet(_ value: FieldValue) -> Bool {
        switch value {
        case .string(let text): !text.text.isEmpty
        case .double(let double): !double.isNaN
        case .list(let list): !list.elements.isEmpty
        case .object(let fields): !fields.isEmpty
        case .null, .bool, .integer: true
        }
    }

    private func compares(
        _ value: FieldValue,
        _ order: CriteriaTest.Order,
        _ operand: CriteriaOperand
    ) throws(WorkLimitReached) -> Bool {
        // The vendor's checker rounds each number to the nearest Double.
        if self.dialect == .strict, case .integer(let integer) = value, let other = operand.integer {
            return Self.isOrdered(integer, order, other)
        }
        guard let other = operand.double else { return false }
        switch value {
        case .integer(let integer): return Self.isOrdered(Double(integer), order, other)
        case .double(let double): return Self.isOrdered(double, order, other)
        case .string(let text):
            try self.meter.spend(8)
            guard let number = NumberText.double(text.text, dialect: self.dialect) else { return false }
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

    /// True if text contains a text that is not empty, or a list contains an element as a whole.
    private func contains(_ value: FieldValue, _ operands: [CriteriaOperand]) throws(WorkLimitReached) -> Bool {
        let isList = if case .list = value { true } else { false }
        return try self.any(of: value, operands) { (element, operand) throws(WorkLimitReached) in
            guard case .string(let text) = element else { return false }
            if isList { return try self.isSame(text, operand.text) }
            var (whole, part) = (text.text, operand.text.text)
            guard !part.isEmpty, part.utf8.count <= whole.utf8.count else { return false }
            try self.meter.spend((whole.utf8.count + part.utf8.count) / 8)
            return whole.withUTF8 { whole in part.withUTF8 { part in TextSearch.finds(part, in: whole) } }
        }
    }

    /// True if the test holds for an element of the value and any of the others.
    private func any<Other>(
        of value: FieldValue,
        _ others: [Other],
        _ holds: (FieldValue, Other) throws(WorkLimitReached) -> Bool
    ) throws(WorkLimitReached) -> Bool {
        guard case .list(let list) = value else {
            for other in others {
                try self.meter.spend()
                if try holds(value, other) { return true }
            }
            return false
        }
        if self.dialect == .iOS, list.kind == .other || list.kind == .objects { return false }
        for other in others {
            for element in list.elements {
                try self.meter.spend()
                if try holds(element, other) { return true }
            }
        }
        return false
    }
}

/// Finds a part in a text in time linear in both, even if the part begins often without a match.
///
/// D. Knuth, J. Morris, V. Pratt: Fast pattern matching in strings, 1977.
enum TextSearch {
    static func finds<Text: Sequence, Part: RandomAccessCollection>(_ part: Part, in text: Text) -> Bool
    where Text.Element: Equatable, Part.Element == Text.Element, Part.Index == Int {
        guard !part.isEmpty else { return true }
        let base = part.startIndex
        // For each prefix of the part, the length of the longest shorter prefix that it ends with.
        var shorter = [0]
        shorter.reserveCapacity(part.count)
        var length = 0
        for index in 1..<max(1, part.count) {
            while length > 0, part[base + index] != part[base + length] { length = shorter[length - 1] }
            if part[base + index] == part[base + length] { length += 1 }
            shorter.append(length)
        }
        length = 0
        for element in text {
            while length > 0, element != part[base + length] { length = shorter[length - 1] }
            if element == part[base + length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
