// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import Signet

@Suite struct AttributeEditorTests {
    private static func editor(
        _ attributes: [String: AttributeValue] = [:],
        isKnown: Bool = true
    ) -> AttributeEditor {
        AttributeEditor(attributes, removals: isKnown ? [:] : nil, lastChange: 6)
    }

    @Test func theFirstSpellingOfAKeyStaysAlsoWhileItsRemovalWaits() throws {
        var editor = Self.editor()
        try editor.set("a", for: "Plan")
        try editor.set("b", for: "pLAN")
        #expect(editor.attributes == ["Plan": "b"])
        try editor.set(nil, for: "PLAN")
        #expect(editor.attributes == [:])
        #expect(editor.removals == ["Plan": 9])
        #expect(editor.changed == [:])
        try editor.set("c", for: "plan")
        #expect(editor.attributes == ["Plan": "c"])
        #expect(editor.removals == [:])
        #expect(editor.changed == ["Plan": 10])
        #expect(
            editor.events == [
                .attributeChange(name: "Plan", old: nil, new: "a"), .attributeChange(name: "Plan", old: "a", new: "b"),
                .attributeChange(name: "Plan", old: "b", new: nil), .attributeChange(name: "Plan", old: nil, new: "c"),
            ]
        )
    }

    /// The platform compares bytes.
    @Test func theSameTextInAnotherFormIsAChange() throws {
        var editor = Self.editor(["name": "Jos\u{E9}"])
        try editor.set("Jose\u{301}", for: "name")
        #expect(editor.events == [.attributeChange(name: "name", old: "Jos\u{E9}", new: "Jose\u{301}")])
        try editor.set("Jose\u{301}", for: "name")
        #expect(editor.events.count == 1)
    }

    @Test func aKeyInAnotherFormIsTheSameKeyAndTheFirstSpellingStays() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        var editor = Self.editor([composed: 1])
        try editor.set(2, for: decomposed)
        #expect(editor.attributes.keys.map { Array($0.utf8) } == [Array(composed.utf8)])
        try editor.set(nil, for: decomposed)
        #expect(editor.attributes.isEmpty)
        let names = editor.events.map { event -> [UInt8] in
            if case .attributeChange(let name, _, _) = event { Array(name.utf8) } else { [] }
        }
        #expect(names == [Array(composed.utf8), Array(composed.utf8)], "as the batches have it")
        #expect(editor.removals?.keys.map { Array($0.utf8) } == [Array(composed.utf8)])
    }

    @Test func theSameValueAndAMissingKeyAreNoChange() throws {
        let day = Date(timeIntervalSince1970: 1_700_000_000)
        // As a date comes back from disk.
        var editor = Self.editor(["a": 1, "tag": .null, "day": .string("2023-11-14T22:13:20+0000")])
        try editor.set(1, for: "A")
        try editor.set(.null, for: "tag")
        try editor.set(.date(day), for: "day")
        try editor.set(nil, for: "none")
        #expect(editor.events == [])
        #expect(editor.removals == [:])
        // Another type is another value.
        try editor.set(1.0, for: "a")
        #expect(editor.events == [.attributeChange(name: "a", old: 1, new: 1.0)])
    }

    @Test func whatThePlatformNeverHeardOfNeedsNoRemoval() throws {
        var editor = Self.editor(["a": 1], isKnown: false)
        try editor.set(nil, for: "a")
        #expect(editor.removals == nil)
        #expect(editor.changed == [:])
        #expect(editor.events.count == 1)
    }

    @Test func replacingRemovesTheOthersAndTellsOnlyWhatChanged() throws {
        var editor = Self.editor(["Keep": 1, "change": "x", "go": true])
        try editor.replaceAll(by: ["keep": 1, "change": "y", "new": ["a"]])
        #expect(editor.attributes == ["Keep": 1, "change": "y", "new": ["a"]])
        #expect(editor.removals?.keys.sorted() == ["go"])
        #expect(
            editor.events == [
                .attributeChange(name: "go", old: true, new: nil), .attributeChange(name: "change", old: "x", new: "y"),
                .attributeChange(name: "new", old: nil, new: ["a"]),
            ]
        )
        let error = #expect(throws: SignetError.self) { try editor.replaceAll(by: ["a": 1, "A": 2]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func anIncrementOfWholeNumbersIsExact() throws {
        var editor = Self.editor(["n": .integer(9_007_199_254_740_993)])
        #expect(try editor.increment("N", by: 2) == .integer(9_007_199_254_740_995))
        #expect(try editor.increment("new", by: -3) == -3)
        #expect(editor.attributes == ["n": .integer(9_007_199_254_740_995), "new": -3])
    }

    @Test func anIncrementWithADoubleIsADecimalSum() throws {
        var editor = Self.editor(["n": 1, "d": 0.1])
        #expect(try editor.increment("n", by: 0.5) == 1.5)
        #expect(try editor.increment("d", by: .double(0.2)) == .double(0.3))
        #expect(try editor.increment("d", by: .integer(1)) == .double(1.3))
    }

    @Test(
        arguments: [
            ("text", 1), ("tag", 1), ("list", 1), ("flag", 1), ("most", 1), ("huge", .double(.greatestFiniteMagnitude)),
            ("n", "1"), ("n", .null), ("n", true),
        ] as [(String, AttributeValue)]
    )
    func anIncrementThatCannotBeChangesNothing(key: String, amount: AttributeValue) {
        let attributes: [String: AttributeValue] = [
            "text": "7", "tag": .null, "list": [1], "flag": true, "most": .integer(.max),
            "huge": .double(.greatestFiniteMagnitude), "n": 1,
        ]
        var editor = Self.editor(attributes)
        let error = #expect(throws: SignetError.self) { try editor.increment(key, by: amount) }
        #expect(error?.code == .invalidArgument)
        #expect(editor.attributes == attributes)
        #expect(editor.events == [])
    }

    @Test func noMoreRemovalsWaitThanAllowed() throws {
        var editor = Self.editor()
        for number in 0..<AttributeEditor.removalLimit {
            try editor.set(1, for: "k\(number)")
            try editor.set(nil, for: "k\(number)")
        }
        try editor.set(1, for: "last")
        let error = #expect(throws: SignetError.self) { try editor.set(nil, for: "last") }
        #expect(error?.code == .limitReached)
        #expect(editor.attributes == ["last": 1])
    }
}
