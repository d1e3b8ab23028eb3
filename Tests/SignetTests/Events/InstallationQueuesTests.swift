// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct InstallationQueuesTests {
    private static let limits = UploadLimits(interval: .seconds(10), priorityUploadDelay: .seconds(1))

    @Test func anEmptyOneGivesItsRoomBack() {
        var lines = InstallationQueues()
        for number: UInt32 in 1...1000 {
            let slot = lines.slot(of: number)
            _ = lines[slot].append(
                UInt64(number),
                EventMetadata(installation: number, mpid: nil),
                bytes: 1,
                Self.limits
            )
        }
        #expect(lines.used.count == 1000)
        for number: UInt32 in 1...1000 {
            guard let slot = lines.find(number) else { continue }
            lines[slot].removeFirst(1)
            lines.removeIfEmpty(slot)
        }
        #expect(lines.count == 0)
        #expect(lines.slots.isEmpty)
        let slot = lines.slot(of: 7)
        #expect(lines[slot].number == 7)
    }

    @Test func theOrderIsTheSameEachTime() {
        func order() -> [UInt32] {
            var lines = InstallationQueues()
            for number in (1...500 as ClosedRange<UInt32>).map({ $0 &* 7919 % 1009 }) {
                let slot = lines.slot(of: number)
                let tag = EventMetadata(installation: number, mpid: nil)
                _ = lines[slot].append(UInt64(number), tag, bytes: 1, Self.limits)
            }
            return lines.used.map { lines[$0].number }
        }
        #expect(order() == order())
    }
}
