//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Every cell of the table: mode x state x event.
///
/// The timeout is 60 s; the session began, and went to the background, at 0 s; the event comes after 10 s, or after 100
/// s where the state is called late.
@Suite struct SessionStateMachineTests {
    enum State: String, CaseIterable, Sendable {
        case none, noneInBackground, fresh, late, freshInBackground, lateInBackground
    }

    enum Event: String, CaseIterable, Sendable {
        case activity, enterBackground, enterForeground, timeOut
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let mode: SignetConfiguration.Sessions.Mode
        let state: State
        let event: Event
        /// What the machine says to do.
        let actions: String
        /// Which session there is then: the same, a new one, none.
        let session: String
        /// When it can time out then, in seconds.
        let deadline: Int?

        init(
            _ mode: SignetConfiguration.Sessions.Mode,
            _ state: State,
            _ event: Event,
            _ actions: String,
            _ session: String,
            _ deadline: Int?
        ) {
            self.mode = mode
            self.state = state
            self.event = event
            self.actions = actions
            self.session = session
            self.deadline = deadline
        }

        var testDescription: String { "\(self.mode) \(self.state) \(self.event)" }
    }

    static let table: [Row] = [
        Row(.server, .none, .activity, "begin", "new", 70),
        Row(.server, .none, .enterBackground, "", "none", nil),
        Row(.server, .none, .enterForeground, "begin", "new", 70),
        Row(.server, .none, .timeOut, "", "none", nil),
        Row(.server, .noneInBackground, .activity, "begin", "new", 70),
        Row(.server, .noneInBackground, .enterBackground, "", "none", nil),
        Row(.server, .noneInBackground, .enterForeground, "begin", "new", 70),
        Row(.server, .noneInBackground, .timeOut, "", "none", nil),
        Row(.server, .fresh, .activity, "", "same", 70),
        Row(.server, .fresh, .enterBackground, "", "same", 70),
        Row(.server, .fresh, .enterForeground, "", "same", 70),
        Row(.server, .fresh, .timeOut, "", "same", 60),
        Row(.server, .late, .activity, "end begin", "new", 160),
        Row(.server, .late, .enterBackground, "end", "none", nil),
        Row(.server, .late, .enterForeground, "end begin", "new", 160),
        Row(.server, .late, .timeOut, "end", "none", nil),
        Row(.server, .freshInBackground, .activity, "", "same", 70),
        Row(.server, .freshInBackground, .enterBackground, "", "same", 60),
        Row(.server, .freshInBackground, .enterForeground, "", "same", 70),
        Row(.server, .freshInBackground, .timeOut, "", "same", 60),
        Row(.server, .lateInBackground, .activity, "end begin", "new", 160),
        Row(.server, .lateInBackground, .enterBackground, "end", "none", nil),
        Row(.server, .lateInBackground, .enterForeground, "end begin", "new", 160),
        Row(.server, .lateInBackground, .timeOut, "end", "none", nil),

        Row(.application, .none, .activity, "begin", "new", nil),
        Row(.application, .none, .enterBackground, "", "none", nil),
        Row(.application, .none, .enterForeground, "begin", "new", nil),
        Row(.application, .none, .timeOut, "", "none", nil),
        Row(.application, .noneInBackground, .activity, "begin", "new", 70),
        Row(.application, .noneInBackground, .enterBackground, "", "none", nil),
        Row(.application, .noneInBackground, .enterForeground, "begin", "new", nil),
        Row(.application, .noneInBackground, .timeOut, "", "none", nil),
        Row(.application, .fresh, .activity, "", "same", nil),
        Row(.application, .fresh, .enterBackground, "", "same", 70),
        Row(.application, .fresh, .enterForeground, "", "same", nil),
        Row(.application, .fresh, .timeOut, "", "same", nil),
        Row(.application, .late, .activity, "", "same", nil),
        Row(.application, .late, .enterBackground, "", "same", 160),
        Row(.application, .late, .enterForeground, "", "same", nil),
        Row(.application, .late, .timeOut, "", "same", nil),
        Row(.application, .freshInBackground, .activity, "", "same", 70),
        Row(.application, .freshInBackground, .enterBackground, "", "same", 60),
        Row(.application, .freshInBackground, .enterForeground, "", "same", nil),
        Row(.application, .freshInBackground, .timeOut, "", "same", 60),
        Row(.application, .lateInBackground, .activity, "end begin", "new", 160),
        Row(.application, .lateInBackground, .enterBackground, "end", "none", nil),
        Row(.application, .lateInBackground, .enterForeground, "end begin", "new", nil),
        Row(.application, .lateInBackground, .timeOut, "end", "none", nil),
    ]

    @Test func theTableIsComplete() {
        #expect(Self.table.count == 2 * State.allCases.count * Event.allCases.count)
        #expect(Set(Self.table.map(\.testDescription)).count == Self.table.count)
    }

