// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The row of an installation as this process knows it: the last reading, the wish for another one, and its removal.
///
/// It decides only; ``SharedInstallationStore`` asks the store.
struct KnownRow: Sendable {
    /// An answer about the row.
    struct Reading: Sendable, Hashable {
        let base: SharedChange.Base
        /// The uptime at which the answer was received.
        let received: Duration
        /// The uptime at which the row was surely so.
        var surelyAt: Duration
    }

    /// The part that this process has in the row's removal.
    enum Removal: Sendable, Hashable {
        /// It has not asked for it, or was refused.
        case none
        /// It has asked for it: a row that is gone then counts here.
        case asked
        /// The row is gone, and its user was told to have left; it counts here if it was asked for.
        case told(counts: Bool)
    }

    enum Presence: Sendable, Hashable {
        /// Not read yet.
        case unread
        /// Read: it was there, or there was none.
        case read(Reading, Removal)
        /// It was there and is gone: nothing is read, logged or changed any more.
        case gone(isTold: Bool)
    }

    /// The wish for another reading.
    enum Wish: Sendable, Hashable {
        case none
        /// An event was refused by the last reading: a newer one may let it pass.
        case soon
        /// An event was logged without the last reading: the row says whose it is.
        case soonForEvents
        /// Such an event waits for a reading that is made for another reason: the last one for it failed.
        case forEvents
    }

    /// The worth of an answer.
    enum Verdict: Sendable, Hashable {
        /// It says how the row is.
        case newer
        /// It says no more than is known.
        case known
        /// It may be older than what is known: the row must be read again.
        case old
    }

    private(set) var presence = Presence.unread
    private(set) var wish = Wish.none

    /// The row as it was last read; an empty one if it was not read, or is gone.
    var base: SharedChange.Base {
        if case .read(let reading, _) = self.presence { reading.base } else { SharedChange.Base() }
    }

    /// The tag of the row as it was last read; nil if there is none.
    var tag: UUID? {
        if case .read(let reading, _) = self.presence { reading.base.tag } else { nil }
    }

    /// True if it was read at all.
    var isRead: Bool {
        if case .unread = self.presence { false } else { true }
    }

    /// True once the row that was there is gone.
    var isGone: Bool {
        if case .gone = self.presence { true } else { false }
    }

    /// True if it must be read again soon.
    var isWanted: Bool {
        self.wish == .soon || self.wish == .soonForEvents
    }

    /// True if no reading says the user and the session of an event: there was none, there is no row, or the last one is too old.
    ///
    /// Without a row the session would follow from a stamp of this process, and the row may be made with that of another one.
    @inline(__always)
    func isUnknown(at uptime: @autoclosure () -> Duration, limit: Duration?) -> Bool {
        guard case .read(let reading, _) = self.presence, reading.base.tag != nil else { return true }
        guard let limit else { return false }
        return uptime() - reading.surelyAt > limit
    }

    // MARK: - Readings

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - tag: The tag of the row that it found; nil for none.
    ///   - sent: The uptime at which the question was sent.
    /// - Returns: Its worth.
    func verdict(on tag: UUID?, sent: Duration) -> Verdict {
        switch self.presence {
        case .unread: .newer
        case .gone: .known
        // Sent before the known answer came: equal, or perhaps older.
        case .read(let reading, _) where sent < reading.received: tag == reading.base.tag ? .known : .old
        case .read: .newer
        }
    }

    /// Takes over an answer that is newer.
    ///
    /// - Returns: True if events waited for it.
    mutating func take(_ base: SharedChange.Base, sent: Duration, received: Duration) -> Bool {
        let hadEvents = self.wish == .soonForEvents || self.wish == .forEvents
        self.wish = .none
        self.commit(base, sent: sent, received: received)
        return hadEvents
    }

    /// Takes over the row that a commit of this process has made.
    mutating func commit(_ base: SharedChange.Base, sent: Duration, received: Duration) {
        switch self.presence {
        case .gone: return
        case .unread: self.presence = .read(Reading(base: base, received: received, surelyAt: sent), .none)
        case .read(let known, let removal):
            let surelyAt = max(known.surelyAt, sent)
            self.presence = .read(Reading(base: base, received: received, surelyAt: surelyAt), removal)
        }
    }

    /// Notes that the row had this tag at an uptime.
    mutating func confirm(_ tag: UUID, at uptime: Duration) {
        guard case .read(var reading, let removal) = self.presence, reading.base.tag == tag else { return }
        reading.surelyAt = max(reading.surelyAt, uptime)
        self.presence = .read(reading, removal)
    }

    // MARK: - Another reading

    /// Notes that an event was refused by the last reading.
    ///
    /// - Returns: True if another reading is wanted only now; false also before the first one.
    mutating func refused() -> Bool {
        self.want(self.wish == .none || self.wish == .soon ? .soon : .soonForEvents)
    }

    /// Notes that an event was logged without the last reading.
    ///
    /// - Returns: As ``refused()``.
    mutating func logged() -> Bool {
        self.want(.soonForEvents)
    }

    private mutating func want(_ wish: Wish) -> Bool {
        defer { self.wish = wish }
        return !self.isWanted && self.isRead
    }

    /// Notes that the wanted reading has come or failed, and is not tried again.
    mutating func endReading() {
        self.wish = self.wish == .none || self.wish == .soon ? .none : .forEvents
    }

    // MARK: - Removal

    /// Notes that this process asks for the row's removal.
    ///
    /// - Returns: The tag of the row, and if it had asked before; nil if there is no row.
    mutating func askForRemoval() -> (tag: UUID, again: Bool)? {
        guard case .read(let reading, let removal) = self.presence, let tag = reading.base.tag else { return nil }
        self.presence = .read(reading, removal.counting(true))
        return (tag, removal.counts)
    }

    /// True if a removal was asked for, and was not refused.
    var isRemovalAsked: Bool {
        if case .read(_, let removal) = self.presence { removal.counts } else { false }
    }

    /// Notes that the last question was refused; an earlier one may still be carried out.
    mutating func refuseRemoval(again: Bool) {
        guard case .read(let reading, let removal) = self.presence else { return }
        self.presence = .read(reading, removal.counting(again))
    }

    /// Notes that its user is told to have left.
    ///
    /// - Returns: True for the first time.
    mutating func leave() -> Bool {
        let before = self.presence
        switch before {
        case .unread: self.presence = .gone(isTold: true)
        case .read(let reading, let removal): self.presence = .read(reading, .told(counts: removal.counts))
        case .gone: self.presence = .gone(isTold: true)
        }
        return !before.isTold
    }

    /// Lets the row go.
    ///
    /// - Returns: True if this process has removed it, once: then it counts here.
    mutating func lose() -> Bool {
        let before = self.presence
        self.presence = .gone(isTold: before.isTold)
        self.wish = .none
        guard case .read(_, let removal) = before else { return false }
        return removal.counts
    }
}

extension KnownRow.Presence {
    fileprivate var isTold: Bool {
        switch self {
        case .read(_, .told), .gone(isTold: true): true
        case .unread, .read, .gone: false
        }
    }
}

extension KnownRow.Removal {
    /// True if the row counts as removed here once it is gone.
    fileprivate var counts: Bool {
        switch self {
        case .none: false
        case .asked: true
        case .told(let counts): counts
        }
    }

    fileprivate func counting(_ counts: Bool) -> Self {
        if case .told = self { return .told(counts: counts) }
        return counts ? .asked : .none
    }
}
