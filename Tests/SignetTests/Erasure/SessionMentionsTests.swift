// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import Signet

/// The end of a session tells who was current in it, and is of one of them.
@Suite struct SessionMentionsTests {
    private static let one = IdentityFixture.mpid(-111)

    /// Takes the first user out.
    private static func remove(from text: String) -> String? {
        var subjects = ErasureSubjects([Tombstone(of: Self.one)])
        let changed = Array(text.utf8).withUnsafeBytes { SessionMentions.remove(&subjects, from: $0) }
        return changed.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"$SessionMPIDs":"-111,222,333","a":1}"#, #"{"$SessionMPIDs":"222,333"     ,"a":1}"#),
        (#"{"$SessionMPIDs":"222,-111"}"#, #"{"$SessionMPIDs":"222"     }"#),
        (#"{"$SessionMPIDs":"-111"}"#, #"{"$SessionMPIDs":""    }"#),
        // Who came back after the user only has not been away.
        (#"{"$SessionMPIDs":"222,-111,222,333,222"}"#, #"{"$SessionMPIDs":"222,333,222"         }"#),
        (
            #"[{"$SessionMPIDs":"-111"},{"$SessionMPIDs":"222,-111"}]"#,
            #"[{"$SessionMPIDs":""    },{"$SessionMPIDs":"222"     }]"#
        ),
        (#"{"previous_mpid":-111,"current_mpid":222}"#, #"{"previous_mpid":0   ,"current_mpid":222}"#),
        (#"{"previous_mpid":-111,"current_mpid":-111}"#, #"{"previous_mpid":0   ,"current_mpid":0   }"#),
        (
            #"[{"$SessionMPIDs":"222,-111"},{"previous_mpid":222,"current_mpid":-111}]"#,
            #"[{"$SessionMPIDs":"222"     },{"previous_mpid":222,"current_mpid":0   }]"#
        ),
    ])
    func onlyTheUserGoesAndTheNumberOfBytesStays(before: String, after: String) throws {
        let changed = try #require(Self.remove(from: before))
        #expect(changed == after)
        #expect(changed.utf8.count == before.utf8.count)
        _ = try JSONReader.read(Array(changed.utf8))
    }

    @Test(arguments: [
        #"{"$SessionMPIDs":"222,333"}"#, #"{"$SessionMPIDs":"1111,-1110"}"#, #"{"$SessionMPIDs":""}"#, #"{"a":"-111"}"#,
        #"{"a":"\"$SessionMPIDs\":\"-111\""}"#, #"{"$SessionMPIDs":"-111"#, #"{"$SessionMPIDs":""#, "",
        #"{"previous_mpid":111,"current_mpid":-1110}"#, #"{"previous_mpid":"-111"}"#, #"{"previous_mpid":"#,
    ])
    func everythingElseStays(text: String) {
        #expect(Self.remove(from: text) == nil)
    }

    @Test func onlyTheEndOfASessionAndProfileEventsAreLookedAt() {
        var subjects = ErasureSubjects([Tombstone(of: Self.one)])
        let rest = #","data":{"timestamp_unixtime_ms":1,"custom_attributes":{"$SessionMPIDs":"-111"}}}"#
        for (type, isChanged) in [("session_end", true), ("profile", true), ("custom_event", false)] {
            let event = Array((#"{"event_type":""# + type + "\"" + rest).utf8)
            let changed = event.withUnsafeBytes { SessionMentions.remove(&subjects, fromEvent: $0) }
            #expect((changed != nil) == isChanged)
        }
    }
}
