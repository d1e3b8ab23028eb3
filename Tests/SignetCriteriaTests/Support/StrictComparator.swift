// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTransport

/// The comparators as they are documented, for ``StrictChecker``.
enum StrictComparator {
    static func passes(_ value: JSONValue, _ query: JSONObject) -> Bool {
        guard !value.isNull else { return false }
        let operands = query["values"]?.array?.compactMap(\.string) ?? [query["value"]?.string ?? ""]
        let elements = value.array ?? [value]
        let name = query["comparatorType"]?.string ?? ""
        switch name {
        case "IsSet":
            return value.string != "" && value.array?.isEmpty != true && value.object?.isEmpty != true
        case "DoesNotEqual":
            return !elements.contains { element in operands.contains { Self.isEqual(element, $0) } }
        default:
            return elements.contains { element in
                operands.contains { Self.passes(element, name, $0, isElement: value.array != nil) }
            }
        }
    }

    private static func passes(_ value: JSONValue, _ name: String, _ operand: String, isElement: Bool) -> Bool {
        let (left, right) = (Self.number(value), Self.number(.string(operand)))
        switch name {
        case "Equals": return Self.isEqual(value, operand)
        case "GreaterThan": return left > right
        case "LessThan": return left < right
        case "GreaterThanOrEqualTo": return left >= right
        case "LessThanOrEqualTo": return left <= right
        default: break
        }
        guard let text = value.string else { return false }
        switch name {
        case "StartsWith": return operand.isEmpty || text.hasPrefix(operand)
        case "Contains": return isElement ? text == operand : !operand.isEmpty && text.range(of: operand) != nil
        default: return text.range(of: operand, options: .regularExpression) != nil
        }
    }

    private static func isEqual(_ value: JSONValue, _ operand: String) -> Bool {
        if let bool = value.bool { return operand == (bool ? "true" : "false") }
        return value.number == nil ? value.string == operand : Self.number(value) == Self.number(.string(operand))
    }

    /// Not a number, which compares with nothing, for what says none in decimal digits.
    private static func number(_ value: JSONValue) -> Double {
        guard let text = value.number?.text ?? value.string,
            text.range(of: #"^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$"#, options: .regularExpression) != nil
        else { return .nan }
        return Double(text) ?? .nan
    }
}
