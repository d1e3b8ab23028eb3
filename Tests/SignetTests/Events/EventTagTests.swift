//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct EventTagTests {
    @Test(arguments: [nil, 1, -1, Int64.max, .min] as [Int64?], [EventTag.Urgency.regular, .prompt])
    func whatIsWrittenIsRead(mpid: Int64?, urgency: EventTag.Urgency) {
        let tag = EventTag(
            installation: "cookie-\u{1F36A}",
            mpid: mpid.flatMap(MPID.init(rawValue:)),
            deviceApplicationStamp: UUID(),
            urgency: urgency
        )
        let bytes = tag.encoded()
        #expect(EventTag(bytes) == tag)
        for count in 0..<bytes.count { #expect(EventTag(Array(bytes.prefix(count))) == nil) }
    }

    @Test func theLongestInstallationIDFitsBesideAnEvent() {
        let id = InstallationID(String(repeating: "x", count: InstallationID.maximumLength))
        let tag = EventTag(installation: id, mpid: nil, deviceApplicationStamp: UUID(), urgency: .regular)
        #expect(tag.encoded().count <= 1024)
        #expect(EventTag(tag.encoded()) == tag)
    }

    @Test func anotherVersionOrUrgencyIsNone() {
        var bytes = EventTag(installation: "a", mpid: nil, deviceApplicationStamp: UUID(), urgency: .regular).encoded()
        bytes[0] = 9
        #expect(EventTag(bytes) == nil)
        bytes[0] = 1
        bytes[1] = 7
        #expect(EventTag(bytes) == nil)
    }
}
