//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Every cell of the table: what the machine says to do next, by state and event.
///
/// A batch has 2 events at most, 1 batch is under way at once, the interval is 10 s, the linger 1 s. All events come at
/// 0 s, but for the two that are a moment: the linger is over at 1 s, the interval at 10 s.
@Suite struct UploadStateMachineTests {
    enum State: String, CaseIterable, Sendable {
        case empty, oneWaits, onePromptWaits, oneWaitsForAUser, batchReady, batchInFlight, paused, draining
    }

    enum Event: String, CaseIterable, Sendable {
        case takeOne, takeTwo, takePrompt, adopt, lingerOver, intervalOver, drain, settled, postponed
    }

    /// By state, the answers to the events in their order.
    static let table: [(state: State, answers: [String])] = [
        (.empty, ["wait 10", "cut 2", "wait 1", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10", "wait 10"]),
        (.oneWaits, ["cut 2", "cut 2", "cut 2", "wait 10", "wait 10", "cut 1", "cut 1", "wait 10", "wait 10"]),
        (.onePromptWaits, ["cut 2", "cut 2", "cut 2", "wait 1", "cut 1", "cut 1", "cut 1", "wait 1", "wait 1"]),
        (
            .oneWaitsForAUser,
            ["wait 10", "cut 2", "wait 1", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10", "wait 10"]
        ),
        (.batchReady, ["send", "send", "send", "send", "send", "send", "send", "send", "send"]),
        (.batchInFlight, ["wait", "wait", "wait", "wait", "wait", "wait", "wait", "wait 10", "wait 5"]),
        (.paused, ["wait 5", "wait 5", "wait 5", "wait 5", "wait 5", "send", "wait 5", "wait 5", "wait 5"]),
        (.draining, ["wait 10", "cut 2", "wait 1", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10", "wait 10"]),
    ]

    static let cells: [(State, Event, String)] = Self.table.flatMap { row in
        zip(Event.allCases, row.answers).map { (row.state, $0, $1) }
    }

    @Test func theTableIsComplete() {
        #expect(Set(Self.table.map(\.state)).count == State.allCases.count)
        #expect(Self.cells.count == State.allCases.count * Event.allCases.count)
    }

    @Test(arguments: cells) func eachCellDoesWhatTheTableSays(state: State, event: Event, answer: String) {
        var uploads = Uploads()
        uploads.reach(state)
        let now = uploads.apply(event)
        #expect(uploads.next(now) == answer, "\(state) \(event)")
    }
}

/// A machine and a numbering of what goes through it.
struct Uploads {
    typealias Machine = UploadStateMachine

    static let known = Machine.Group(installation: "i", mpid: MPID(rawValue: 1))
    static let unknown = Machine.Group(installation: "i", mpid: nil)

    var machine: Machine
    var sequence: UInt64 = 0
    let batch = UUID()

    init(inFlight: Int = 1, events: Int = 2, bytes: Int = 1000) {
        var limits = Machine.Limits(interval: .seconds(10), linger: .seconds(1))
        limits.events = events
        limits.bytes = bytes
        limits.inFlight = inFlight
        self.machine = Machine(limits: limits, now: .zero)
    }

    mutating func take(
        _ group: Machine.Group = Self.known,
        bytes: Int = 10,
        isPrompt: Bool = false,
        now: Duration = .zero
    ) {
        self.sequence += 1
        let item = Machine.Item(sequence: self.sequence, bytes: bytes)
        self.machine.take(item, of: group, isPrompt: isPrompt, now: now)
    }

    mutating func reach(_ state: UploadStateMachineTests.State) {
        switch state {
        case .empty: break
        case .oneWaits: self.take()
        case .onePromptWaits: self.take(isPrompt: true)
        case .oneWaitsForAUser: self.take(Self.unknown)
        case .batchReady: self.machine.restore(self.batch, group: Self.known, sequences: [100])
        case .batchInFlight:
            self.reach(.batchReady)
            _ = self.machine.next(now: .zero)
        case .paused:
            self.reach(.batchInFlight)
            self.machine.finished(self.batch, .postponed(.seconds(5)), now: .zero)
        case .draining: self.machine.drain(upTo: self.sequence)
        }
    }

    /// Lets an event happen.
    ///
    /// - Returns: The time afterwards.
    mutating func apply(_ event: UploadStateMachineTests.Event) -> Duration {
        switch event {
        case .takeOne: self.take()
        case .takeTwo:
            self.take()
            self.take()
        case .takePrompt: self.take(isPrompt: true)
        case .adopt:
            if let user = Self.known.mpid { self.machine.adopt("i", by: user, now: .zero) }
        case .lingerOver: return .seconds(1)
        case .intervalOver: return .seconds(10)
        case .drain: self.machine.drain(upTo: self.sequence)
        case .settled: self.machine.finished(self.batch, .settled, now: .zero)
        case .postponed: self.machine.finished(self.batch, .postponed(.seconds(5)), now: .zero)
        }
        return .zero
    }

    mutating func next(_ now: Duration = .zero) -> String {
        switch self.machine.next(now: now) {
        case .cut(_, let items): "cut \(items.count)"
        case .send: "send"
        case .wait(let until): until.map { "wait \($0.components.seconds)" } ?? "wait"
        }
    }

    /// Cuts what the machine wants cut.
    mutating func cut(_ now: Duration = .zero) -> (id: UUID, group: Machine.Group, sequences: [UInt64])? {
        guard case .cut(let group, let items) = self.machine.next(now: now) else { return nil }
        let id = UUID()
        self.machine.cut(id, of: group, sequences: items.map(\.sequence))
        return (id, group, items.map(\.sequence))
    }

    /// Cuts what the machine wants cut, which must be something.
    mutating func mustCut(
        _ now: Duration = .zero
    ) throws -> (id: UUID, group: Machine.Group, sequences: [UInt64]) {
        let cut = self.cut(now)
        return try #require(cut)
    }
}
