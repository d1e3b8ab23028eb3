// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Selects the next alias request: one at a time, oldest first among those whose events are settled.
///
/// A failed request waits alone, so one that the platform never takes does not block the others. All requests wait only if
/// the platform asks for it, if there is no answer, or if several requests in a row have failed.
struct AliasStateMachine: Sendable {
    /// A request that has not ended.
    private struct Entry {
        var record: AliasRecord
        /// The number of failed tries.
        var failures = 0
        /// The uptime before which it is not tried again.
        var notBefore: Duration?
    }

    /// The reason for a failed try.
    enum Failure: Sendable, Hashable {
        /// The platform asked for a pause, which says nothing about the request.
        case asked
        /// There was an answer, but not from a platform that takes the request.
        case answered
        /// There was no answer.
        case unreachable
    }

    /// The reason why a request is no longer sent.
    enum End: Sendable, Hashable {
        /// One of its users was erased.
        case forgotten
        /// Its installation has opted out.
        case optedOut
    }

    /// The next action of the queue.
    enum Action: Sendable, Hashable {
        /// Send the first of these whose events are settled, and call `begin` for it.
        ///
        /// If there is none, wait for a signal, or until this uptime.
        case consider([AliasRecord], until: Duration?)
        /// A request is in flight, so nothing else starts.
        case busy
        /// Nothing can be sent for now: wait for a signal, or until this uptime.
        case wait(until: Duration?)
    }

    /// The number of different requests that may fail in a row before the platform counts as unavailable.
    static let patience = 8

    private var pending: [Entry] = []
    private var sending: UUID?
    /// The reason why the request in flight is not sent again.
    private var end: End?
    /// The uptime before which nothing is sent: the platform asked for it, or several tries in a row have failed.
    private var pausedUntil: Duration?
    /// The requests that have failed since the last one was settled.
    private var failed: Set<UUID> = []
    /// The number of tries in a row without an answer.
    private var unanswered = 0
    /// The number of answers in a row that asked for a pause.
    private var asked = 0

    /// Adds a request that is on disk.
    mutating func add(_ record: AliasRecord) {
        guard !self.pending.contains(where: { $0.record.id == record.id }) else { return }
        self.pending.append(Entry(record: record))
    }

    /// Returns the next action.
    func next(now: Duration) -> Action {
        if self.sending != nil { return .busy }
        if self.pending.isEmpty { return .wait(until: nil) }
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
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
        // Requests that have failed come after those that have not.
        due.sort { ($0.element.failures, $0.offset) < ($1.element.failures, $1.offset) }
        return .consider(due.map(\.element.record), until: deadline)
    }

    /// Begins to send a request.
    ///
    /// - Returns: True if it may be sent; false if another one is in flight.
    mutating func begin(_ id: UUID) -> Bool {
        guard self.sending == nil, self.pending.contains(where: { $0.record.id == id }) else { return false }
        self.sending = id
        self.end = nil
        return true
    }

    /// Changes the count of a request's refusals.
    ///
    /// - Returns: The request as it is now; nil if it was dropped meanwhile.
    mutating func refused(_ id: UUID, _ refusals: UnexplainedRefusals) -> AliasRecord? {
        guard let index = self.pending.firstIndex(where: { $0.record.id == id }) else { return nil }
        self.pending[index].record = self.pending[index].record.refused(refusals)
        return self.pending[index].record
    }

    /// Removes a request that the platform has accepted, or refused for good.
    mutating func settled(_ id: UUID) {
        self.pending.removeAll { $0.record.id == id }
        self.sending = nil
        self.pausedUntil = nil
        self.failed = []
        (self.unanswered, self.asked) = (0, 0)
    }

    /// Drops the requests that name an erased user.
    ///
    /// - Returns: The dropped requests that were not in flight.
    mutating func forget(_ mpid: MPID) -> [AliasRecord] {
        self.remove(.forgotten) { $0.source == mpid || $0.destination == mpid }
    }

    /// The users of all requests.
    var users: Set<MPID> {
        Set(self.pending.flatMap { [$0.record.source, $0.record.destination] })
    }

    /// True if requests of an installation have not ended.
    func hasRequests(of installation: InstallationID) -> Bool {
        self.pending.contains { $0.record.installation == installation }
    }

    /// Drops the matching requests; one that is in flight is not tried again.
    ///
    /// - Returns: The dropped requests that were not in flight.
    mutating func forget(where isGone: (AliasRecord) -> Bool) -> [AliasRecord] {
        self.remove(.forgotten, isGone)
    }

    /// Drops the requests that an installation made before its opt-out.
    ///
    /// - Parameters:
    ///   - installation: The installation that opted out.
    ///   - last: The last event of the journal at the opt-out.
    /// - Returns: The dropped requests that were not in flight.
    mutating func optOut(_ installation: InstallationID, upTo last: UInt64) -> [AliasRecord] {
        self.remove(.optedOut) { $0.installation == installation && $0.lastEvent <= last }
    }

    /// Drops the requests that an installation made before an opt-in, on which another replica has decided.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - moment: The moment of the opt-in, in milliseconds since 1970.
    /// - Returns: The dropped requests that were not in flight.
    mutating func optOut(_ installation: InstallationID, before moment: Int64) -> [AliasRecord] {
        self.remove(.optedOut) { record in
            record.installation == installation && record.requested.map { $0 < moment } ?? false
        }
    }

    private mutating func remove(_ end: End, _ isMeant: (AliasRecord) -> Bool) -> [AliasRecord] {
        let gone = self.pending.map(\.record).filter(isMeant)
        self.pending.removeAll { isMeant($0.record) }
        self.failed.subtract(gone.map(\.id))
        if gone.contains(where: { $0.id == self.sending }) { self.end = end }
        return gone.filter { $0.id != self.sending }
    }

    /// Records a failed try.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - failure: The reason for the failure.
    ///   - pause: Makes the pause for a number of failures in a row.
    /// - Returns: The reason why there is no other try; nil if there is one.
    mutating func failed(now: Duration, _ failure: Failure, pause: (Int) -> Duration) -> End? {
        defer { (self.sending, self.end) = (nil, nil) }
        guard failure != .asked else {
            self.asked += 1
            self.pausedUntil = now + pause(self.asked)
            return self.end
        }
        self.asked = 0
        if let index = self.pending.firstIndex(where: { $0.record.id == self.sending }) {
            self.pending[index].failures += 1
            self.pending[index].notBefore = now + pause(self.pending[index].failures)
            self.failed.insert(self.pending[index].record.id)
        }
        self.unanswered = failure == .unreachable ? self.unanswered + 1 : 0
        let inARow = failure == .unreachable ? self.unanswered : self.failed.count - Self.patience
        self.pausedUntil = inARow > 0 ? now + pause(inARow) : nil
        return self.end
    }

    /// Waits with one request; the others go on.
    mutating func postpone(_ id: UUID, until: Duration) {
        guard let index = self.pending.firstIndex(where: { $0.record.id == id }) else { return }
        self.pending[index].notBefore = until
    }

    /// Restores a pause that the platform asked an earlier process for.
    mutating func pause(until: Duration) {
        self.pausedUntil = until
    }

    /// Ends all waits: an operator says that the cause was mended.
    mutating func resume() {
        for index in self.pending.indices { self.pending[index].notBefore = nil }
        self.pausedUntil = nil
    }
}
