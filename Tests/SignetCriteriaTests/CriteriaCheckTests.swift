// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import Testing

/// What an app can ask without a runtime.
@Suite struct CriteriaCheckTests {
    private static let criteria = Array(
        """
        {"criteriaSets":[{"criteriaId":"7","searchQuery":{"dataType":"purchase","searchCombo":{"combinator":"And",\
        "searchQueries":[{"field":"shoppingCartItems.name","comparatorType":"Equals","value":"tea"}]}}}]}
        """.utf8
    )

    @Test func singleRecordsAreRefusedByTheirPlaceAndWithTheReason() throws {
        let events = Array(
            """
            [{"eventType":"purchase","items":[{"name":"tea"}]}, {"name":"x"}, {"eventType":3}, {"dataType":"user"},
             {"eventType":"purchase","items":{}}, {"eventType":"updateCart","items":[{},1]},
             {"eventType":"customEvent","dataFields":[]}]
            """.utf8
        )
        let faults = try CriteriaCheck.faults(events: events).map(\.description)
        #expect(
            faults == [
                "$[1].eventType: missingMember: is missing; the record is skipped",
                "$[2].eventType: wrongType: is not text; the record is skipped",
                "$[4].items: wrongType: is not an array of objects; conditions ignore it",
                "$[5].items[1]: wrongType: is not an object: the list; conditions ignore it",
                "$[6].dataFields: wrongType: is not an object; conditions ignore it",
            ],
            "\(faults)"
        )
        // The others count all the same.
        #expect(try CriteriaCheck.matchedID(criteria: Self.criteria, events: events) == "7")
        #expect(try CriteriaCheck.records(events).count == 5)
    }

    @Test func eventsThatAreNoListOfObjectsAreRefused() throws {
        for (text, path) in [("{}", "$"), (#"[{"eventType":"user"},1]"#, "$[1]"), ("[", "$")] {
            let events = Array(text.utf8)
            let error = #expect(throws: CriteriaError.self) { try CriteriaCheck.faults(events: events) }
            #expect(error?.path == path)
            let same = #expect(throws: CriteriaError.self) {
                try CriteriaCheck.matchedID(criteria: Self.criteria, events: events)
            }
            #expect(same == error)
        }
    }
}
