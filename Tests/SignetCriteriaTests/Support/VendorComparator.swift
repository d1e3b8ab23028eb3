// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTransport

/// The comparators of the vendor's checker for iOS as they are described, for ``ReferenceChecker``.
enum VendorComparator {
    static func passes(_ value: JSONValue, _ query: JSONObject) -> Bool {
        let name = query["comparatorType"]?.string ?? ""
        let operands: [String]
        switch (query["value"], query["values"]) {
        case (.string(let text), _): operands = [Self.rewritten(text)]
        case (nil, .array(let values)?) where name == "Equals" || name == "DoesNotEqual":
            operands = values.compactMap(\.string).map(Self.rewritten)
        default: return false
        }
        if name == "IsSet" {
            return value.string != "" && value.array?.isEmpty != true && value.object?.isEmpty != true
        }
        let isEqual = Self.elements(of: value).contains { element in operands.contains { Self.isEqual(element, $0) } }
        if name == "Equals" || name == "DoesNotEqual" { return isEqual == (name == "Equals") }
        return Self.elements(of: value).contains { element in
            operands.contains { Self.passes(element, name, $0, isElement: value.array != nil) }
        }
    }

    /// Those of a list of numbers or of a list of texts; a list of anything else has none that is looked at.
    private static func elements(of value: JSONValue) -> [JSONValue] {
        guard let list = value.array else { return [value] }
        return list.allSatisfy { $0.number != nil } || list.allSatisfy { $0.string != nil } ? list : []
    }

    private static func passes(_ value: JSONValue, _ name: String, _ operand: String, isElement: Bool) -> Bool {
        if let right = Double(operand), let left = value.number?.double ?? value.string.flatMap({ Double($0) }) {
            switch name {
            case "GreaterThan": return left > right
            case "LessThan": return left < right
            case "GreaterThanOrEqualTo": return left >= right
            case "LessThanOrEqualTo": return left <= right
            default: break
            }
        }
        guard let text = value.string else { return false }
        switch name {
        case "StartsWith": return operand.isEmpty || text.hasPrefix(operand)
        case "Contains": return isElement ? text == operand : !operand.isEmpty && text.range(of: operand) != nil
        case "MatchesRegex": return text.range(of: operand, options: .regularExpression) != nil
        default: return false
        }
    }

    private static func isEqual(_ value: JSONValue, _ operand: String) -> Bool {
        if let bool = value.bool { return operand == (bool ? "true" : "false") }
        if let number = value.number?.double { return number == Double(operand) }
        return value.string == operand
    }

    /// Whole numbers become their digits, others get six decimals and lose the zeros at both ends.
    private static func rewritten(_ text: String) -> String {
        guard let number = Double(text), number.magnitude < 0x1p63 else { return text }
        if number == number.rounded() { return String(Int64(number)) }
        let zeros = CharacterSet(charactersIn: "0")
        return String(format: "%.6f", number).trimmingCharacters(in: zeros)
    }
}
