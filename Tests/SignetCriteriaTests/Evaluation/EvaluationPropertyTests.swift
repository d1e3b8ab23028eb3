// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTestSupport
import SignetTransport
import Testing

/// Random criteria over random sequences of records.
@Suite struct EvaluationPropertyTests {
    private static let sequences = TestScale.count(quick: 60, full: 400)

    /// What is stored after each record, by the rules of local storage.
    private struct Storage {
        let threshold: Int
        var records: [IterableRecord] = []
        var user: IterableRecord?

        mutating func store(_ record: IterableRecord) {
            if record.kind == .userUpdate {
                self.user = self.user?.merging(record) ?? record
            } else {
                self.records = (self.records + [record]).suffix(self.threshold)
            }
        }

        var all: [IterableRecord] {
            self.records + (self.user.map { [$0] } ?? [])
        }
    }

    @Test(arguments: CriteriaDialect.allCases)
    func recordByRecordIsTheSameAsAnew(_ dialect: CriteriaDialect) throws {
        var visitor = RandomVisitor(generator: SeededGenerator(defaultSeed: 0x4372_6974), mayDiffer: true)
        print("SIGNET_SEED=\(visitor.generator.seed)")
        var matches = 0
        var losses = 0
        for _ in 0..<Self.sequences {
            let document = visitor.document()
            let criteria = try Criteria(document, dialect: dialect)
            let threshold = visitor.int(1...6)
            var evaluator = CriteriaEvaluator(criteria, threshold: threshold)
            var storage = Storage(threshold: threshold)
            var before: String?
            for _ in 0..<12 {
                let record = try #require(try CriteriaCheck.records(.array([visitor.record()])).first)
                storage.store(record)
                let match = evaluator.record(record)
                #expect(try match == criteria.evaluate(storage.all).matchedID, "\(Self.text(document))")
                #expect(match == CriteriaEvaluator(criteria, threshold: threshold, records: storage.all).matchedID)
                #expect(evaluator.recordCount == storage.records.count)
                let all = storage.all.map { JSONValue.object($0.members) }
                let reference =
                    dialect == .iOS ? ReferenceChecker.match(document, all) : StrictChecker.match(document, all)
                #expect(match == reference, "\(Self.text(document)) \(Self.text(.array(all)))")
                matches += match == nil ? 0 : 1
                losses += before != nil && match == nil ? 1 : 0
                before = match
            }
        }
        print("matches \(matches), lost again \(losses)")
        #expect(matches > Self.sequences * 2 && matches < Self.sequences * 11 && losses > Self.sequences / 100)
    }

    private static func text(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self)
    }

    @Test func theDialectsAgreeWhereNothingMakesThemDiffer() throws {
        var visitor = RandomVisitor(generator: SeededGenerator(defaultSeed: 0x4167_7265), mayDiffer: false)
        print("SIGNET_SEED=\(visitor.generator.seed)")
        var matches = 0
        for _ in 0..<Self.sequences * 4 {
            let document = visitor.document()
            let records = (0..<visitor.int(1...6)).map { _ in visitor.record() }
            let strict = try Document.match(document, records, .strict)
            #expect(
                try strict == Document.match(document, records, .iOS),
                "\(Self.text(document)) \(Self.text(.array(records)))"
            )
            matches += strict == nil ? 0 : 1
        }
        print("matches \(matches)")
        #expect(matches > Self.sequences && matches < Self.sequences * 4 * 9 / 10)
    }
}
