// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
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

    @Test func whatAKillCutsOffDoesNotHideWhatTheNextProcessDelivers() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        let paths = ["\(folder)/0", "\(folder)/1"]
        for (index, path) in paths.enumerated() {
            let file = try FileBytes.create(path)
            defer { close(file) }
            try DeliveredEvent.append([self.event(index, 0, id: UInt64(index)), self.event(index, 1, id: 9)], to: file)
            // A kill cuts at a page: here in the middle of the second one.
            #expect(ftruncate(file, 56) == 0)
        }
        #expect(try DeliveredEvent.read(paths).map(\.text.producer) == [0, 1])
    }

    @Test func anAlteredEventAndOneThatIsLeftFail() {
        let all = [self.event(0, 0, id: 1), self.event(0, 1, id: 2), self.event(1, 0, id: 3)]
        #expect(self.failures(all + [self.event(1, 1, id: 4, sound: false)], []).count == 1)
        #expect(self.failures(all, [], left: 1).count == 1)
    }
}
