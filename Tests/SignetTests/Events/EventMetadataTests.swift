// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct EventMetadataTests {
    @Test(arguments: [nil, 1, -1, Int64.max, .min] as [Int64?], [EventMetadata.Place.outside, .inside, .begin])
    func whatIsWrittenIsRead(mpid: Int64?, place: EventMetadata.Place) {
        for urgency in [EventMetadata.Urgency.regular, .prompt] { Self.check(mpid, place, urgency) }
    }

    private static func check(_ mpid: Int64?, _ place: EventMetadata.Place, _ urgency: EventMetadata.Urgency) {
        let tag = EventMetadata(
            installation: .max - 7,
            mpid: mpid.flatMap(MPID.init(rawValue:)),
            place: place,
            context: 0xBEEF,
            own: 0xDEAD_BEEF,
            seconds: 1_700_000_000,
            urgency: urgency
        )
        let bytes = tag.encoded()
        #expect(bytes.count == EventMetadata.size)
        #expect(EventMetadata(bytes) == tag)
        for count in 0..<bytes.count { #expect(EventMetadata(Array(bytes.prefix(count))) == nil) }
        #expect(EventMetadata(bytes + [0]) == nil)
    }

    @Test func anotherVersionIsNone() {
        var bytes = EventMetadata(installation: 1, mpid: nil).encoded()
        for version: UInt8 in [0, 2, 3, 7] {
            bytes[0] = version << 5
            #expect(EventMetadata(bytes) == nil)
        }
    }

    @Test func theTimeIsKeptToTheMinuteAndWithinBounds() {
        func seconds(_ given: Int64) -> Int64 { EventMetadata(installation: 1, mpid: nil, seconds: given).seconds }
        #expect(seconds(1_700_000_059) == 1_700_000_040)
        #expect(seconds(.min) == 1_577_836_800)
        #expect(seconds(.max) == 1_577_836_800 + 60 * (1 << 24 - 1))
    }
}
