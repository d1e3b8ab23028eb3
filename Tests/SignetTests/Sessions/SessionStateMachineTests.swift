// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Every cell of the table: rules x state x event.
///
/// The timeout is 60 s; the session began, and went to the background, at 0 s; the event comes after 10 s, or after 100
/// s where the state is called late.
@Suite struct SessionStateMachineTests {
    enum State: String, CaseIterable, Sendable {
        case none, noneInBackground, fresh, late, freshInBackground, lateInBackground
    }

    enum Event: String, CaseIterable, Sendable {
        case activity, background, foreground, timeOut, begin, end, exit
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        let rules: SessionRules
        let state: State
        let event: Event
        /// What the machine says to do.
        let actions: String
        /// Which session there is then: the same, a new one, none.
        let session: String
        /// When it can time out then, in seconds.
        let deadline: Int?

        var testDescription: String { "\(self.rules.mode) \(self.rules.tracking) \(self.state) \(self.event)" }
    }

    static let rules: [String: SessionRules] = [
        "server": SessionRules(mode: .server),
        "app": SessionRules(mode: .application),
        "manual": SessionRules(mode: .application, tracking: .manual),
    ]

    /// In each cell: what to do / which session there is / when it can time out.
    static let text = """
        rules  state             | activity           | background            | foreground                  | timeOut    | begin              | end        | exit
        server none              | begin/new/70       | background/none/-     | begin foreground/new/70     | /none/-    | begin/new/70       | /none/-    | exit/none/-
        server noneInBackground  | begin/new/70       | /none/-               | begin foreground/new/70     | /none/-    | begin/new/70       | /none/-    | exit/none/-
        server fresh             | /same/70           | background/same/70    | foreground/same/70          | /same/60   | /same/60           | end/none/- | exit/same/70
        server late              | end begin/new/160  | end background/none/- | end begin foreground/new/160| end/none/- | end begin/new/160  | end/none/- | end exit/none/-
        server freshInBackground | /same/70           | /same/60              | foreground/same/70          | /same/60   | /same/60           | end/none/- | exit/same/60
        server lateInBackground  | end begin/new/160  | end/none/-            | end begin foreground/new/160| end/none/- | end begin/new/160  | end/none/- | end exit/none/-
        app    none              | begin/new/-        | background/none/-     | begin foreground/new/-      | /none/-    | begin/new/-        | /none/-    | exit/none/-
        app    noneInBackground  | begin/new/70       | /none/-               | begin foreground/new/-      | /none/-    | begin/new/70       | /none/-    | exit/none/-
        app    fresh             | /same/-            | background/same/70    | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/70
        app    late              | /same/-            | background/same/160   | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/160
        app    freshInBackground | /same/70           | /same/60              | foreground/same/-           | /same/60   | /same/60           | end/none/- | exit/same/60
        app    lateInBackground  | end begin/new/160  | end/none/-            | end begin foreground/new/-  | end/none/- | end begin/new/160  | end/none/- | end exit/none/-
        manual none              | begin/new/-        | background/none/-     | foreground/none/-           | /none/-    | begin/new/-        | /none/-    | exit/none/-
        manual noneInBackground  | begin/new/-        | /none/-               | foreground/none/-           | /none/-    | begin/new/-        | /none/-    | exit/none/-
        manual fresh             | /same/-            | background/same/-     | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/-
        manual late              | /same/-            | background/same/-     | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/-
        manual freshInBackground | /same/-            | /same/-               | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/-
        manual lateInBackground  | /same/-            | /same/-               | foreground/same/-           | /same/-    | /same/-            | end/none/- | exit/same/-
        """

    static let table: [Cell] = text.split(separator: "\n").dropFirst().flatMap { line -> [Cell] in
        let columns = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
        let row = columns[0].split(separator: " ").map(String.init)
        guard let rules = rules[row[0]], let state = State(rawValue: row[1]) else { return [] }
        return zip(Event.allCases, columns.dropFirst()).map { event, text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            return Cell(
                rules: rules,
                state: state,
                event: event,
                actions: parts[0],
                session: parts[1],
                deadline: Int(parts[2])
            )
        }
    }

    @Test func theTableIsComplete() {
        #expect(Self.table.count == Self.rules.count * State.allCases.count * Event.allCases.count)
        #expect(Set(Self.table.map(\.testDescription)).count == Self.table.count)
    }

    private static let timeout = Duration.seconds(60)

    @Test(arguments: table) func eachCellDoesWhatTheTableSays(cell: Cell) {
        var machine = SessionStateMachine(rules: cell.rules)
        switch cell.state {
        case .none: break
        case .noneInBackground: _ = machine.enterBackground(at: .at(0), Self.timeout)
        case .fresh, .late: _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        case .freshInBackground, .lateInBackground:
            _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
            _ = machine.enterBackground(at: .at(0), Self.timeout)
        }
        let before = machine.current
        let isLate = cell.state == .late || cell.state == .lateInBackground
        let now = SessionTimestamp.at(isLate ? 100 : 10)
        if cell.event == .activity {
            // The short way is taken for what begins and ends nothing, and does the same.
            #expect(machine.goesOn(at: now, Self.timeout) == (cell.actions.isEmpty && cell.session == "same"))
            var short = machine
            if machine.goesOn(at: now, Self.timeout) { short.count(nil, at: now) }
            let deadline = cell.session == "same" ? cell.deadline.map { .seconds($0) } : machine.deadline(Self.timeout)
            #expect(short.deadline(Self.timeout) == deadline)
            #expect(short.current == machine.current)
        }
        let actions =
            switch cell.event {
            case .activity: machine.activity(at: now, Self.timeout, newID: UUID.init)
            case .background: machine.enterBackground(at: now, Self.timeout)
            case .foreground: machine.enterForeground(at: now, Self.timeout, newID: UUID.init)
            case .timeOut: machine.timeOut(at: now, Self.timeout)
            case .begin: machine.timeOut(at: now, Self.timeout) + machine.begin(at: now, newID: UUID.init)
            case .end: machine.end(at: now, Self.timeout)
            case .exit: machine.exit(at: now, Self.timeout)
            }
        #expect(actions.map(\.name).joined(separator: " ") == cell.actions)
        let session = machine.current == nil ? "none" : machine.current == before ? "same" : "new"
        #expect(session == cell.session)
        #expect(machine.deadline(Self.timeout) == cell.deadline.map { .seconds($0) })
    }

