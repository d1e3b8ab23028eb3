//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// Criteria, what a visitor did, and what should match.
package struct CheckCase: Sendable {
    /// What should match.
    enum Expectation: Sendable {
        case any
        case match(String?)
    }

    let name: String
    let criteria: JSONValue
    let records: [IterableRecord]
    /// What is wrong with single records.
    let faults: [CriteriaError]
    let expected: Expectation

    /// A case of which nobody says what should match.
    ///
    /// - Parameters:
    ///   - criteria: The document that the service gives out.
    ///   - events: A list of what a visitor did.
    /// - Throws: ``CriteriaError`` when the events are not a list of objects.
    package init(criteria: JSONValue, events: JSONValue) throws(CriteriaError) {
        self.name = "events"
        self.criteria = criteria
        self.records = try CriteriaCheck.records(events)
        self.faults = try CriteriaCheck.faults(events)
        self.expected = .any
    }

    private init(_ value: JSONValue, at path: String) throws(CriteriaError) {
        guard let object = value.object, let criteria = object["criteria"], let events = object["events"],
            let expected = object["expected"], expected.isNull || expected.string != nil
        else { throw CriteriaError(.wrongType, at: path, "is not an object with criteria, events and expected") }
        self.name = object["name"]?.string ?? path
        self.criteria = criteria
        self.records = try CriteriaCheck.records(events, at: path + ".events")
        self.faults = try CriteriaCheck.faults(events, at: path + ".events")
        self.expected = .match(expected.string)
    }

    /// The cases of a list.
    ///
    /// - Parameter value: A list of `{name, criteria, events, expected}`.
    /// - Returns: The cases, in its order.
    /// - Throws: ``CriteriaError`` when it is something else.
    package static func list(_ value: JSONValue) throws(CriteriaError) -> [CheckCase] {
        guard let elements = value.array else { throw CriteriaError(.wrongType, at: "$", "is not a list of cases") }
        var cases: [CheckCase] = []
        for (index, element) in elements.enumerated() {
            cases.append(try CheckCase(element, at: "$[\(index)]"))
        }
        return cases
    }

    /// What came of it in each of some dialects.
    ///
    /// - Parameter dialects: How to read the criteria.
    /// - Returns: A result for each dialect.
    package func results(_ dialects: [CriteriaDialect]) -> [CheckResult] {
        dialects.map { dialect in
            do throws(CriteriaError) {
                let report = try Criteria(self.criteria, dialect: dialect).evaluate(self.records)
                return self.result(dialect, .success(report))
            } catch {
                return self.result(dialect, .failure(error))
            }
        }
    }

    private func result(_ dialect: CriteriaDialect, _ outcome: Result<CriteriaReport, CriteriaError>) -> CheckResult {
        CheckResult(
            name: self.name,
            dialect: dialect,
            expected: self.expected,
            faults: self.faults,
            outcome: outcome
        )
    }
}
