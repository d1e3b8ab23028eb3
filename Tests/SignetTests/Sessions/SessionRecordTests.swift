// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct SessionRecordTests {
    private let session = Session(uuid: UUID(), startTime: Date(milliseconds: 1_700_000_000_123))
    private let earlier = PreviousSession(uuid: UUID(), start: 1_600_000_000_000, length: 61_000)
    private let mpid = MPID(rawValue: -42)

    private var totals: SessionTotals {
        SessionTotals(
            session: self.session,
            lastMilliseconds: 1_700_000_009_876,
            length: .milliseconds(9753),
            background: .milliseconds(7),
            backgroundFrom: .milliseconds(9000),
            interruptions: 3,
            events: 12,
            mpids: [self.mpid].compactMap(\.self),
            attributes: ["a": .string("x\u{1F600}"), "b": .double(2), "c": .bool(true)]
        )
    }

    private var record: SessionRecord {
        self.record(isBegun: true)
    }

    private func record(isBegun: Bool) -> SessionRecord {
        SessionRecord(folded: 17, open: self.totals, isBegun: isBegun, previous: self.earlier)
    }

    @Test func whatIsWrittenIsRead() {
        var totals = self.totals
        totals.backgroundFrom = nil
        let records = [
            self.record, SessionRecord(folded: 17, open: totals, isBegun: false, previous: nil),
            SessionRecord(folded: 17, open: nil, previous: nil),
        ]
        for record in records { #expect(SessionRecord(record.encoded()) == record) }
    }

    @Test func aNegativeLengthIsNoRecord() {
        var totals = self.totals
        totals.length = .milliseconds(-1)
        let record = SessionRecord(folded: 17, open: totals, isBegun: true, previous: self.earlier)
        #expect(SessionRecord(record.encoded()) == nil)
    }

    @Test(arguments: [false, true]) func anErasedUserIsNotInTheOpenSession(isBegun: Bool) throws {
        var record = self.record(isBegun: isBegun)
        record.forget(try #require(self.mpid))
        #expect(record.open?.mpids == [])
        #expect((record.interrupted != nil) == isBegun)
    }

    @Test func framesThatAreNotCountedYetAreCountedOnce() throws {
        var record = self.record
        record.take(SessionFrame(sequence: 17, kind: .event, milliseconds: 1_700_000_050_000, mpid: nil))
        #expect(record == self.record)
        record.take(SessionFrame(sequence: 18, kind: .event, milliseconds: 1_700_000_010_876, mpid: MPID(rawValue: 7)))
        record.take(SessionFrame(sequence: 18, kind: .event, milliseconds: 1_700_000_010_876, mpid: MPID(rawValue: 7)))
        // The clock went back: the length does not.
        record.take(SessionFrame(sequence: 20, kind: .event, milliseconds: 1_600_000_000_000, mpid: self.mpid))
        let left = try #require(record.interrupted)
        #expect(left.events == 14)
        #expect(left.length == .milliseconds(10_753))
        #expect(left.lastMilliseconds == 1_600_000_000_000)
        #expect(left.mpids == [self.mpid, MPID(rawValue: 7), self.mpid].compactMap(\.self))
    }

    @Test func aBeginThatIsNotInTheJournalNeverWas() throws {
        var record = self.record(isBegun: false)
        #expect(record.interrupted == nil)
        record.take(SessionFrame(sequence: 30, kind: .begin(self.session), milliseconds: 1, mpid: nil))
        #expect(record.interrupted?.session == self.session)
    }

    @Test func anEndInTheJournalIsNotMadeAgain() throws {
        var record = self.record
        record.take(SessionFrame(sequence: 30, kind: .end, milliseconds: 1, mpid: nil))
        #expect(record.interrupted == nil)
        #expect(record.previous == PreviousSession(self.totals))
        // Killed before the next one was written down.
        let next = Session(uuid: UUID(), startTime: Date(milliseconds: 1_700_000_100_000))
        record.take(SessionFrame(sequence: 31, kind: .begin(next), milliseconds: 1_700_000_100_000, mpid: nil))
        record.take(SessionFrame(sequence: 32, kind: .event, milliseconds: 1_700_000_101_000, mpid: nil))
        #expect(record.interrupted?.session == next)
        #expect(record.interrupted?.length == .seconds(1))
    }

    @Test func aFrameSaysWhatItIsToItsSession() throws {
        func frame(_ details: EventDetails, _ place: EventMetadata.Place) -> SessionFrame? {
            let head = [UInt8](unsafeUninitializedCapacity: EventHead.maximumCount) { buffer, count in
                count = EventHead.write(
                    details.kind,
                    milliseconds: 1234,
                    messageID: UUID(),
                    session: SessionMembers(self.session),
                    to: UnsafeMutableRawBufferPointer(buffer)
                )
            }
            let tag = EventMetadata(installation: 1, mpid: self.mpid, place: place)
            return (head + details.json).withUnsafeBytes { SessionFrame(9, tag, $0) }
        }
        let end = EventBody.SessionAccounts(length: 1, foregroundLength: 1, events: 0)
        #expect(frame(EventBody.sessionEnd(end), .inside)?.kind == .end)
        #expect(frame(EventBody.sessionStart(), .begin)?.kind == .begin(self.session))
        let event = try #require(frame(EventBody.details(of: .custom("session_end")), .inside))
        #expect(event.kind == .event)
        #expect(event.milliseconds == 1234)
        #expect(event.mpid == self.mpid)
        #expect(frame(EventBody.details(of: .custom("x")), .outside) == nil)
        let other = Array("no event".utf8)
        let tag = EventMetadata(installation: 1, mpid: nil, place: .inside, seconds: 1_700_000_040)
        #expect(other.withUnsafeBytes { SessionFrame(9, tag, $0) }?.milliseconds == 1_700_000_040_000)
    }
}
