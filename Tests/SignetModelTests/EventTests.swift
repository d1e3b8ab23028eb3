// SPDX-License-Identifier: Apache-2.0

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

    // The vendor's SDK forgets on a copy that an event begins no session.
    @Test func aCopyKeepsWhatItsOriginalSays() {
        var event = Event.custom("level")
        #expect(event.beginsSession && event.isUploaded)
        event.beginsSession = false
        event.isUploaded = false
        event.category = "games"
        var copy = event
        copy.attributes["level"] = 5
        #expect(!copy.beginsSession && !copy.isUploaded && copy.category == "games")
        copy.beginsSession = true
        #expect(!event.beginsSession)
    }

    @Test func optionsThatAreSetBackLeaveTheEventAsItWas() {
        var event = Event.screen("s")
        event.location = Location(latitude: 1, longitude: 2)
        #expect(event != .screen("s"))
        #expect(event.location == Location(latitude: 1, longitude: 2))
        event.location = nil
        #expect(event == .screen("s"))
        #expect(Set([event, .screen("s")]).count == 1)
    }

    @Test func theNineCustomEventTypesHaveTheirNames() {
        let names = [
            "navigation", "location", "search", "transaction", "user_content", "user_preference", "social", "other",
            "media",
        ]
        #expect(Event.CustomType.all.map(\.wireName) == names)
        for name in names { #expect(Event.CustomType(wireName: name)?.wireName == name) }
        #expect(Event.CustomType(wireName: "Navigation") == nil)
        #expect(Event.CustomType(wireName: "") == nil)
    }
}
