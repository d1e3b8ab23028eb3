// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The persisted sessions of an installation.
///
/// It is written before a session begins, after one has ended, when the app changes its state, and before events of an
/// open session leave the journal. The frames in the journal hold the events since. So after a kill, the next start knows
/// the last event of an interrupted session and the number of its events.
struct SessionRecord: Sendable, Hashable {
    /// A session without an end.
    enum Open: Sendable, Hashable {
        /// Its begin is not among the counted frames.
        case announced(SessionTotals)
        /// Its begin is among them.
        case begun(SessionTotals)
    }

    /// The last frame that the record counts.
    var folded: UInt64
    private var current: Open?
    /// The session before the open one.
    var previous: PreviousSession?

    /// Makes a record.
    init(folded: UInt64, open: SessionTotals?, isBegun: Bool = false, previous: PreviousSession?) {
        self.folded = folded
        self.current = open.map { isBegun ? .begun($0) : .announced($0) }
        self.previous = previous
    }

    /// The record of an installation without a stored one.
    static let empty = SessionRecord(folded: 0, open: nil, previous: nil)

    /// The open session, begun or only announced.
    var open: SessionTotals? {
        switch self.current {
        case .announced(let totals), .begun(let totals): totals
        case nil: nil
        }
    }

    /// True if the runtime has to end the session, whoever comes back.
    var isDue: Bool {
        self.current != nil
    }

    /// Removes an erased user from the open session.
    mutating func forget(_ mpid: MPID) {
        guard var totals = self.open else { return }
        totals.forget(mpid)
        self.current = self.interrupted == nil ? .announced(totals) : .begun(totals)
    }

    // MARK: - Frames that are not counted yet

    /// Counts a frame; frames must come in order.
    mutating func take(_ frame: SessionFrame) {
        guard frame.sequence > self.folded else { return }
        self.folded = frame.sequence
        switch frame.kind {
        case .begin(let session):
            // The session has no record, because the disk refused it.
            var totals = self.open
            if let session, session != totals?.session {
                totals = SessionTotals(
                    session: session,
                    context: frame.context,
                    lastMilliseconds: frame.milliseconds
                )
            }
            totals?.use(frame.mpid)
            self.current = totals.map { .begun($0) }
        case .event:
            guard case .begun(var totals) = self.current else { return }
            totals.events += 1
            // By the wall clock: a jump against the monotonic clock was persisted when it happened.
            totals.length += .milliseconds(max(0, frame.milliseconds - totals.lastMilliseconds))
            totals.lastMilliseconds = frame.milliseconds
            totals.use(frame.mpid)
            self.current = .begun(totals)
        case .end:
            guard case .begun(let totals) = self.current else { return }
            self.previous = PreviousSession(totals)
            self.current = nil
        }
    }

    /// The session to end; nil if its begin is not in the journal, because then it never began.
    var interrupted: SessionTotals? {
        if case .begun(let totals) = self.current { totals } else { nil }
    }
}

extension SessionRecord: StoredRecord {
    static var subject: String { "the sessions of an installation" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("at", self.folded)
        encoder.write("on", flag: self.interrupted != nil)
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

extension StateStore {
    /// Writes the sessions of an installation, marked while one is open.
    func put(_ record: SessionRecord, of id: InstallationID) throws(SignetError) {
        try self.put(record.encoded(), for: StateKey.session(id), isDue: record.isDue)
    }
}
