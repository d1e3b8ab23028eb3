// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import Testing

@testable import SignetEmulator

/// The `data` of an event, as the author of a test reads it.
@Suite struct EmulatedValueTests {
    private func event() throws -> EmulatedEvent {
        EmulatedEvent(
            type: "commerce_event",
            mpid: try #require(MPID(rawValue: 1)),
            data: [
                "session_duration_ms": 2500, "flag": true, "nothing": nil,
                "custom_flags": ["b": "1", "a": "2"],
                "product_action": ["total_amount": 9.5, "products": [["name": "boots", "quantity": 2]]],
            ],
            batchID: nil,
            defaultTimestamp: 0
        )
    }

    @Test func eachKindIsReadAsWhatItIs() throws {
        let event = try self.event()
        let duration = event["session_duration_ms"]
        #expect(duration?.integer == 2500)
        #expect(duration?.number == 2500)
        #expect(duration?.text == nil && duration?.bool == nil && duration?.list == nil && duration?.names == nil)
        #expect(event["flag"]?.bool == true)
        #expect(event["product_action"]?["total_amount"]?.number == 9.5)
        #expect(event["product_action"]?["total_amount"]?.integer == nil)
        let products = event["product_action"]?["products"]?.list
        #expect(products?.count == 1)
        #expect(products?.first?["name"]?.text == "boots")
    }

    @Test func objectsKeepTheirOrder() throws {
        let event = try self.event()
        #expect(event["custom_flags"]?.names == ["b", "a"])
        #expect(event["custom_flags"]?.jsonText == #"{"b":"1","a":"2"}"#)
    }

    @Test func aMemberOfNullIsThereAndOneThatIsMissingIsNot() throws {
        let event = try self.event()
        #expect(event["nothing"]?.jsonText == "null")
        #expect(event["missing"] == nil)
        #expect(event["flag"]?["x"] == nil)
    }
}
