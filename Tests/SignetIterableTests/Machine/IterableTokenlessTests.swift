// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel
import Testing

@testable import Signet
@testable import SignetIterable

/// Users who have left and have no token: their work waits, and that of others goes first.
@Suite struct IterableTokenlessTests {
    private typealias Scene = IterableMachineScene
    private typealias Machine = IterableStateMachine

    private static let none = SignetError(.tokenUnavailable, "none")
    private static let cat = IterableUserID.email("cat@example.com")

    /// A known user, with one record.
    private static func known(_ id: IterableUserID = Scene.ann) -> Machine {
        var machine = Scene.machine(in: .noConsent)
        _ = machine.identify(id, replays: true, merges: true)
        _ = machine.record(.customEvent("hers", at: 1), id: .random())
        return machine
    }

    /// Begins the next operation, and says which it is.
    private static func begin(_ machine: inout Machine) throws -> (number: Int, operation: Machine.Operation) {
        guard case .perform(let number, let operation) = machine.next(now: .zero) else {
            throw SignetError(.noSession, "Nothing is next.")
        }
        return (number, operation)
    }

    private static func finishAll(_ machine: inout Machine, as answer: Machine.Answer = .done) -> [IterableUserID] {
        var users: [IterableUserID] = []
        while case .perform(let number, let operation) = machine.next(now: .zero) {
            if let turn = machine.turn(of: operation) { users.append(turn.id) }
            _ = machine.finish(number, answer, now: .zero, jitter: 0)
        }
        return users
    }

    @Test func aLoginEndsTheWaitOfTheUserBeforeAndGoesFirst() throws {
        var machine = Self.known()
        let wait = try Self.begin(&machine)
        #expect(!machine.isWaitNeedless)
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        #expect(machine.isWaitNeedless)
        let actions = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        #expect(Scene.name(actions) == "")
        #expect(machine.pausedUntil == nil)
        _ = machine.record(.customEvent("his", at: 2), id: .random())
        // His token, his record, and then she is asked for again.
        let next = try Self.begin(&machine)
        #expect(machine.turn(of: next.operation)?.id == Scene.bob)
        _ = machine.finish(next.number, .done, now: .zero, jitter: 0)
        #expect(Self.finishAll(&machine) == [Scene.bob, Scene.ann, Scene.ann])
        #expect(machine.state == .known(Scene.bob))
    }

