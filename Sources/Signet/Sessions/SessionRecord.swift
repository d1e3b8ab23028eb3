// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// The persisted sessions of an installation.
///
/// It is written before a session begins, after one has ended, when the app changes its state, and before events of an
/// open session leave the journal. The frames in the journal hold the events since. So after a kill, the next start knows
/// the last event of an interrupted session and the number of its events.
struct SessionRecord: Sendable, Hashable {
    /// The last frame that the record counts.
    var folded: UInt64
    /// The open session.
    var open: SessionTotals?
    /// True if the begin of the open session is among the counted frames.
    var isBegun = false
    /// The session before the open one.
    var previous: PreviousSession?

    private static let version: UInt8 = 2

    /// Makes a record.
    init(folded: UInt64, open: SessionTotals?, isBegun: Bool = false, previous: PreviousSession?) {
        self.folded = folded
        self.open = open
        self.isBegun = isBegun
        self.previous = previous
    }

    /// The record of an installation without a stored one.
    static let empty = SessionRecord(folded: 0, open: nil, previous: nil)

    // MARK: - Frames that are not counted yet

    /// Counts a frame; frames must come in order.
    mutating func take(_ frame: SessionFrame) {
        guard frame.sequence > self.folded else { return }
        self.folded = frame.sequence
        switch frame.kind {
        case .begin(let session):
            // The session has no record, because the disk refused it.
            if let session, session != self.open?.session {
                self.open = SessionTotals(
                    session: session,
                    context: frame.context,
                    lastMilliseconds: frame.milliseconds
                )
            }
            self.isBegun = true
            self.open?.use(frame.mpid)
        case .event:
            guard self.isBegun, var totals = self.open else { return }
            totals.events += 1
            // By the wall clock: a jump against the monotonic clock was persisted when it happened.
            totals.length += .milliseconds(max(0, frame.milliseconds - totals.lastMilliseconds))
            totals.lastMilliseconds = frame.milliseconds
            totals.use(frame.mpid)
            self.open = totals
        case .end:
            guard let totals = self.open, self.isBegun else { return }
            self.previous = PreviousSession(totals)
            self.open = nil
            self.isBegun = false
        }
    }

    /// The session to end; nil if its begin is not in the journal, because then it never began.
    var interrupted: SessionTotals? {
        self.isBegun ? self.open : nil
    }

    // MARK: - Bytes

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 128)
        writer.write(Self.version)
        writer.write(self.folded)
        let parts: UInt8 = (self.open == nil ? 0 : 1) | (self.isBegun ? 2 : 0) | (self.previous == nil ? 0 : 4)
        writer.write(parts)
        if let previous = self.previous {
            writer.write(raw: previous.uuid.bytes)
            writer.write(previous.start)
            writer.write(previous.length)
        }
        if let open = self.open { open.write(to: &writer) }
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not a session record.
    init?(_ bytes: [UInt8]) {
        if bytes.first == UInt8(ascii: "{") {
            guard let totals = SessionTotals(firstVersion: bytes) else { return nil }
            self.init(folded: .max, open: totals, isBegun: true, previous: nil)
            return
        }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version, let folded = reader.read(UInt64.self),
            let parts = reader.read(UInt8.self), parts < 8
        else { return nil }
        var previous: PreviousSession?
        if parts & 4 != 0 {
            guard let uuid = reader.read(count: 16).flatMap({ UUID(bytes: $0) }), let start = reader.read(Int64.self),
                let length = reader.read(Int64.self)
            else { return nil }
            previous = PreviousSession(uuid: uuid, start: start, length: length)
        }
        var open: SessionTotals?
        if parts & 1 != 0 {
            guard let totals = SessionTotals(&reader) else { return nil }
            open = totals
        } else if !reader.rest.isEmpty {
            return nil
        }
        self.init(folded: folded, open: open, isBegun: parts & 2 != 0, previous: previous)
    }
}
