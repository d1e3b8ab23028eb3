// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import Testing

@testable import event_load

/// The elements and the texts of an XML document.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var attributes: [(name: String, attributes: [String: String])] = []
    private(set) var texts: [String] = []
    private var text = ""

    static func read(_ xml: String) throws -> Elements {
        let elements = Elements()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = elements
        try #require(parser.parse(), "no XML: \(String(describing: parser.parserError))")
        return elements
    }

    func of(_ name: String, _ kind: String) -> [[String: String]] {
        let named = self.attributes.filter { $0.name == name }.map(\.attributes)
        return named.filter { $0["class"]?.split(separator: " ").contains(kind[...]) == true }
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        self.attributes.append((name, attributes))
        self.text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        self.text += string
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "text" { self.texts.append(self.text) }
    }
}

@Suite struct RatioChartTests {
    private static let bars = [
        RatioBar(label: "accept, 1 task: CPU / (a + b)", value: 6, goal: .atMost(2)),
        RatioBar(label: #"<b> & "c" 'd'"#, value: 0.91, goal: .atLeast(0.8)),
        RatioBar(label: "without a goal", value: 3, goal: nil),
    ]

    @Test func eachRatioIsABarAndEachGoalAMark() throws {
        let elements = try Elements.read(RatioChart(bars: Self.bars).svg)
        #expect(elements.of("rect", "bar").count == 3)
        #expect(elements.of("rect", "missed").count == 1)
        #expect(elements.of("line", "goal").count == 2)
        #expect(elements.of("line", "floor").count == 3)
    }

    @Test func lengthsAreTheRatios() throws {
        let elements = try Elements.read(RatioChart(bars: Self.bars).svg)
        let widths = elements.of("rect", "bar").compactMap { $0["width"].flatMap(Double.init) }
        try #require(widths.count == 3)
        #expect(abs(widths[0] / widths[2] - 2) < 0.01)
        #expect(abs(widths[1] / widths[0] - 0.91 / 6) < 0.01)
        // The mark of the first goal stands at a third of the first bar.
        let start = try #require(elements.of("rect", "bar").first?["x"].flatMap(Double.init))
        let mark = try #require(elements.of("line", "goal").first?["x1"].flatMap(Double.init))
        #expect(abs((mark - start) / widths[0] - 2.0 / 6) < 0.01)
    }

    @Test func namesAreEscapedAndReadAsThemselves() throws {
        let svg = RatioChart(bars: Self.bars).svg
        #expect(!svg.contains("<b>"))
        let elements = try Elements.read(svg)
        for bar in Self.bars { #expect(elements.texts.contains(bar.label)) }
        #expect(elements.texts.contains("6 x, goal at most 2 x, missed"))
        #expect(elements.texts.contains("0.910 x, goal at least 0.800 x"))
    }

    @Test func controlCharactersAreLeftOut() throws {
        let svg = RatioChart(bars: [RatioBar(label: "a\u{0}\u{1B}b\u{FFFF}", value: 1, goal: nil)]).svg
        #expect(try Elements.read(svg).texts.contains("ab"))
    }

    @Test func thePictureHasNoScriptAndLoadsNothing() throws {
        let elements = try Elements.read(RatioChart(bars: Self.bars).svg)
        let names = Set(elements.attributes.map(\.name))
        #expect(names == ["svg", "title", "style", "text", "rect", "line"])
        #expect(elements.attributes.allSatisfy { $0.attributes["href"] == nil })
    }

    @Test func ratiosWithAGoalAndThoseOfTheTableAreShown() throws {
        let json = """
            {"scenario": "recovery", "failures": [], "series": [{"name": "warm", "figures": [
            {"name": "opening the runtime", "unit": "s", "median": 1, "runs": [1], "goal": "<= 1", "isGoalMet": true},
            {"name": "opening / reading", "unit": "x", "median": 2, "runs": [2]},
            {"name": "opening / (reading and CRC-32C)", "unit": "x", "median": 0.9, "runs": [0.9]},
            {"name": "new", "unit": "x", "median": 3, "runs": [3], "goal": ">= 1,000", "isGoalMet": false}]}]}
            """
        let bars = RatioBar.all(of: try ReportFile(json: Array(json.utf8), from: "recovery.json"))
        #expect(bars.map(\.label) == ["recovery, warm: opening / (reading and CRC-32C)", "recovery, warm: new"])
        #expect(bars.map(\.isMet) == [true, false])
        #expect(bars.last?.goal?.bound == 1000)
    }

    @Test(arguments: [Goal.atLeast(0.8), .atMost(2), .atLeast(500_000)])
    func goalsAreReadBack(goal: Goal) {
        #expect(Goal(text: goal.text)?.text == goal.text)
    }

    @Test(arguments: ["", "<= ", "== 2", "2"])
    func otherTextsAreNoGoals(text: String) {
        #expect(Goal(text: text)?.bound == nil)
    }
}
