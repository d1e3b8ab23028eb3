// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

@Suite struct CriteriaDecoderTests {
    private static let set = "$.criteriaSets[0]"
    private static let query = "$.criteriaSets[0].searchQuery.searchCombo.searchQueries[0]"

    private static func fault(_ document: JSONValue, _ limits: CriteriaLimits = CriteriaLimits()) -> CriteriaError? {
        #expect(throws: CriteriaError.self) { try Criteria(document, dialect: .strict, limits: limits) }
    }

    /// A leaf with one query that has these members beside its field and comparator.
    private static func leaf(_ comparator: JSONValue, _ members: JSONObject) -> JSONValue {
        var query: JSONObject = ["dataType": "customEvent", "field": "f", "comparatorType": comparator]
        for (key, value) in members { query[key] = value }
        return Document.leaf("customEvent", .object(query))
    }

    private static func expect(
        _ document: JSONValue,
        _ code: CriteriaError.Code,
        at path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = Self.fault(document)
        #expect(error?.code == code && error?.path == path, "\(error as Any)", sourceLocation: sourceLocation)
        // The vendor's checker takes everything and finds nothing.
        #expect(
            try Document.match(document, [Document.event("f", ["f": "x"])], .iOS) == nil,
            sourceLocation: sourceLocation
        )
    }

    @Test func faultsOfTheDocumentHaveAPath() throws {
        try Self.expect([], .wrongType, at: "$")
        try Self.expect(["criteriaList": []], .missingMember, at: "$.criteriaSets")
        try Self.expect(["criteriaSets": 1], .wrongType, at: "$.criteriaSets")
        try Self.expect(["criteriaSets": [1]], .wrongType, at: Self.set)
        try Self.expect(["criteriaSets": [["searchQuery": [:]]]], .missingMember, at: Self.set + ".criteriaId")
        try Self.expect(["criteriaSets": [["criteriaId": true]]], .wrongType, at: Self.set + ".criteriaId")
        try Self.expect(["criteriaSets": [["criteriaId": "1"]]], .missingMember, at: Self.set + ".searchQuery")
    }

    @Test func faultsOfATreeHaveAPath() throws {
        let root = Self.set + ".searchQuery"
        try Self.expect(Document.of(1), .wrongType, at: root)
        try Self.expect(Document.of([:]), .missingMember, at: root + ".dataType")
        try Self.expect(Document.of(["searchQueries": []]), .missingMember, at: root + ".combinator")
        try Self.expect(Document.of(Document.node("and")), .unknownName, at: root + ".combinator")
        let node: JSONValue = ["combinator": "And", "searchQueries": 1]
        try Self.expect(Document.of(node), .wrongType, at: root + ".searchQueries")
        try Self.expect(Document.of(Document.node("And", 1)), .wrongType, at: root + ".searchQueries[0]")
        try Self.expect(Document.of(["dataType": "customEvent"]), .missingMember, at: root + ".searchCombo")
        let combo: JSONValue = ["dataType": "customEvent", "searchCombo": [:]]
        try Self.expect(Document.of(combo), .wrongType, at: root + ".searchCombo")
        let leaf = Document.leaf("customEvent", joinedBy: "or")
        try Self.expect(Document.of(leaf), .unknownName, at: root + ".searchCombo.combinator")
    }

    @Test func faultsOfAQueryHaveAPath() throws {
        try Self.expect(Document.of(Document.leaf("customEvent", 1)), .wrongType, at: Self.query)
        try Self.expect(Document.of(Document.leaf("customEvent", [:])), .missingMember, at: Self.query + ".field")
        try Self.expect(
            Document.of(Self.leaf("equals", ["value": "x"])),
            .unknownName,
            at: Self.query + ".comparatorType"
        )
        try Self.expect(Document.of(Self.leaf(1, ["value": "x"])), .missingMember, at: Self.query + ".comparatorType")
        try Self.expect(Document.of(Self.leaf("Equals", [:])), .missingMember, at: Self.query + ".value")
        try Self.expect(Document.of(Self.leaf("Equals", ["value": nil])), .missingMember, at: Self.query + ".value")
        try Self.expect(Document.of(Self.leaf("Equals", ["value": []])), .wrongType, at: Self.query + ".value")
        try Self.expect(Document.of(Self.leaf("Equals", ["values": "x"])), .wrongType, at: Self.query + ".values")
        try Self.expect(
            Document.of(Self.leaf("Equals", ["values": ["x", [:]]])),
            .wrongType,
            at: Self.query + ".values[1]"
        )
    }

    @Test func aPatternOutsideOfTheSyntaxIsAnErrorUnderStrictAndNoMatchUnderIOS() throws {
        let document = Document.of(Self.leaf("MatchesRegex", ["value": "x(?=y)"]))
        try Self.expect(document, .unsupportedPattern, at: Self.query + ".value")
        #expect(Self.fault(document)?.message == "unsupported pattern: look-ahead (?= or (?! at character 1")
        try Self.expect(
            Document.of(Self.leaf("MatchesRegex", ["value": "("])),
            .invalidPattern,
            at: Self.query + ".value"
        )

        let report = try Criteria(document, dialect: .iOS).evaluate([.customEvent("f", dataFields: ["f": "xy"], at: 1)])
        let notes = report.entries.flatMap(\.leaves).flatMap(\.notes)
        #expect(report.matchedID == nil && notes.count == 1 && notes[0].contains("unsupported pattern"), "\(report)")
        #expect("\(report)".contains("unsupported pattern: look-ahead"))
    }

    /// In a project one of whose criteria cannot be read, nobody was ever activated.
    @Test(arguments: [
        Self.leaf("MatchesRegex", ["value": "^(?=a)b"]), Self.leaf("MatchesRegex", ["value": "("]),
        Self.leaf("SoundsLike", ["value": "x"]), Document.node("Xor"), Document.node("Not", 1), 1,
    ])
    func aCriterionThatCannotBeReadIsSkippedUnderStrict(_ bad: JSONValue) throws {
        let good = Document.leaf("customEvent", Document.query("f", "Equals", "x"))
        // It leaves nothing behind: the leaves that were read before its fault are gone.
        let half = Document.node("And", good, bad)
        let event = Document.event("e", ["f": "x"])
        for document in [Document.of(bad, good), Document.of(half, good), Document.of(half, good, bad)] {
            let report = try Criteria(document).evaluate(CriteriaCheck.records([event]))
            #expect(report.matchedID == "2" && report.entries.map(\.id) == ["2"])
            #expect(report.entries[0].leaves.map(\.path) == ["$.criteriaSets[1].searchQuery"])
            #expect(report.skipped.first?.path.hasPrefix(Self.set) == true, "\(report.skipped)")
            #expect("\(report)".contains("\n  skipped: $.criteriaSets[0]"))
            let skipped = try CriteriaCheck.skipped(criteria: document.encoded())
            #expect(skipped == report.skipped)
            #expect(try CriteriaCheck.skipped(criteria: document.encoded(), dialect: .iOS).isEmpty)
        }
        #expect(try Criteria(Document.of(half, good, bad)).skipped.count == 2)
        #expect(try Document.match(Document.of(good, bad), [event], .strict) == "1")
    }

    @Test func whereNoCriterionCanBeReadTheDocumentIsRefused() throws {
        let bad = Self.leaf("SoundsLike", ["value": "x"])
        try Self.expect(Document.of(bad, 1), .unknownName, at: Self.query + ".comparatorType")
        #expect(try Criteria(["criteriaSets": []]).skipped.isEmpty)
    }

    @Test func numbersAndTruthValuesAreValuesUnderStrict() throws {
        func match(_ value: JSONValue, _ stored: JSONValue, _ dialect: CriteriaDialect) throws -> String? {
            let document = Document.of(Self.leaf("Equals", ["value": value]))
            return try Document.match(document, [Document.event("e", ["f": stored])], dialect)
        }
        for (value, stored) in [(3, 3), (3.0, 3), (true, true), (false, false), (3, "3")] as [(JSONValue, JSONValue)] {
            #expect(try match(value, stored, .strict) == "1" && match(value, stored, .iOS) == nil, "\(value)")
        }
        #expect(try match(1, true, .strict) == nil && match(true, 1, .strict) == nil)
    }

    @Test func aValueBesideAListCountsUnderIOSAlsoAnEmptyOneAndNullSpoilsIt() throws {
        for (value, matched) in [("", ""), ("y", "y"), (nil, nil)] as [(JSONValue, String?)] {
            for comparator in ["Equals", "DoesNotEqual"] as [JSONValue] {
                let document = Document.of(Self.leaf(comparator, ["value": value, "values": ["x"]]))
                for stored in ["x", "y", "", "z"] {
                    let event = Document.event("e", ["f": .string(stored)])
                    let isEqual = comparator == "Equals"
                    let strict = (stored == "x") == isEqual
                    #expect(try (Document.match(document, [event], .strict) != nil) == strict, "\(stored)")
                    let vendor = matched != nil && (stored == matched) == isEqual
                    #expect(try (Document.match(document, [event], .iOS) != nil) == vendor, "\(value) \(stored)")
                }
            }
        }
        // And so it is with comparators that take no list there.
        let begins = Document.of(Self.leaf("StartsWith", ["value": "", "values": ["x"]]))
        #expect(try Document.match(begins, [Document.event("e", ["f": "y"])], .iOS) == "1")
        let isSet = Document.of(Self.leaf("IsSet", ["value": "", "values": ["x"]]))
        #expect(try Document.match(isSet, [Document.event("e", ["f": "y"])], .iOS) == "1")
    }

    @Test func onlyEqualityTakesAListUnderIOS() throws {
        for (comparator, list) in [("GreaterThan", ["9", "2"]), ("Contains", ["9", "3"]), ("IsSet", [])]
            as [(JSONValue, JSONValue)]
        {
            let document = Document.of(Self.leaf(comparator, ["values": list]))
            #expect(try Document.match(document, [Document.event("e", ["f": "3"])], .strict) == "1", "\(comparator)")
            #expect(try Document.match(document, [Document.event("e", ["f": "3"])], .iOS) == nil, "\(comparator)")
        }
        let empty = Document.of(Self.leaf("DoesNotEqual", ["values": []]), Self.leaf("Equals", ["values": []]))
        for dialect in CriteriaDialect.allCases {
            #expect(try Document.match(empty, [Document.event("e", ["f": "3"])], dialect) == "1")
        }
    }

    @Test func isSetNeedsAValueUnderIOS() throws {
        let document = Document.of(Self.leaf("IsSet", [:]))
        #expect(try Document.match(document, [Document.event("e", ["f": 1])], .strict) == "1")
        #expect(try Document.match(document, [Document.event("e", ["f": 1])], .iOS) == nil)
    }

    @Test func aNumericIdIsNotSeenUnderIOS() throws {
        let document: JSONValue = [
            "criteriaSets": [
                ["criteriaId": 12_345_678_901, "searchQuery": Document.node("And")],
                ["criteriaId": "2", "searchQuery": Document.node("And")],
            ]
        ]
        #expect(try Document.match(document, [Document.event("e")], .strict) == "12345678901")
        #expect(try Document.match(document, [Document.event("e")], .iOS) == "2")
    }

    @Test(arguments: CriteriaDialect.allCases)
    func limitsAreErrorsInEachDialect(_ dialect: CriteriaDialect) {
        func code(_ document: JSONValue, _ limits: CriteriaLimits) -> CriteriaError? {
            #expect(throws: CriteriaError.self) { try Criteria(document, dialect: dialect, limits: limits) }
        }
        let node = Document.node("And")
        let deep = (0..<5).reduce(node) { tree, _ in Document.node("And", tree) }
        #expect(code(Document.of(deep), CriteriaLimits(depth: 5))?.message == "more than 5 nodes inside each other")
        #expect(code(Document.of(Document.node("And", node)), CriteriaLimits(nodes: 1))?.message == "more than 1 nodes")
        let two = Document.leaf("user", Document.query("f", "IsSet"), Document.query("f", "IsSet"))
        #expect(code(Document.of(two), CriteriaLimits(queries: 1))?.message == "more than 1 queries")
        let list = Document.leaf("user", Document.query("f", "Equals", in: ["a", "b"]))
        #expect(code(Document.of(list), CriteriaLimits(values: 1))?.message == "more than 1 values")
        #expect(throws: CriteriaError.self) { try Criteria(json: Array("{} ".utf8), limits: CriteriaLimits(bytes: 2)) }
    }

    /// Under `.strict` only the criterion that exceeds a limit is left out.
    @Test func oneThatExceedsALimitTakesNoOtherAlong() throws {
        let node = Document.node("And")
        let deep = (0..<5).reduce(node) { tree, _ in Document.node("And", tree) }
        for (document, limits) in [
            (Document.of(node, deep, node), CriteriaLimits(depth: 5)),
            (Document.of(node, Document.node("Or", node, node, node), node), CriteriaLimits(nodes: 3)),
        ] {
            let criteria = try Criteria(document, limits: limits)
            #expect(criteria.criteria.count == 2)
            #expect(criteria.skipped.map(\.code) == [.limitExceeded])
            #expect(throws: CriteriaError.self) { try Criteria(document, dialect: .iOS, limits: limits) }
        }
        let many = try Criteria(Document.of(node, node, node), limits: CriteriaLimits(criteria: 2))
        #expect(many.criteria.count == 2)
        #expect(many.skipped.map(\.description) == ["$.criteriaSets[2]: limitExceeded: more than 2 criteria"])
        #expect(throws: CriteriaError.self) {
            try Criteria(Document.of(node, node, node), dialect: .iOS, limits: CriteriaLimits(criteria: 2))
        }
    }

    /// A server that cuts a text in the middle of a character makes half a pair.
    @Test(arguments: [
        #""name":"x","criteriaId":"2\ud83d""#, #""criteriaId":"2","searchQuery":{"combinator":"And\ud83d"}"#,
    ]) func oneThatCannotBeReadTakesNoOtherAlong(_ members: String) throws {
        let good = String(decoding: Document.of(Document.node("And")).encoded(), as: UTF8.self)
        let end = #"{\#(members)}]}"#
        let text = String(good.dropLast(2)) + "," + end
        let criteria = try Criteria(json: Array(text.utf8))
        #expect(criteria.criteria.count == 1 && criteria.skipped.count == 1)
        #expect(throws: CriteriaError.self) { try Criteria(json: Array(text.utf8), dialect: .iOS) }
    }

    @Test(arguments: CriteriaDialect.allCases)
    func theDeepestTreeIsDecodedFromBytes(_ dialect: CriteriaDialect) throws {
        for depth in [32, 200] {
            let leaf = Document.leaf("user", Document.query("f", "Equals", in: ["a"]))
            let deep = (1..<depth).reduce(leaf) { tree, _ in Document.node("And", tree) }
            let limits = CriteriaLimits(depth: depth)
            _ = try Criteria(json: Document.of(deep).encoded(), dialect: dialect, limits: limits)
            let error = #expect(throws: CriteriaError.self) {
                let deeper = Document.of(Document.node("And", deep))
                return try Criteria(json: deeper.encoded(), dialect: dialect, limits: limits)
            }
            #expect(error?.code == .limitExceeded)
        }
    }
}