    @Test(arguments: table) func eachCellDoesWhatTheTableSays(row: Row) {
        var machine = SessionStateMachine(mode: row.mode, timeout: .seconds(60))
        switch row.state {
        case .none: break
        case .noneInBackground: _ = machine.enterBackground(at: .at(0))
        case .fresh, .late: _ = machine.activity(at: .at(0), newID: UUID.init)
        case .freshInBackground, .lateInBackground:
            _ = machine.activity(at: .at(0), newID: UUID.init)
            _ = machine.enterBackground(at: .at(0))
        }
        let before = machine.current
        let isLate = row.state == .late || row.state == .lateInBackground
        let now = SessionMoment.at(isLate ? 100 : 10)
        if row.event == .activity {
            // The short way does what the long one does, or nothing.
            var short = machine
            let isAll = short.goOn(at: now)
            #expect(isAll == (row.actions.isEmpty && row.session == "same"))
            #expect(short.deadline == (isAll ? row.deadline.map { .seconds($0) } : machine.deadline))
            #expect(short.current == machine.current)
        }
        let actions =
            switch row.event {
            case .activity: machine.activity(at: now, newID: UUID.init)
            case .enterBackground: machine.enterBackground(at: now)
            case .enterForeground: machine.enterForeground(at: now, newID: UUID.init)
            case .timeOut: machine.timeOut(at: now)
            }
        #expect(actions.map(\.name).joined(separator: " ") == row.actions)
        let session = machine.current == nil ? "none" : machine.current == before ? "same" : "new"
        #expect(session == row.session)
        #expect(machine.deadline == row.deadline.map { .seconds($0) })
    }

    @Test func aSessionEndsAtItsLastActivityNotWhenItsEndIsFound() throws {
        var machine = SessionStateMachine(mode: .server, timeout: .seconds(60))
        _ = machine.activity(at: .at(0), newID: UUID.init)
        _ = machine.activity(at: .at(25), newID: UUID.init)
        let actions = machine.timeOut(at: .at(1000))
        guard case .end(let ended) = try #require(actions.first) else { return #expect(actions.isEmpty) }
        #expect(ended.length == .seconds(25))
        #expect(ended.milliseconds == SessionMoment.at(25).milliseconds)
    }

    @Test func theTimeoutIsOverAtItsVeryMoment() {
        var machine = SessionStateMachine(mode: .server, timeout: .seconds(60))
        _ = machine.activity(at: .at(0), newID: UUID.init)
        #expect(machine.timeOut(at: SessionMoment(uptime: .seconds(60) - .nanoseconds(1), milliseconds: 0)).isEmpty)
        #expect(machine.timeOut(at: .at(60)).map(\.name) == ["end"])
    }

    @Test func whatWasLeftOpenEndsBeforeTheNewOneBegins() throws {
        var old = SessionStateMachine(mode: .server, timeout: .seconds(60))
        _ = old.activity(at: .at(0), newID: UUID.init)
        _ = old.activity(at: .at(7), newID: UUID.init)
        let stored = try #require(old.stored)
        var machine = SessionStateMachine(mode: .server, timeout: .seconds(60))
        let actions = machine.open(leftOpen: stored, at: .at(5000), newID: UUID.init)
        #expect(actions.map(\.name) == ["end", "begin"])
        guard case .end(let ended) = actions[0] else { return }
        #expect(ended.session == stored.session)
        #expect(ended.length == .seconds(7))
        #expect(ended.milliseconds == SessionMoment.at(7).milliseconds)
    }

    @Test func theWallClockDecidesNothing() {
        var machine = SessionStateMachine(mode: .server, timeout: .seconds(60))
        _ = machine.activity(at: SessionMoment(uptime: .zero, milliseconds: 1_000_000), newID: UUID.init)
        // An hour back, ten years forward.
        _ = machine.activity(at: SessionMoment(uptime: .seconds(5), milliseconds: -2_600_000), newID: UUID.init)
        let later = SessionMoment(uptime: .seconds(10), milliseconds: 315_000_000_000)
        #expect(machine.activity(at: later, newID: UUID.init).isEmpty)
        #expect(machine.stored?.length == .seconds(10))
    }

    @Test func aBeginThatCouldNotBeWrittenLeavesNoSession() {
        var machine = SessionStateMachine(mode: .server, timeout: .seconds(60))
        _ = machine.activity(at: .at(0), newID: UUID.init)
        machine.withdrawBegin()
        #expect(machine.current == nil)
        #expect(machine.deadline == nil)
        #expect(machine.stored == nil)
    }
}

extension SessionMoment {
    /// So many seconds after the start, on both clocks.
    static func at(_ seconds: Int) -> SessionMoment {
        SessionMoment(uptime: .seconds(seconds), milliseconds: 1_700_000_000_000 + Int64(seconds) * 1000)
    }
}

extension SessionStateMachine.Action {
    fileprivate var name: String {
        switch self {
        case .end: "end"
        case .begin: "begin"
        }
    }
}
