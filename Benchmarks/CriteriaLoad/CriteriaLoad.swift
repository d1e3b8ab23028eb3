// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport

/// Measures what criteria cost: a new record against 50 of them, and the worst regular expressions.
///
/// A target of the package itself, because what it measures is no product.
@main
struct CriteriaLoad {
    static func main() throws {
        print("| what | median | lowest | highest | goal |")
        print("|---|---|---|---|---|")
        for dialect in CriteriaDialect.allCases {
            try Self.records(dialect)
        }
        try Self.patterns()
    }

    private static func records(_ dialect: CriteriaDialect) throws {
        let document = SampleCriteria.document(criteria: 50).encoded()
        let name = dialect.rawValue
        Series.measure("\(name): decoding 50 criteria (\(document.count) bytes)", rounds: 20) {
            blackHole((try? Criteria(json: document, dialect: dialect))?.criteria.count ?? 0)
        }
        let criteria = try Criteria(json: document, dialect: dialect)
        let records = (0..<1100).map(SampleCriteria.record)
        Series.measure("\(name): 100 stored records against 50 new criteria", rounds: 50) {
            blackHole(CriteriaEvaluator(criteria, records: Array(records.prefix(100))).recordCount)
        }
        let stored = CriteriaEvaluator(criteria, records: Array(records.prefix(100)))
        Series.measure("\(name): a new event, 50 criteria, 100 stored", rounds: 11, each: 1000, goal: "< 50 us") {
            var evaluator = stored
            for record in records.dropFirst(100) {
                blackHole(evaluator.record(record)?.count ?? 0)
            }
        }
    }

    private static func patterns() throws {
        for sample in SamplePattern.all {
            let pattern = try Pattern(sample.pattern)
            let count = sample.pattern.unicodeScalars.count
            Series.measure("pattern: \(sample.name), \(count) characters", rounds: 11, goal: "< 10 ms") {
                blackHole(pattern.isFound(in: sample.text) ? 1 : 0)
            }
        }
    }
}

/// Keeps the optimiser from leaving out what computes the value.
@inline(never)
func blackHole(_ value: Int) {
    withUnsafePointer(to: value) { _ in }
}
