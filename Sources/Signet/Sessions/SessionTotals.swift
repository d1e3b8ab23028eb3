// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// The totals of a session as of its last event.
struct SessionTotals: Sendable, Hashable {
    let session: Session
    /// The number of the configuration context at the begin; see ``BatchContexts``.
    var context: UInt16 = 0
    /// The time of the last event, in milliseconds since 1970.
    var lastMilliseconds: Int64
    /// The time from the begin to the last event, on the monotonic clock.
    var length = Duration.zero
    /// The time that the app spent in the background, without the current stay.
    var background = Duration.zero
    /// The time from the begin to the current stay in the background; nil while the app is not there.
    var backgroundFrom: Duration?
    /// The number of times that the app went to the background.
    var interruptions = 0
    /// The number of events, without begin and end.
    var events = 0
    /// The users who were current, in order; returning users repeat.
    var mpids: [MPID] = []
    /// The session attributes that the app set.
    var attributes: [String: AttributeValue] = [:]

    /// The totals as subscribers get them.
    var summary: Session.Summary {
        let inBackground = self.background + (self.backgroundFrom.map { max(.zero, self.length - $0) } ?? .zero)
        return Session.Summary(
            length: .milliseconds(self.length.milliseconds),
            foregroundLength: .milliseconds(max(.zero, self.length - inBackground).milliseconds),
            lastEventTime: Date(milliseconds: self.lastMilliseconds),
            eventCount: self.events,
            interruptionCount: self.interruptions,
            attributes: self.attributes,
            mpids: self.mpids
        )
    }

    /// The totals as the platform gets them.
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

    /// From this number of entries on, returning users do not repeat, because the end of a session has no room for more.
    static let returnLimit = 195

    /// Adds a current user.
    mutating func use(_ mpid: MPID?) {
        guard let mpid, mpid != self.mpids.last else { return }
        guard self.mpids.count < Self.returnLimit || !self.mpids.contains(mpid) else { return }
        self.mpids.append(mpid)
    }

    /// True if it has fields that few sessions need.
    var hasExtras: Bool {
        self.background != .zero || self.backgroundFrom != nil || self.interruptions != 0 || !self.attributes.isEmpty
    }

    /// Removes an erased user; if the session had no other user, its attributes are removed too.
    mutating func forget(_ mpid: MPID) {
        guard self.mpids.contains(mpid) else { return }
        self.mpids = self.mpids.without(mpid)
        if self.mpids.isEmpty { self.attributes = [:] }
    }
}

extension [MPID] {
    /// The other users in their order; neighbours that are the same user are joined.
    func without(_ mpid: MPID) -> [MPID] {
        self.reduce(into: []) { others, other in
            if other != mpid, others.last != other { others.append(other) }
        }
    }
}

/// The previous session, as the begin of the next one reports it.
struct PreviousSession: Sendable, Hashable {
    let uuid: UUID
    /// The start time, in milliseconds since 1970.
    let start: Int64
    /// The time from the begin to the last event, in milliseconds.
    let length: Int64

    init(uuid: UUID, start: Int64, length: Int64) {
        self.uuid = uuid
        self.start = start
        self.length = length
    }

    /// Makes the remainder of a session that has ended.
    init(_ totals: SessionTotals) {
        self.init(
            uuid: totals.session.uuid,
            start: totals.session.startTime.milliseconds,
            length: totals.length.milliseconds
        )
    }

    /// The time of the last event, in milliseconds since 1970.
    var end: Int64 {
        let (end, overflow) = self.start.addingReportingOverflow(self.length)
        return overflow ? self.start : end
    }

    /// The session as the platform gets it.
    var earlier: EventBody.EarlierSession {
        EventBody.EarlierSession(uuid: self.uuid, start: self.start, length: self.length)
    }
}
