// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension CriteriaDecoder {
    private enum Operands {
        case one(CriteriaOperand)
        case list([CriteriaOperand])
        case none
        case unreadable(CriteriaError)
    }

    /// Decodes one query; nil under `.iOS` for a query without a field, which is ignored there.
    mutating func query(_ value: JSONValue, _ path: String) throws(CriteriaError) -> CriteriaQuery? {
        guard let object = value.object else {
            guard self.dialect == .strict else { return nil }
            throw Self.wrongType(path, "an object")
        }
        guard let field = object["field"]?.string else {
            guard self.dialect == .strict else { return nil }
            let place = path + ".field"
            throw object["field"] == nil ? Self.missing(place, "text") : Self.wrongType(place, "text")
        }
        let isSet = object["comparatorType"] == "IsSet"
        return CriteriaQuery(
            field: field,
            test: try self.test(object, path),
            mayMeanEvent: isSet && object["fieldType"] == "object" && object["dataType"] == "customEvent",
            dialect: self.dialect
        )
    }

    private func test(_ object: JSONObject, _ path: String) throws(CriteriaError) -> CriteriaTest {
        let place = path + ".comparatorType"
        guard let name = object["comparatorType"]?.string else {
            return try self.never(Self.missing(place, "the name of a comparator"))
        }
        let operands = try self.operands(object, path)
        if case .unreadable(let error) = operands { return try self.never(error) }
        switch ByteText(name) {
        case "IsSet":
            // The vendor's checker requires a text even for this comparator.
            if self.dialect == .iOS, case .one = operands { return .isSet }
            if self.dialect == .strict { return .isSet }
            return try self.never(Self.missing(path + ".value", "text"))
        case "Equals", "DoesNotEqual":
            let all: [CriteriaOperand]
            switch operands {
            case .one(let operand): all = [operand]
            case .list(let list): all = list
            case .none, .unreadable: return try self.never(Self.missing(path + ".value", "text"))
            }
            return ByteText(name) == "Equals" ? .equals(all) : .differs(all)
        default:
            return try self.test(named: name, operands, path)
        }
    }

    /// Decodes the comparators that take a list of values only under `.strict`.
    private func test(named name: String, _ operands: Operands, _ path: String) throws(CriteriaError) -> CriteriaTest {
        let all: [CriteriaOperand]
        switch (operands, self.dialect) {
        case (.one(let operand), _): all = [operand]
        case (.list(let list), .strict): all = list
        case (.list, .iOS): return .never("\(path): \(name) does not take a list of values")
        case (.none, _), (.unreadable, _): return try self.never(Self.missing(path + ".value", "text"))
        }
        switch ByteText(name) {
        case "GreaterThan": return .compares(.greater, all)
        case "LessThan": return .compares(.less, all)
        case "GreaterThanOrEqualTo": return .compares(.greaterOrEqual, all)
        case "LessThanOrEqualTo": return .compares(.lessOrEqual, all)
        case "Contains": return .contains(all)
        case "StartsWith": return .startsWith(all)
        case "MatchesRegex": return try self.patterns(all, path)
        default:
            return try self.never(CriteriaError(.unknownName, at: path + ".comparatorType", "is not a comparator"))
        }
    }

    private func patterns(_ operands: [CriteriaOperand], _ path: String) throws(CriteriaError) -> CriteriaTest {
        var patterns: [Pattern] = []
        for (index, operand) in operands.enumerated() {
            do throws(PatternError) {
                patterns.append(try Pattern(operand.text.text, dialect: self.dialect))
            } catch {
                let place = operands.count == 1 ? path + ".value" : "\(path).values[\(index)]"
                let code = error.kind == .invalid ? CriteriaError.Code.invalidPattern : .unsupportedPattern
                return try self.never(CriteriaError(code, at: place, error.description))
            }
        }
        return .matches(patterns)
    }

    private func operands(_ object: JSONObject, _ path: String) throws(CriteriaError) -> Operands {
        switch self.dialect {
        case .strict: return try self.strictOperands(object, path)
        case .iOS: return try self.vendorOperands(object, path)
        }
    }

    /// Reads the operands; a list takes precedence over a single value, and a number or a Boolean is its text in the
    /// document.
    private func strictOperands(_ object: JSONObject, _ path: String) throws(CriteriaError) -> Operands {
        if let values = object["values"], !values.isNull {
            let place = path + ".values"
            guard let list = values.array else { throw Self.wrongType(place, "an array") }
            try self.check(list.count, self.limits.values, place, "values")
            var operands: [CriteriaOperand] = []
            for (index, value) in list.enumerated() {
                guard let text = Self.text(value) else { throw Self.wrongType("\(place)[\(index)]", "text") }
                operands.append(CriteriaOperand(text, dialect: .strict))
            }
            return .list(operands)
        }
        guard let value = object["value"], !value.isNull else { return .none }
        guard let text = Self.text(value) else { throw Self.wrongType(path + ".value", "text") }
        return .one(CriteriaOperand(text, dialect: .strict))
    }

    /// Reads the operands; a value must be text and a list all text, and a value beside a list wins, even an empty one.
    private func vendorOperands(_ object: JSONObject, _ path: String) throws(CriteriaError) -> Operands {
        switch object["value"] {
        case .string(let text):
            return .one(CriteriaOperand(text, dialect: .iOS))
        case nil:
            guard let values = object["values"] else { return .none }
            let place = path + ".values"
            guard let list = values.array else { return .unreadable(Self.wrongType(place, "an array")) }
            try self.check(list.count, self.limits.values, place, "values")
            var operands: [CriteriaOperand] = []
            for (index, value) in list.enumerated() {
                guard let text = value.string else {
                    return .unreadable(Self.wrongType("\(place)[\(index)]", "text"))
                }
                operands.append(CriteriaOperand(text, dialect: .iOS))
            }
            return .list(operands)
        default:
            return .unreadable(Self.wrongType(path + ".value", "text"))
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    private func never(_ error: CriteriaError) throws(CriteriaError) -> CriteriaTest {
        guard self.dialect == .iOS else { throw error }
        return .never(error.description)
    }
}
