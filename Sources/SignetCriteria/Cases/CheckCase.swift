// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// Criteria, a visitor's records, and the expected match.
package struct CheckCase: Sendable {
    enum Expectation: Sendable {
        case any
        case match(String?)
    }

    let name: String
    let criteria: JSONValue
    let records: [IterableRecord]
    let faults: [CriteriaError]
    let expected: Expectation

    /// Makes a case without an expectation.
    ///
    /// - Parameters:
    ///   - criteria: The criteria document as Iterable serves it.
    ///   - events: A list of the visitor's records.
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

    /// Reads a list of cases.
    ///
    /// - Parameter value: A list of `{name, criteria, events, expected}`.
    /// - Returns: The cases, in its order.
    /// - Throws: ``CriteriaError`` when it is not such a list.
    package static func list(_ value: JSONValue) throws(CriteriaError) -> [CheckCase] {
        guard let elements = value.array else { throw CriteriaError(.wrongType, at: "$", "is not a list of cases") }
        var cases: [CheckCase] = []
        for (index, element) in elements.enumerated() {
            cases.append(try CheckCase(element, at: "$[\(index)]"))
        }
        return cases
    }

    /// Evaluates the case in each dialect.
    ///
    /// - Parameter dialects: The dialects in which the criteria are read.
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
