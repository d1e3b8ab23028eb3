// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTransport
import Testing

@testable import criteria_check

@Suite struct CriteriaCheckToolTests {
    private static let criteria = """
        {"criteriaSets": [{"criteriaId": "7", "searchQuery": {"combinator": "Not", "searchQueries": [{"dataType": \
        "customEvent", "searchCombo": {"combinator": "And", "searchQueries": [{"field": "eventName", \
        "comparatorType": "Equals", "value": "a"}]}}]}}]}
        """
    private static let events =
        #"[{"eventType": "customEvent", "eventName": "a"}, {"eventType": "customEvent", "eventName": "b"}]"#

    /// Runs the tool on files with these contents.
    private static func run(
        _ contents: String...,
        options: [String] = []
    ) throws -> (CriteriaCheckTool.ExitCode, output: String, complaint: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "criteria-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let files = try contents.enumerated().map { index, text in
            let file = folder.appending(path: "\(index).json")
            try Data(text.utf8).write(to: file)
            return file.path
        }
        return CriteriaCheckTool.run(files + options)
    }

    @Test func differencesAreShownAndCounted() throws {
        let list = """
            [{"name": "first", "criteria": \(Self.criteria), "events": \(Self.events), "expected": null},
             {"name": "second", "criteria": \(Self.criteria), "events": [], "expected": null}]
            """
        let both = try Self.run(list, options: ["--dialect", "both"])
        #expect(both.0 == .differs)
        #expect(both.output.hasPrefix("first: expected no match\niOS: criterion 7 matches\n"), "\(both.output)")
        #expect(both.output.hasSuffix("strict: 2 agree, 0 differ\niOS: 1 agree, 1 differ\n"), "\(both.output)")
        for options in [[], ["--dialect", "strict"]] {
            #expect(try Self.run(list, options: options) == (.agrees, "2 agree, 0 differ\n", ""))
        }
        let vendor = try Self.run(list, options: ["--dialect", "ios"])
        #expect(vendor.0 == .differs && vendor.output.hasSuffix("\n1 agree, 1 differ\n"), "\(vendor.output)")
        #expect(try Self.run("[]") == (.agrees, "0 agree, 0 differ\n", ""))
    }

    @Test(arguments: ["strict", "ios"])
    func theSamplesOfTheVendorsAgree(dialect: String) {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let samples = folder.appending(path: "SignetCriteriaTests/Golden/criteria-sample.json").path
        let result = CriteriaCheckTool.run([samples, "--dialect", dialect])
        #expect(result == (.agrees, "60 agree, 0 differ\n", ""))
    }

    @Test func twoFilesAreExplained() throws {
        let result = try Self.run(Self.criteria, Self.events)
        #expect(result.0 == .agrees && result.complaint.isEmpty)
        #expect(result.output.contains("strict: no match\n") && result.output.contains("iOS: criterion 7 matches\n"))
        #expect(result.output.contains("$.criteriaSets[0].searchQuery.searchQueries[0]"))
    }

    @Test func theJSONSaysTheSame() throws {
        let result = try Self.run(Self.criteria, Self.events, options: ["--json", "--dialect=ios"])
        let value = try JSONReader.read(Array(result.output.utf8).dropLast().map { $0 })
        let entry = try #require(value.array?.first?.object)
        #expect(entry["matched"] == "7" && entry["dialect"] == "iOS" && entry["differs"] == false)
    }

    @Test func refusedCriteriaDiffer() throws {
        let result = try Self.run(#"{"criteriaSets": 1}"#, Self.events, options: ["--dialect", "strict"])
        #expect(result.0 == .differs)
        #expect(result.output == "strict: refused: $.criteriaSets: wrongType: is not an array\n")
    }

    @Test func badFilesAndCommandLinesAreRefused() throws {
        #expect(CriteriaCheckTool.run(["/nowhere/at/all"]).0 == .badFile)
        for text in ["{", "{}", "[1]", #"[{"criteria": {}, "events": [], "expected": 1}]"#] {
            #expect(try Self.run(text).0 == .badFile, "\(text)")
        }
        #expect(try Self.run(Self.criteria, "{}").0 == .badFile)
        for words in [[], ["a", "b", "c"], ["--dialect"], ["--dialect", "web", "a"], ["--nonsense"], [""]] as [[String]]
        {
            #expect(CriteriaCheckTool.run(words).0 == .badUsage, "\(words)")
        }
        #expect(CriteriaCheckTool.run(["--help"]) == (.agrees, Arguments.usage + "\n", ""))
    }

    @Test func complaintsSayWhatIsWrongAndWhere() throws {
        func complaint(_ text: String) throws -> String { try Self.run(text).complaint }
        #expect(try complaint("").hasSuffix("0.json: is empty\n"))
        #expect(try complaint("null") == "criteria-check: $: wrongType: is not a list of cases\n")
        #expect(
            try complaint(#"[{"criteria": {}, "events": [], "expected": null}, {"criteria": {}, "events": []}]"#)
                == "criteria-check: $[1]: wrongType: is not an object with criteria, events and expected\n"
        )
        #expect(
            try complaint(#"[{"criteria": {}, "events": [1], "expected": null}]"#)
                == "criteria-check: $[0].events[0]: wrongType: is not an object\n"
        )
        #expect(CriteriaCheckTool.run(["/"]).complaint == "criteria-check: /: cannot be read\n")
        #expect(CriteriaCheckTool.run(["/dev/null"]).complaint == "criteria-check: /dev/null: is empty\n")
        #expect(CriteriaCheckTool.run(["/dev/zero"]).complaint == "criteria-check: /dev/zero: is larger than 64 MiB\n")
    }

    @Test func thePatternOfALeafThatIsNotBuiltIsNamed() throws {
        let criteria = Self.criteria.replacing("Equals", with: "MatchesRegex").replacing(
            #""a""#,
            with: #""(?=a)""#
        )
        let result = try Self.run(criteria, Self.events)
        #expect(result.0 == .differs)
        #expect(
            result.output.contains("unsupportedPattern") && result.output.contains("look-ahead"),
            "\(result.output)"
        )
    }
}
