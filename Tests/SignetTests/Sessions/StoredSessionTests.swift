//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct StoredSessionTests {
    private let stored = StoredSession(
        session: Session(uuid: UUID(), startTime: Date(milliseconds: 1_700_000_000_123)),
        lastActivity: 1_700_000_009_876,
        length: .milliseconds(9753)
    )

    @Test func whatIsWrittenIsRead() {
        #expect(StoredSession(decoding: self.stored.encoded()) == self.stored)
    }

    @Test func anyOtherBytesAreNone() {
        let bytes = self.stored.encoded()
        for count in 0..<bytes.count { #expect(StoredSession(decoding: Array(bytes.prefix(count))) == nil) }
        let id = self.stored.session.uuid.uuidString
        for text in [
            "", "[]", "{}", "\u{0}",
            #"{"uuid":"x","start":1,"last":2,"length":1}"#,
            #"{"uuid":"\#(id)","start":1.5,"last":2,"length":1}"#,
            #"{"uuid":"\#(id)","start":1,"last":2,"length":-1}"#,
            #"{"uuid":"\#(id)","start":1,"last":99999999999999999999,"length":1}"#,
        ] {
            #expect(StoredSession(decoding: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