    @Test func aSessionEndsAtItsLastActivityNotWhenItsEndIsFound() throws {
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        machine.count(nil, at: .at(25))
        let actions = machine.timeOut(at: .at(1000), Self.timeout)
        guard case .end(let totals, .timeout) = try #require(actions.first) else { return #expect(actions.isEmpty) }
        #expect(totals.length == .seconds(25))
        #expect(totals.lastMilliseconds == SessionTimestamp.at(25).milliseconds)
    }

    @Test func anAppEndsItsSessionAtTheTimeOfTheCall() throws {
        var machine = SessionStateMachine(rules: SessionRules(mode: .application))
        _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        let actions = machine.end(at: .at(90), Self.timeout)
        guard case .end(let totals, .app) = try #require(actions.first) else { return #expect(actions.isEmpty) }
        #expect(totals.length == .seconds(90))
        #expect(machine.end(at: .at(91), Self.timeout).isEmpty)
    }

    @Test func theTimeoutIsOverAtItsVeryMoment() {
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        let before = SessionTimestamp(uptime: .seconds(60) - .nanoseconds(1), milliseconds: 0)
        #expect(machine.timeOut(at: before, Self.timeout).isEmpty)
        #expect(machine.timeOut(at: .at(60), Self.timeout).map(\.name) == ["end"])
    }

    @Test func aTimeoutThatChangesCountsForTheSessionThatIsOpen() {
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        #expect(machine.timeOut(at: .at(50), .seconds(600)).isEmpty)
        #expect(machine.timeOut(at: .at(50), .seconds(50)).map(\.name) == ["end"])
    }

    @Test func whatWasLeftOpenEndsBeforeTheNewOneBeginsWhichTellsOfIt() throws {
        var old = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = old.activity(at: .at(0), Self.timeout, newID: UUID.init)
        old.count(nil, at: .at(7))
        let left = try #require(old.totals)
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        let actions =
            machine.takeOver(left, at: .at(5000), Self.timeout) + machine.begin(at: .at(5000), newID: UUID.init)
        #expect(actions.map(\.name) == ["end", "begin"])
        guard case .end(let totals, .timeout) = actions[0], case .begin(_, let previous) = actions[1] else {
            return #expect(Bool(false), "\(actions)")
        }
        #expect(totals == left)
        #expect(previous == PreviousSession(left))
    }

    @Test func whatWasLeftOpenGoesOnWithinTheTimeoutOnAServerAndEndsAtAnAppsLaunch() throws {
        var old = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = old.activity(at: .at(0), Self.timeout, newID: UUID.init)
        old.count(nil, at: .at(7))
        let left = try #require(old.totals)
        var server = SessionStateMachine(rules: SessionRules(mode: .server))
        #expect(server.takeOver(left, at: .at(10), Self.timeout).isEmpty)
        #expect(server.totals == left)
        #expect(server.deadline(Self.timeout) == .seconds(7) + Self.timeout)
        var app = SessionStateMachine(rules: SessionRules(mode: .application))
        #expect(app.takeOver(left, at: .at(10), Self.timeout) == [.end(left, .launch)])
        #expect(app.previous == PreviousSession(left))
    }

    @Test func theWallClockDecidesNothing() {
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = machine.activity(
            at: SessionTimestamp(uptime: .zero, milliseconds: 1_000_000),
            Self.timeout,
            newID: UUID.init
        )
        // An hour back, ten years forward.
        machine.count(nil, at: SessionTimestamp(uptime: .seconds(5), milliseconds: -2_600_000))
        let later = SessionTimestamp(uptime: .seconds(10), milliseconds: 315_000_000_000)
        #expect(machine.activity(at: later, Self.timeout, newID: UUID.init).isEmpty)
        #expect(machine.totals?.length == .seconds(10))
    }

    @Test func aBeginThatCouldNotBeWrittenLeavesNoSession() {
        var machine = SessionStateMachine(rules: SessionRules(mode: .server))
        _ = machine.activity(at: .at(0), Self.timeout, newID: UUID.init)
        machine.withdrawBegin(nil)
        #expect(machine.current == nil)
        #expect(machine.deadline(Self.timeout) == nil)
        #expect(machine.totals == nil)
    }
}

extension SessionTimestamp {
    /// So many seconds after the start, on both clocks.
    static func at(_ seconds: Int) -> SessionTimestamp {
        SessionTimestamp(uptime: .seconds(seconds), milliseconds: 1_700_000_000_000 + Int64(seconds) * 1000)
    }
}

extension SessionStateMachine.Action {
    fileprivate var name: String {
        switch self {
        case .end: "end"
        case .begin: "begin"
        case .tell(.background): "background"
        case .tell(.foreground): "foreground"
        case .tell(.exit): "exit"
        case .tell(.initialized): "launch"
        }
    }
}
