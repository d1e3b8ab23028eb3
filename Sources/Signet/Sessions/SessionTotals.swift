//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// What is known of a session as of its last event.
struct SessionTotals: Sendable, Hashable {
    /// Which session.
    let session: Session
    /// The number of what the configuration said when it began; see ``BatchContexts``.
    var context: UInt16 = 0
    /// Its last event, in milliseconds since 1970.
    var lastMilliseconds: Int64
    /// From its begin to that, on the clock that never jumps.
    var length = Duration.zero
    /// How long the app was in the background, without the last time if that still goes on.
    var background = Duration.zero
    /// Where the app went to the background for the last time, if it is there still: so long after the begin.
    var backgroundFrom: Duration?
    /// How often the app went to the background.
    var interruptions = 0
    /// How many events there were, without begin and end.
    var events = 0
    /// Who was current, in their order; who comes back is named again.
    var mpids: [MPID] = []
    /// What the app said of it.
    var attributes: [String: AttributeValue] = [:]

    /// The same for whoever listens.
    var summary: SessionSummary {
        let inBackground = self.background + (self.backgroundFrom.map { max(.zero, self.length - $0) } ?? .zero)
        return SessionSummary(
            length: .milliseconds(self.length.milliseconds),
            foregroundLength: .milliseconds(max(.zero, self.length - inBackground).milliseconds),
            lastEventTime: Date(milliseconds: self.lastMilliseconds),
            eventCount: self.events,
            interruptionCount: self.interruptions,
            attributes: self.attributes,
            mpids: self.mpids
        )
    }

    /// The same for the platform.
    var accounts: EventBody.SessionAccounts {
        let summary = self.summary
        return EventBody.SessionAccounts(
            length: summary.length.milliseconds,
            foregroundLength: summary.foregroundLength.milliseconds,
            events: self.events,
            mpids: self.mpids,
            attributes: self.attributes
        )
    }

    /// How many are named before those who come back are named no more: the end of a session has room for no more of them.
    static let returnLimit = 195

    /// Somebody is current in it.
    mutating func use(_ mpid: MPID?) {
        guard let mpid, mpid != self.mpids.last else { return }
        guard self.mpids.count < Self.returnLimit || !self.mpids.contains(mpid) else { return }
        self.mpids.append(mpid)
    }

    /// Somebody is erased; what the app said of a session of theirs alone goes too.
    mutating func forget(_ mpid: MPID) {
        guard self.mpids.contains(mpid) else { return }
        self.mpids = self.mpids.without(mpid)
        if self.mpids.isEmpty { self.attributes = [:] }
    }
}

extension [MPID] {
    /// The others in their order; one who came back after this one only has not been away.
    func without(_ mpid: MPID) -> [MPID] {
        self.reduce(into: []) { others, other in
            if other != mpid, others.last != other { others.append(other) }
        }
    }
}

/// The session before, as the begin of the next one tells of it.
struct PreviousSession: Sendable, Hashable {
    /// Its name.
    let uuid: UUID
    /// When it began, in milliseconds since 1970.
    let start: Int64
    /// From its begin to its last event, in milliseconds.
    let length: Int64

    /// Makes it.
    init(uuid: UUID, start: Int64, length: Int64) {
        self.uuid = uuid
        self.start = start
        self.length = length
    }

    /// What remains of a session that has ended.
    init(_ tally: SessionTotals) {
        self.init(
            uuid: tally.session.uuid,
            start: tally.session.startTime.milliseconds,
            length: tally.length.milliseconds
        )
    }

    /// The same for the platform.
    var earlier: EventBody.EarlierSession {
        EventBody.EarlierSession(uuid: self.uuid, start: self.start, length: self.length)
    }
}
