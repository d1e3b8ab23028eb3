//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetTransport

/// Criteria, what a visitor did, and what should match.
struct CheckCase {
    /// What should match.
    enum Expectation {
        case any
        case match(String?)
    }

    let name: String
    let criteria: JSONValue
    let records: [VisitorRecord]
    let expected: Expectation

    /// A case of which nobody says what should match.
    init(criteria: JSONValue, events: JSONValue) throws {
        self.name = "events"
        self.criteria = criteria
        self.records = try CriteriaCheck.records(events)
        self.expected = .any
    }

    private init(_ value: JSONValue, at path: String) throws {
        guard let object = value.object, let criteria = object["criteria"], let events = object["events"],
            let expected = object["expected"], expected.isNull || expected.string != nil
        else { throw FileFault(reason: "\(path) is not an object with criteria, events and expected") }
        self.name = object["name"]?.string ?? path
        self.criteria = criteria
        self.records = try CriteriaCheck.records(events, at: path + ".events")
        self.expected = .match(expected.string)
    }

    /// The cases of a list.
    static func list(_ value: JSONValue) throws -> [CheckCase] {
        guard let elements = value.array else { throw FileFault(reason: "the file is not a list of cases") }
        return try elements.enumerated().map { try CheckCase($1, at: "$[\($0)]") }
    }

    /// What came of it in each of some dialects.
    func results(_ dialects: [CriteriaDialect]) -> [CheckResult] {
        dialects.map { dialect in
            do throws(CriteriaError) {
                let report = try Criteria(self.criteria, dialect: dialect).evaluate(self.records)
                return CheckResult(
                    name: self.name,
                    dialect: dialect,
                    expected: self.expected,
                    outcome: .success(report)
                )
            } catch {
                return CheckResult(name: self.name, dialect: dialect, expected: self.expected, outcome: .failure(error))
            }
        }
    }
}
