// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// Cases that the vendor's own tests assert (MIT-licensed test suites of the Iterable SDKs).
@Suite struct CriteriaSampleTests {
    private struct Sample {
        let name: String
        let criteria: JSONValue
        let records: JSONValue
        let expected: String?
    }

    /// Where the strict dialect answers otherwise, and by which rule; the beginning of a name is enough.
    private static let differences: [(name: String, match: String?, rule: String)] = []

    private static func samples() throws -> [Sample] {
        let list = try GoldenFile.read("criteria-sample.json").array
        return try #require(list).map { value in
            let object = try #require(value.object)
            return Sample(
                name: try #require(object["name"]?.string),
                criteria: try #require(object["criteria"]),
                records: try #require(object["events"]),
                expected: object["expected"]?.string
            )
        }
    }

    @Test func everySampleAgreesUnderIOS() throws {
        let samples = try Self.samples()
        #expect(samples.count == 60)
        for sample in samples {
            let records = try CriteriaCheck.records(sample.records)
            let report = try Criteria(sample.criteria, dialect: .iOS).evaluate(records)
            #expect(report.matchedID == sample.expected, "\(sample.name)\n\(report)")
        }
    }

    @Test func everySampleAgreesUnderStrictOrDiffersByARule() throws {
        for sample in try Self.samples() {
            let records = try CriteriaCheck.records(sample.records)
            let report = try Criteria(sample.criteria, dialect: .strict).evaluate(records)
            let difference = Self.differences.first { sample.name.hasPrefix($0.name) }
            let expected = difference == nil ? sample.expected : difference?.match
            #expect(report.matchedID == expected, "\(sample.name)\n\(report)")
            #expect(difference == nil || expected != sample.expected, "\(sample.name) does not differ")
        }
    }
}
