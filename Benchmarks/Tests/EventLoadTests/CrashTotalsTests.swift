// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct CrashTotalsTests {
    private func event(
        _ producer: Int,
        _ number: Int,
        id: UInt64,
        bytes: UInt64 = 1,
        sound: Bool = true
    ) -> DeliveredEvent {
        let text = EventText(producer: producer, number: number, messageID: id, bytes: bytes)
        return DeliveredEvent(text: text, isSound: sound)
    }

    private func failures(_ recovered: [DeliveredEvent], _ delivered: [DeliveredEvent], left: Int = 0) -> [String] {
        var ledger = EventLedger()
        ledger.add(recovered)
        var totals = CrashTotals()
        totals.judge(recovered: ledger, delivered: delivered, returned: [2, 1], left: left)
        return totals.failures
    }

    @Test func everythingThatReturnedAndMoreIsFine() {
        let all = [self.event(0, 0, id: 1), self.event(0, 1, id: 2), self.event(1, 0, id: 3), self.event(1, 1, id: 4)]
        #expect(self.failures(all, []).isEmpty)
        #expect(self.failures(Array(all.dropFirst()), Array(all.prefix(2))).isEmpty)
    }

    @Test func anEventThatReturnedAndDidNotComeIsLost() {
        let failures = self.failures([self.event(0, 0, id: 1), self.event(1, 0, id: 3)], [])
        #expect(failures.count == 1 && failures.allSatisfy { $0.contains("1 events of producer 0 are lost") })
    }

    @Test func anEventThatCameAgainWithOtherBytesOrAnotherIDFails() {
        let all = [self.event(0, 0, id: 1), self.event(0, 1, id: 2), self.event(1, 0, id: 3)]
        #expect(self.failures(all, [self.event(0, 0, id: 1)]).isEmpty)
        #expect(self.failures(all, [self.event(0, 0, id: 1, bytes: 2)]).count == 1)
        #expect(self.failures(all, [self.event(0, 0, id: 9)]).count == 1)
        #expect(self.failures(all + [self.event(1, 1, id: 3)], []).count == 1)
    }

    @Test func anAlteredEventAndOneThatIsLeftFail() {
        let all = [self.event(0, 0, id: 1), self.event(0, 1, id: 2), self.event(1, 0, id: 3)]
        #expect(self.failures(all + [self.event(1, 1, id: 4, sound: false)], []).count == 1)
        #expect(self.failures(all, [], left: 1).count == 1)
    }
}
