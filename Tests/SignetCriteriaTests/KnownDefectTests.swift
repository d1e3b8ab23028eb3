// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// Defects of the shipping checkers and their storage that cannot happen here.
@Suite struct KnownDefectTests {
    private static func match(
        _ comparator: String,
        _ value: JSONValue,
        stored: JSONValue,
        _ dialect: CriteriaDialect
    ) throws -> Bool {
        let tree = Document.leaf("customEvent", Document.query("f", comparator, value))
        var fields = JSONObject()
        fields["f"] = stored
        // Through local storage, as in production.
        let record = try IterableRecord(line: IterableRecord.customEvent("e", dataFields: fields, at: 1).line)
        var evaluator = CriteriaEvaluator(try Criteria(Document.of(tree), dialect: dialect))
        return evaluator.record(record) != nil
    }

    @Test(arguments: CriteriaDialect.allCases)
    func aBooleanIsStillOneAfterItWasStored(_ dialect: CriteriaDialect) throws {
        #expect(try Self.match("Equals", "true", stored: true, dialect))
        #expect(try !Self.match("Equals", "1", stored: true, dialect))
        #expect(try !Self.match("LessThan", "4", stored: true, dialect))
        #expect(try !Self.match("Equals", "true", stored: 1, dialect))
    }

    @Test func zipCodesPhoneNumbersAndFractionsAreEqualToThemselves() throws {
        for text in ["02134", "+15550100", "0.5"] as [JSONValue] {
            #expect(try Self.match("Equals", text, stored: text, .strict), "\(text)")
            #expect(try !Self.match("Equals", text, stored: text, .iOS), "parity: \(text)")
        }
    }

    /// One SDK crashed on `isNotOneOf`, which has no value but a list.
    @Test(arguments: CriteriaDialect.allCases)
    func isNotOneOfNeedsNoValue(_ dialect: CriteriaDialect) throws {
        let tree = Document.leaf("customEvent", Document.query("f", "DoesNotEqual", in: ["a", "b"]))
        #expect(try Document.match(Document.of(tree), [Document.event("e", ["f": "c"])], dialect) == "1")
        #expect(try Document.match(Document.of(tree), [Document.event("e", ["f": "b"])], dialect) == nil)
    }

    /// The pattern of a criterion ran for as long as it liked, once for each event and evaluation.
    @Test(arguments: CriteriaDialect.allCases)
    func aPatternCannotHoldUpAnEvaluation(_ dialect: CriteriaDialect) throws {
        let text = JSONValue.string(String(repeating: "a", count: 4096))
        #expect(try !Self.match("MatchesRegex", "^(a+)+$b", stored: text, dialect))
    }

    /// As in the vendor's checkers in Kotlin and JavaScript: the one in Swift normalises, and a text of 80,000 accents on one
    /// letter held it up for seconds.
    @Test(arguments: CriteriaDialect.allCases)
    func textIsComparedByItsBytes(_ dialect: CriteriaDialect) throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        for (value, stored, isSame) in [(one, one, true), (two, two, true), (one, two, false), (two, one, false)] {
            for comparator in ["Equals", "StartsWith", "Contains"] {
                let holds = try Self.match(comparator, .string(value), stored: .string(stored), dialect)
                #expect(holds == isSame, "\(comparator) \(value.debugDescription) \(stored.debugDescription)")
            }
            #expect(try Self.match("DoesNotEqual", .string(value), stored: .string(stored), dialect) != isSame)
            #expect(try Self.match("Equals", .string(value), stored: [.string(stored)], dialect) == isSame)
            #expect(try Self.match("Contains", .string(value), stored: [.string(stored)], dialect) == isSame)
        }
        #expect(try Self.match("Contains", "e", stored: .string(two), dialect))
        #expect(try Self.match("Equals", .string(two), stored: .string(two + "s"), dialect) == false)
    }

    @Test(arguments: CriteriaDialect.allCases)
    func namesAreComparedByTheirBytes(_ dialect: CriteriaDialect) throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        func holds(_ tree: JSONValue, _ record: JSONValue) throws -> Bool {
            try Document.match(Document.of(tree), [record], dialect) != nil
        }
        for (asked, stored) in [(one, one), (two, two), (one, two), (two, one)] {
            func isSet(_ field: String, _ type: String = "customEvent", object: Bool = false) -> JSONValue {
                Document.leaf(type, Document.query(field, "IsSet", fieldType: object ? "object" : "string"))
            }
            let isSame = asked.utf8.elementsEqual(stored.utf8)
            // Fields, what lies inside, items, events' names, and types.
            var fields = JSONObject()
            fields[stored] = 1
            let nested: JSONObject = ["p": .object(fields)]
            #expect(try holds(isSet(asked), Document.event("e", fields)) == isSame)
            #expect(try holds(isSet("p." + asked), Document.event("e", nested)) == isSame)
            let item = isSet("shoppingCartItems." + asked, "purchase")
            #expect(try holds(item, Document.purchase(.object(fields))) == isSame)
            #expect(try holds(isSet(asked, object: true), Document.event(stored)) == isSame)
            #expect(try holds(isSet(asked + ".x"), Document.event(stored, ["x": 1])) == isSame)
            #expect(try holds(isSet("x", asked), ["eventType": .string(stored), "x": 1]) == isSame)
        }
    }
}
