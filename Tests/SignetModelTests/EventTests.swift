//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

@Suite struct EventTests {
    @Test func anEventIsAValue() {
        let event = Event.custom("level", type: .other, attributes: ["level": 4])
        var changed = event
        changed.attributes["level"] = 5
        #expect(event.attributes == ["level": 4])
        #expect(event != changed)
        #expect(event == .custom("level", attributes: ["level": 4]))
        #expect(event.content == .custom(name: "level", type: .other))
        #expect(Event.screen("level").content == .screen(name: "level"))
        let purchase = Purchase(transactionID: "t", total: 3, currency: "EUR", products: [Product(id: "p", price: 3)])
        #expect(Event.purchase(purchase).content == .commerce(purchase.commerce))
    }

    @Test func theNineCustomEventTypesHaveTheirNames() {
        let names = [
            "navigation", "location", "search", "transaction", "user_content", "user_preference", "social", "other",
            "media",
        ]
        #expect(CustomEventType.all.map(\.wireName) == names)
        for name in names { #expect(CustomEventType(wireName: name)?.wireName == name) }
        #expect(CustomEventType(wireName: "Navigation") == nil)
        #expect(CustomEventType(wireName: "") == nil)
    }
}
