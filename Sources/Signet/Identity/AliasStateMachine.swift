//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// Decides which alias request is tried next: one at a time, oldest first among those whose events are settled.
///
/// A request that fails waits by itself, so that one the platform never takes does not hold up the others. All wait only when
/// the platform asks for it, when nothing answers, and when several requests in a row have failed.
struct AliasStateMachine: Sendable {
    /// A request that has not ended.
    private struct Entry {
        let record: AliasRecord
        /// How often it has failed.
        var failures = 0
        /// When it may be tried again, as uptime.
        var notBefore: Duration?
    }

    private struct Pause {
        let until: Duration
        /// By the platform: nobody here ends it.
        let isAskedFor: Bool
    }

    /// Why a try has failed.
    enum Failure: Sendable, Hashable {
        /// The platform asked for a pause; that says nothing of the request.
        case asked
        /// There was an answer, and it was not that of a platform that takes the request.
        case answered
        /// There was no answer.
        case unreachable
    }

    /// Why a request is not sent any more.
    enum End: Sendable, Hashable {
        /// One of its users was erased.
        case forgotten
        /// Its installation has opted out.
        case optedOut
    }

    /// What to do next.
    enum Action: Sendable, Hashable {
        /// Send the first of these whose events are settled, and say so with `begin`; if there is none, wait for updates, or
        /// until this uptime.
        case consider([AliasRecord], until: Duration?)
        /// One is on the wire: nothing before it has ended.
        case busy
        /// Nothing can be sent for now: wait for updates, or until this uptime.
        case wait(until: Duration?)
    }

    /// So many different requests may fail in a row before that is taken for an outage of the platform.
    static let patience = 8

    private var pending: [Entry] = []
    private var sending: UUID?
    /// Why the one on the wire is not to be sent again.
    private var end: End?
    private var pause: Pause?
    /// Those that have failed since one was settled.
    private var failed: Set<UUID> = []
    /// Tries in a row without an answer.
    private var unanswered = 0

    /// A request is on disk.
    mutating func add(_ record: AliasRecord) {
        guard !self.pending.contains(where: { $0.record.id == record.id }) else { return }
        self.pending.append(Entry(record: record))
    }

    /// What to do now.
    func next(now: Duration) -> Action {
        if self.sending != nil { return .busy }
        if self.pending.isEmpty { return .wait(until: nil) }
        if let pause, pause.until > now { return .wait(until: pause.until) }
        var due: [(offset: Int, element: Entry)] = []
        var deadline: Duration?
        for (offset, entry) in self.pending.enumerated() {
            if let notBefore = entry.notBefore, notBefore > now {
                deadline = min(deadline ?? notBefore, notBefore)
            } else {
                due.append((offset, entry))
            }
        }
        guard !due.isEmpty else { return .wait(until: deadline) }
        // Those that have failed come after those that have not.
        due.sort { ($0.element.failures, $0.offset) < ($1.element.failures, $1.offset) }
        return .consider(due.map(\.element.record), until: deadline)
    }

    /// A request is being sent.
    ///
    /// - Returns: Whether it may; false when another one is.
    mutating func begin(_ id: UUID) -> Bool {
        guard self.sending == nil, self.pending.contains(where: { $0.record.id == id }) else { return false }
        self.sending = id
        self.end = nil
        return true
    }

    /// The platform has taken it, or refused it for good.
    mutating func settled(_ id: UUID) {
        self.pending.removeAll { $0.record.id == id }
        self.sending = nil
        self.pause = nil
        self.failed = []
        self.unanswered = 0
    }

    /// A user is erased: requests that name them are not sent any more.
    ///
    /// - Returns: Those that were not on the wire.
    mutating func forget(_ mpid: MPID) -> [AliasRecord] {
        self.remove(.forgotten) { $0.source == mpid || $0.destination == mpid }
    }

    /// Requests are not sent any more; one that is on the wire is not tried again.
    ///
    /// - Returns: Those that were not on the wire.
    mutating func forget(where isGone: (AliasRecord) -> Bool) -> [AliasRecord] {
        self.remove(.forgotten, isGone)
    }

    /// An installation has opted out: what it asked for before is not sent any more.
    ///
    /// - Parameters:
    ///   - installation: Which.
    ///   - last: The last event of the journal when it did.
    /// - Returns: Those that were not on the wire.
    mutating func optOut(_ installation: InstallationID, upTo last: UInt64) -> [AliasRecord] {
        self.remove(.optedOut) { $0.installation == installation && $0.lastEvent <= last }
    }

    private mutating func remove(_ end: End, _ isMeant: (AliasRecord) -> Bool) -> [AliasRecord] {
        let gone = self.pending.map(\.record).filter(isMeant)
        self.pending.removeAll { isMeant($0.record) }
        self.failed.subtract(gone.map(\.id))
        if gone.contains(where: { $0.id == self.sending }) { self.end = end }
        return gone.filter { $0.id != self.sending }
    }

    /// A try has failed.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - failure: Why.
    ///   - pause: Makes the pause of how many have failed in a row.
    /// - Returns: Why there is no other; nil when there is.
    mutating func failed(now: Duration, _ failure: Failure, pause: (Int) -> Duration) -> End? {
        defer { (self.sending, self.end) = (nil, nil) }
        if failure == .asked {
            self.pause = Pause(until: now + pause(1), isAskedFor: true)
            return self.end
        }
        if let index = self.pending.firstIndex(where: { $0.record.id == self.sending }) {
            self.pending[index].failures += 1
            self.pending[index].notBefore = now + pause(self.pending[index].failures)
            self.failed.insert(self.pending[index].record.id)
        }
        self.unanswered = failure == .unreachable ? self.unanswered + 1 : 0
        let inARow = failure == .unreachable ? self.unanswered : self.failed.count - Self.patience
        self.pause = inARow > 0 ? Pause(until: now + pause(inARow), isAskedFor: false) : nil
        return self.end
    }

    /// The platform asked an earlier process for a pause that goes on.
    mutating func pause(until: Duration) {
        self.pause = Pause(until: until, isAskedFor: true)
    }

    /// Whoever runs this has mended something: nothing waits, unless the platform asked for it.
    mutating func resume() {
        for index in self.pending.indices { self.pending[index].notBefore = nil }
        guard self.pause?.isAskedFor == false else { return }
        self.pause = nil
    }
}
