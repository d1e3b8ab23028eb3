// SPDX-License-Identifier: Apache-2.0

import SignetModel

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
}

extension SessionRecord: StoredRecord {
    static var subject: String { "the sessions of an installation" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("at", self.folded)
        encoder.write("on", flag: self.isBegun)
        encoder.write("p", self.previous)
        encoder.write("o", self.open)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            folded: decoder.read("at"),
            open: decoder.optional("o"),
            isBegun: decoder.flag("on"),
            previous: decoder.optional("p")
        )
    }
}
