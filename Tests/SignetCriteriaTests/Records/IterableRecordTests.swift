// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel
import SignetTransport
import Testing

@Suite struct IterableRecordTests {
    @Test func recordsHaveTheFormOfLocalStorage() throws {
        func text(_ record: IterableRecord) -> String { String(decoding: record.line, as: UTF8.self) }
        #expect(
            text(.customEvent("e", dataFields: ["a": 1], at: 7))
                == #"{"eventType":"customEvent","eventTimeStamp":7,"eventName":"e","createdAt":7,"createNewFields":true,"dataFields":{"a":1}}"#
        )
        #expect(
            text(.purchase([["id": "1"]], total: JSONNumber(3), at: 7))
                == #"{"eventType":"purchase","eventTimeStamp":7,"createdAt":7,"total":3,"items":[{"id":"1"}]}"#
        )
        #expect(
            text(.cartUpdate([], at: 7)) == #"{"eventType":"updateCart","eventTimeStamp":7,"createdAt":7,"items":[]}"#
        )
        #expect(
            text(.userUpdate(["a": nil], at: 7))
                == #"{"eventType":"user","eventTimeStamp":7,"mergeNestedObjects":false,"dataFields":{"a":null}}"#
        )
    }

    @Test func typesSurviveALine() throws {
        let fields: JSONObject = [
            "bool": true, "one": 1, "double": 1.0, "null": nil, "text": "1", "list": [true, 1, 1.5],
        ]
        let record = IterableRecord.customEvent("e\n", dataFields: fields, at: 1)
        let again = try IterableRecord(line: record.line)
        #expect(again == record && !record.line.contains(UInt8(ascii: "\n")))
        #expect(again.dataFields == fields && again.dataFields?["double"] != 1 && again.dataFields?["one"] != true)
        let long = #"{"eventType":"user","dataFields":{"id":12345678901234567890}}"#
        #expect(try String(decoding: IterableRecord(line: Array(long.utf8)).line, as: UTF8.self) == long)
    }

    @Test func membersAreReadBack() {
        let purchase = IterableRecord.purchase([["id": "1"]], total: JSONNumber(3), dataFields: ["x": 1], at: 9)
        #expect(purchase.kind == .purchase && purchase.items?.count == 1 && purchase.createdAt == 9)
        #expect(purchase.total?.text == "3" && purchase.dataFields == ["x": 1])
        let update = IterableRecord.userUpdate(["x": 1], mergesNestedObjects: true, at: 9)
        #expect(update.mergesNestedObjects && update.createdAt == 9 && update.eventName == nil)
        #expect(IterableRecord.customEvent("e", at: 1).eventName == "e")
    }

    @Test func theMessageThatAPurchaseIsOwedToIsKeptAndIsNoFieldOfIt() throws {
        let purchase = IterableRecord.purchase([["id": "1"]], total: JSONNumber(3), campaign: 12, template: 34, at: 9)
        let again = try IterableRecord(line: purchase.line)
        #expect(again.campaign == 12 && again.template == 34)
        let isSet = Document.leaf("purchase", Document.query("campaignId", "IsSet", ""))
        #expect(try Document.holds(isSet, .object(again.members)) == (false, false))
    }

    @Test func theOlderNameOfTheTypeIsMigrated() throws {
        let record = try IterableRecord(line: Array(#"{"dataType":"purchase","total":1}"#.utf8))
        #expect(record.kind == .purchase && record.members.keys == ["total", "eventType"])
    }

    @Test func aLaterUpdateWinsFieldByField() {
        let first = IterableRecord.userUpdate(["a": 1, "b": ["x": 1, "y": 1]], at: 1)
        let merged = first.merging(.userUpdate(["b": ["x": 2], "c": nil], mergesNestedObjects: true, at: 2))
        #expect(merged.dataFields == ["a": 1, "b": ["x": 2], "c": nil])
        #expect(merged.createdAt == 2 && merged.mergesNestedObjects && merged.kind == .userUpdate)
    }

    @Test func descriptionsTellNothingOfTheVisitor() {
        let record = IterableRecord.customEvent("secret", dataFields: ["secret": "secret"], at: 1)
        var dumped = ""
        dump(record, to: &dumped)
        #expect(!"\(record)".contains("secret") && !dumped.contains("secret"))
    }

    @Test func attributesKeepTheirTypes() {
        let values: [AttributeValue] = [1, 1.5, true, .null, ["x", 2], .double(.nan)]
        #expect(values.map { JSONValue($0) } == [1, 1.5, true, nil, ["x", 2], nil])
    }
}
