// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct IntegrationLimitsTests {
    private func text(_ count: Int) -> String {
        String(repeating: "x", count: count)
    }

    private func code(_ attributes: [String: String], of integration: Int = 11) -> EventViolation.Code? {
        IntegrationLimits.violation(of: attributes, ofIntegration: integration)?.code
    }

    @Test func eachAttributeHasTheLimitsOfAnEventsAttribute() {
        #expect(self.code([:]) == nil)
        #expect(self.code([self.text(256): self.text(4096), "empty": ""]) == nil)
        #expect(self.code(["": "x"]) == .emptyAttributeKey)
        #expect(self.code([self.text(257): "x"]) == .attributeKeyTooLong)
        #expect(self.code(["k": self.text(4097)]) == .attributeValueTooLong)
    }

    @Test(arguments: [Int.min, -1, 0])
    func anIDIsPositive(id: Int) {
        #expect(self.code(["k": "v"], of: id) == .notAnIntegration)
        #expect(self.code([:], of: id) == .notAnIntegration)
    }

    @Test func togetherTheyAreCountedAsTheyAreWritten() {
        func code(_ length: Int) -> EventViolation.Code? {
            IntegrationLimits.violation(of: [1: ["k": self.text(length)], 22: ["k": ""]])?.code
        }
        let other = #"{"1":{"k":""},"22":{"k":""}}"#.utf8.count
        #expect(code(4096 - other) == nil)
        #expect(code(4097 - other) == .integrationAttributesTooLong)
    }

    @Test func aBatchHasThemByIDInOneOrder() throws {
        var batch = try BatchBodyTests().batch()
        batch.integrationAttributes = [11: ["vid": "\"v\"", "mid": "m"], 2: ["id": "a"]]
        let text = Samples.text(batch.encoded(events: []))
        let expected = #","integration_attributes":{"2":{"id":"a"},"11":{"mid":"m","vid":"\"v\""}},"events":[]}"#
        #expect(text.hasSuffix(expected))
        batch.integrationAttributes = [:]
        #expect(!Samples.text(batch.encoded(events: [])).contains("integration_attributes"))
    }
}
