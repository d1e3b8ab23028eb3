// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The waiting events around one event.
@Suite struct EventTrailTests {
    private let session = UUID()

    private func json(_ kind: String, at milliseconds: Int, session: UUID? = nil, id: UUID = UUID()) -> [UInt8] {
        let rest = session.map { #","session_uuid":"\#($0.uuidString)","session_start_unixtime_ms":1"# } ?? ""
        let head = #"{"event_type":"\#(kind)","data":{"timestamp_unixtime_ms":\#(milliseconds)"#
        return Array((head + #","source_message_id":"\#(id.uuidString.lowercased())"\#(rest)}}"#).utf8)
    }

    @Test func theBeginAndTheEndOfTheSessionAreThoseOfTheEvent() {
        var trail = EventTrail(of: 3, session: self.session)
        trail.take(1, self.json("session_end", at: 10, session: UUID()))
        trail.take(2, self.json("session_start", at: 20, session: self.session))
        trail.take(3, self.json("custom_event", at: 30, session: self.session))
        trail.take(4, self.json("session_end", at: 40, session: self.session))
        trail.take(5, self.json("session_start", at: 50, session: UUID()))
        #expect(trail.begin == EventTrail.Moment(sequence: 2, milliseconds: 20))
        #expect(trail.end == EventTrail.Moment(sequence: 4, milliseconds: 40))
    }

    @Test func anEventOutsideOfSessionsHasNeither() {
        var trail = EventTrail(of: 3, session: nil)
        trail.take(1, self.json("session_start", at: 10))
        trail.take(4, self.json("session_end", at: 40, session: self.session))
        #expect(trail.begin == nil)
        #expect(trail.end == nil)
    }

    @Test func theLastChangesOfIdentitiesBeforeTheEventAreKept() {
        var trail = EventTrail(of: 8, session: nil)
        for sequence in 1...9 as ClosedRange<UInt64> {
            trail.take(sequence, self.json("user_identity_change", at: Int(sequence) * 10))
        }
        #expect(trail.identityChanges.map(\.sequence) == [3, 4, 5, 6, 7])
    }

    @Test func otherBytesAreIgnored() {
        var trail = EventTrail(of: 8, session: self.session)
        let before = trail
        for bytes in ["", "{", #"{"event_type":"session_start"}"#, #"{"event_type":"session_start","data":7}"#] {
            trail.take(1, Array(bytes.utf8))
        }
        #expect(trail == before)
    }

    @Test func anEventIsFoundByItsIDInAnySpelling() {
        let id = UUID()
        let event = EventSearch(id).event(self.json("custom_event", at: 1, id: id))
        #expect(event?["event_type"]?.string == "custom_event")
        // Its session has the id.
        let other = EventSearch(id).event(self.json("custom_event", at: 1, session: id))
        #expect(other?.object == nil)
        let batch = EventSearch.read(Array("{\"events\":[".utf8) + self.json("x", at: 1, id: id) + Array("]}".utf8))
        #expect(batch.flatMap { EventSearch(id).event(in: $0) }?["event_type"]?.string == "x")
    }
}
