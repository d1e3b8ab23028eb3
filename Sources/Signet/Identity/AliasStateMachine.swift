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
struct AliasStateMachine: Sendable {
    private var pending: [AliasRecord] = []
    private var sending: UUID?
    private var pause: Pause?
    private var failures = 0

    private struct Pause {
        let until: Duration
        /// By the platform: nobody here ends it.
        let isAskedFor: Bool
    }

    /// What to do next.
    enum Action: Sendable, Hashable {
        /// Send the first of these whose events are settled, and say so with `begin`.
        case consider([AliasRecord])
        /// One is on the wire: nothing before it has ended.
        case busy
        /// Nothing can be sent for now: wait for news, or until this uptime.
        case wait(until: Duration?)
    }

    /// A request is on disk.
    mutating func add(_ record: AliasRecord) {
        guard !self.pending.contains(where: { $0.id == record.id }) else { return }
        self.pending.append(record)
    }

    /// What to do now.
    func next(now: Duration) -> Action {
        if self.sending != nil { return .busy }
        if self.pending.isEmpty { return .wait(until: nil) }
        if let pause, pause.until > now { return .wait(until: pause.until) }
        return .consider(self.pending)
    }

    /// A request is being sent.
    ///
    /// - Returns: Whether it may; false when another one is.
    mutating func begin(_ id: UUID) -> Bool {
        guard self.sending == nil, self.pending.contains(where: { $0.id == id }) else { return false }
        self.sending = id
        return true
    }

    /// The platform has taken it, or refused it for good.
    mutating func settled(_ id: UUID) {
        self.pending.removeAll { $0.id == id }
        self.sending = nil
        self.failures = 0
        self.pause = nil
    }

    /// A user is erased: requests that name them are not sent any more.
    ///
    /// - Returns: Those that were not on the wire.
    mutating func forget(_ mpid: MPID) -> [AliasRecord] {
        let gone = self.pending.filter { $0.source == mpid || $0.destination == mpid }
        self.pending.removeAll { $0.source == mpid || $0.destination == mpid }
        return gone.filter { $0.id != self.sending }
    }

    /// A try has failed.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - isPauseAskedFor: Whether the platform asked for the pause.
    ///   - pause: Makes the pause of how many have failed in a row.
    /// - Returns: Whether there will be another; false when a user that it names was erased meanwhile.
    mutating func failed(now: Duration, isPauseAskedFor: Bool, pause: (Int) -> Duration) -> Bool {
        defer { self.sending = nil }
        self.failures += 1
        self.pause = Pause(until: now + pause(self.failures), isAskedFor: isPauseAskedFor)
        return self.pending.contains { $0.id == self.sending }
    }

    /// Whoever runs this has mended something: ends a pause, unless the platform asked for it.
    mutating func resume() {
        guard self.pause?.isAskedFor == false else { return }
        self.pause = nil
    }
}
