//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

@testable import Signet

@Suite struct EventTagTests {
    @Test(arguments: [nil, 1, -1, Int64.max, .min] as [Int64?], [EventTag.Urgency.regular, .prompt])
    func whatIsWrittenIsRead(mpid: Int64?, urgency: EventTag.Urgency) {
        let tag = EventTag(
            installation: .max - 7,
            mpid: mpid.flatMap(MPID.init(rawValue:)),
            session: 3,
            plan: 255,
            seconds: 1_700_000_000,
            urgency: urgency
        )
        let bytes = tag.encoded()
        #expect(bytes.count == EventTag.size)
        #expect(EventTag(bytes) == tag)
        for count in 0..<bytes.count { #expect(EventTag(Array(bytes.prefix(count))) == nil) }
        #expect(EventTag(bytes + [0]) == nil)
    }

    @Test func anotherVersionOrUrgencyIsNone() {
        var bytes = EventTag(installation: 1, mpid: nil).encoded()
        bytes[0] = 0x90
        #expect(EventTag(bytes) == nil)
        bytes[0] = 0x17
        #expect(EventTag(bytes) == nil)
    }
}
