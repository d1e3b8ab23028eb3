// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct RatioTests {
    private static let cost = Ratio(scenario: "accept", series: "1 task, each", figure: "CPU / (a + b)", worse: .higher)
    private static let rate = Ratio(scenario: "durable", series: "64 tasks", figure: "rate / bare", worse: .lower)

    @Test func aQuarterMoreIsKeptAndAboveItIsARegression() {
        #expect(!Self.cost.isRegression(5, from: 4))
        #expect(Self.cost.isRegression(5.01, from: 4))
        #expect(!Self.cost.isRegression(0.1, from: 4))
    }

    @Test func aQuarterLessIsKeptAndBelowItIsARegression() {
        #expect(!Self.rate.isRegression(0.75, from: 1))
        #expect(Self.rate.isRegression(0.74, from: 1))
        #expect(!Self.rate.isRegression(9, from: 1))
    }

    @Test func oneGoodMeasurementDecides() {
        var trial = RatioTrial(Self.cost, known: 4)
        #expect(trial.verdict == .open)
        trial.record(9)
        #expect(trial.verdict == .open)
        trial.record(4.5)
        #expect(trial.verdict == .kept && trial.complaint == nil)
        trial.record(9)
        #expect(trial.measured == [9, 4.5])
    }

    @Test func threeBadMeasurementsAreARegressionWithBothNumbers() throws {
        var trial = RatioTrial(Self.rate, known: 0.9)
        for value in [0.5, 0.6, 0.55] {
            #expect(trial.verdict == .open)
            trial.record(value)
        }
        #expect(trial.verdict == .regressed)
        let complaint = try #require(trial.complaint)
        for part in ["durable, 64 tasks: rate / bare", "0.500, 0.600, 0.550 x", "0.900 x", "0.675 x"] {
            #expect(complaint.contains(part), "\(part) in \(complaint)")
        }
    }

    @Test(
        arguments: [
            (Self.cost, [8.1, 9, 12], true), (Self.cost, [8.1, 9, 8], false), (Self.cost, [5.1, 9, 9], false),
            (Self.cost, [9, 9, 4], false), (Self.cost, [9, 9], false),
            (Self.rate, [1.9, 1, 1.5], true), (Self.rate, [1.9, 1, 2], false), (Self.rate, [2.9, 1, 1], false),
        ] as [(Ratio, [Double], Bool)]
    )
    func aRegressionIsBeyondAFactorWhenEachMeasurementIs(ratio: Ratio, measured: [Double], isBeyond: Bool) {
        var trial = RatioTrial(ratio, known: 4)
        for value in measured { trial.record(value) }
        #expect(trial.hasRegressed(byMoreThan: 2) == isBeyond)
    }

    @Test func aTableThatIsWrittenReadsAsItself() throws {
        let table = RatioTable([.init(ratio: Self.cost, value: 5.86), .init(ratio: Self.rate, value: 0.91)])
        let text = table.text(remarks: ["of one day | and machine"])
        #expect(
            text == """
                # of one day | and machine
                accept | 1 task, each | CPU / (a + b) | higher | 5.86
                durable | 64 tasks | rate / bare | lower | 0.910

                """
        )
        #expect(try RatioTable(parsing: text) == table)
    }

    @Test func thousandsAreReadBack() throws {
        let table = RatioTable([.init(ratio: Self.cost, value: 12_345)])
        #expect(try RatioTable(parsing: table.text(remarks: [])) == table)
    }

    @Test func emptyLinesAndSpacesDoNotCount() throws {
        let table = try RatioTable(parsing: "\n   \n#x\n accept |1 task, each|  CPU / (a + b)  | higher |  2 \n\n")
        #expect(table.lines == [.init(ratio: Self.cost, value: 2)])
    }

    @Test(arguments: [
        "accept | s | f | higher", "accept | s | f | higher | 1 | 2", "accept | s | f | up | 1",
        "accept | s | f | lower | x", "accept | s | f | lower | 0", "accept | s | f | lower | nan",
        "a | s | f | lower | 1\na | s | f | lower | 2",
    ])
    func aLineThatIsNoneIsNamed(text: String) throws {
        let error = try #require(throws: LoadError.self) { try RatioTable(parsing: "# remark\n" + text) }
        #expect(error.description.contains("line \(text.split(separator: "\n").count + 1) "))
    }

    @Test func tableAndProgramMustKnowTheSameRatios() throws {
        let both = RatioTable([.init(ratio: Self.cost, value: 1), .init(ratio: Self.rate, value: 1)])
        try both.requireSame(as: [Self.rate, Self.cost])
        #expect(throws: LoadError.self) { try both.requireSame(as: [Self.cost]) }
        #expect(throws: LoadError.self) { try RatioTable([]).requireSame(as: [Self.cost]) }
        // The direction belongs to the ratio.
        let other = Ratio(scenario: "accept", series: "1 task, each", figure: "CPU / (a + b)", worse: .lower)
        #expect(throws: LoadError.self) {
            try RatioTable([.init(ratio: other, value: 1)]).requireSame(as: [Self.cost])
        }
    }

    @Test func theTableOfThisRepositoryIsOneOfAllRatios() throws {
        let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let text = String(decoding: try FileBytes.read("\(here)/ratios.txt"), as: UTF8.self)
        try RatioTable(parsing: text).requireSame(as: CheckedScenario.all.flatMap(\.ratios))
    }

    @Test func aReportIsReadBack() throws {
        let json = """
            {"arguments": [], "failures": ["lost"], "scenario": "accept", "series": [{"name": "1 task", "figures": [
            {"goal": "<= 2", "isGoalMet": false, "maximum": 7, "median": 6, "minimum": 5, "name": "CPU / floor", "runs": \
            [5, 6, 7], "unit": "x"}]}]}
            """
        let report = try ReportFile(json: Array(json.utf8), from: "accept.json")
        let figure = try #require(report.figure("CPU / floor", of: "1 task"))
        #expect(figure.median == 6 && figure.runs == [5, 6, 7] && figure.isGoalMet == false)
        #expect(report.failures == ["lost"])
        #expect(report.figure("CPU / floor", of: "2 tasks") == nil)
        #expect(throws: LoadError.self) { try ReportFile(json: Array("{}".utf8), from: "x") }
    }

    @Test func theTableHasTheWorstOfSeveralMeasurements() {
        #expect(RatioTable.Line(ratio: Self.cost, worstOf: [5.1, 6.4, 5.9]).value == 6.4)
        #expect(RatioTable.Line(ratio: Self.rate, worstOf: [0.9, 0.8, 1.1]).value == 0.8)
    }
}