    @Test func aLogoutLetsTheVisitorsWorkGoFirst() throws {
        var machine = Self.known()
        _ = machine.setConsent(true, now: 1000)
        let wait = try Self.begin(&machine)
        _ = machine.logout(now: 2)
        #expect(!machine.isWaitNeedless)
        _ = machine.record(.customEvent("e", at: 3), id: .random())
        _ = machine.matched("7") { .random() }
        #expect(machine.isWaitNeedless)
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        let next = try Self.begin(&machine)
        guard case .activate = next.operation else { return #expect(Bool(false), "no activation") }
    }

    /// The pause is hers alone.
    @Test func whoHasNoTokenPausesNobodyElse() throws {
        var machine = Self.known()
        _ = machine.logout(now: 2)
        let wait = try Self.begin(&machine)
        let actions = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        #expect(Scene.name(actions) == "postpone")
        #expect(machine.pausedUntil == .seconds(5))
        guard case .token? = machine.obstacle else { return #expect(Bool(false), "no obstacle") }
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        #expect(machine.pausedUntil == nil)
        #expect(Self.finishAll(&machine) == [Scene.bob])
        #expect(machine.state == .known(Scene.bob))
        machine.tokensMayCome()
        #expect(Self.finishAll(&machine) == [Scene.ann, Scene.ann])
        #expect(!machine.hasWork && machine.obstacle == nil)
    }

    /// The pause that was for the token of the user in front ends with them.
    @Test func aLogoutEndsThePauseForTheTokenOfItsUser() throws {
        var machine = Self.known()
        _ = machine.setConsent(true, now: 1000)
        let wait = try Self.begin(&machine)
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        #expect(machine.pausedUntil == .seconds(5))
        _ = machine.logout(now: 2)
        _ = machine.record(.customEvent("e", at: 3), id: .random())
        _ = machine.matched("7") { .random() }
        #expect(machine.pausedUntil == nil)
        let next = try Self.begin(&machine)
        guard case .activate = next.operation else { return #expect(Bool(false), "no activation") }
    }

    /// Iterable would take them for one: what was asked for first is done first.
    @Test func theSameOneUnderAnotherNameDoesNotOvertake() throws {
        var machine = Self.known()
        _ = machine.changeEmail("cat@example.com")
        let wait = try Self.begin(&machine)
        _ = machine.identify(Self.cat, replays: true, merges: true)
        #expect(!machine.isWaitNeedless)
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        #expect(machine.pausedUntil == .seconds(5))
        machine.tokensMayCome()
        let again = try Self.begin(&machine)
        #expect(machine.turn(of: again.operation)?.id == Scene.ann)
        // Who has nothing to do with them does.
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        #expect(machine.isWaitNeedless)
        _ = machine.finish(again.number, .noToken(Self.none), now: .zero, jitter: 0)
        let next = try Self.begin(&machine)
        #expect(machine.turn(of: next.operation)?.id == Scene.bob)
    }

    @Test func whoComesBackHasTheirEarlierWorkDoneFirst() throws {
        var machine = Self.known()
        let wait = try Self.begin(&machine)
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        _ = machine.identify(Scene.ann, replays: true, merges: true)
        _ = machine.record(.customEvent("hers, later", at: 3), id: .random())
        var names: [String] = []
        while case .perform(let number, let operation) = machine.next(now: .zero) {
            if case .send(let record, _) = operation, let name = record.record.eventName { names.append(name) }
            _ = machine.finish(number, .done, now: .zero, jitter: 0)
        }
        #expect(names == ["hers", "hers, later"])
    }

    /// On disk before it is sent: a merge whose answer is lost is not reported as failed by the next process.
    @Test func theMergeThatOvertakesIsOnDisk() throws {
        var machine = Self.known()
        let wait = try Self.begin(&machine)
        _ = machine.logout(now: 2)
        _ = machine.setConsent(true, now: 3000)
        _ = machine.matched("7") { .random() }
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        while machine.memory.activation != nil || machine.memory.current.map({ !$0.tasks.isEmpty }) ?? false {
            let next = try Self.begin(&machine)
            _ = machine.finish(next.number, .done, now: .zero, jitter: 0)
        }
        guard case .unknown(let userID) = machine.state else { return #expect(Bool(false), "\(machine.state)") }
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        let token = try Self.begin(&machine)
        #expect(machine.turn(of: token.operation)?.id == Scene.bob)
        _ = machine.finish(token.number, .done, now: .zero, jitter: 0)
        #expect(machine.memory.nextMerge == userID)
        let merge = try Self.begin(&machine)
        guard case .task(.merge(source: userID), _) = merge.operation else { return #expect(Bool(false), "no merge") }
    }

    @Test func whoseTokenIsGivenUpIsAbandonedWhereverTheyStand() throws {
        var machine = Self.known()
        let wait = try Self.begin(&machine)
        _ = machine.identify(Scene.bob, replays: true, merges: true)
        _ = machine.finish(wait.number, .noToken(Self.none), now: .zero, jitter: 0)
        let his = try Self.begin(&machine)
        _ = machine.finish(his.number, .done, now: .zero, jitter: 0)
        let hers = try Self.begin(&machine)
        let actions = machine.finish(hers.number, .tokenGivenUp(Self.none), now: .zero, jitter: 0)
        #expect(Scene.name(actions) == "save, remove 0, drop 1 noToken, tell abandoned")
        #expect(machine.state == .known(Scene.bob) && !machine.hasWork)
    }
}
