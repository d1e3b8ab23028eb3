// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Testing

@testable import SignetPostgres

/// Commits that the server does not finish: never more of its processes than connections, and readings go on.
@Suite struct ConnectionPoolCommitTests {
    private static func machine(_ connections: Int) -> ConnectionPoolMachine {
        var machine = ConnectionPoolMachine(.init(connections: connections))
        for index in 0..<connections { machine.connected(index) }
        return machine
    }

    private static func commit(_ number: UInt64, until deadline: Int = 1) -> ConnectionPoolMachine.Call {
        .init(number: number, deadline: .seconds(deadline), kind: .commit)
    }

    private static func read(_ number: UInt64, until deadline: Int) -> ConnectionPoolMachine.Call {
        .init(number: number, deadline: .seconds(deadline))
    }

    /// Two connections; the server works on a commit that nobody waits for.
    private static func stuck() -> ConnectionPoolMachine {
        var machine = Self.machine(2)
        _ = machine.add(Self.commit(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.refuse(1, .timedOut)])
        return machine
    }

    @Test func commitsLeaveOneConnectionToReadings() {
        var machine = Self.machine(3)
        for number in 1...3 { _ = machine.add(Self.commit(UInt64(number)), at: .zero) }
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1]), .send(1, [2])])
        _ = machine.add(Self.read(4, until: 1), at: .zero)
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(2, [4])])
        #expect(machine.answered(0, at: .zero) == [1])
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [3])])
    }

    @Test func commitsThatMayNotBeSentOpenNoConnection() {
        var machine = ConnectionPoolMachine(.init(connections: 3))
        for number in 1...9 { _ = machine.add(Self.commit(UInt64(number)), at: .zero) }
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 0), .connect(1, address: 0)])
    }

    @Test func whileAllCommitsAreStuckFurtherOnesAreRefusedAtOnce() {
        var machine = Self.stuck()
        #expect(machine.add(Self.commit(2, until: 2), at: .seconds(1)) == [.refuse(2, .commitsWait)])
        _ = machine.add(Self.read(3, until: 2), at: .seconds(1))
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.send(1, [3])])
    }

    @Test func thoseThatWaitAreRefusedWhenTheLastConnectionOfCommitsIsStuck() {
        var machine = Self.machine(2)
        _ = machine.add(Self.commit(1), at: .zero)
        _ = machine.add(Self.commit(2, until: 9), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.refuse(1, .timedOut), .refuse(2, .commitsWait)])
    }

    @Test func theServerIsAskedAndItsWorkKeepsTheConnection() {
        var machine = Self.stuck()
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.advance(to: .seconds(2), jitter: 0) == [.inquire(1, about: [0])])
        #expect(machine.inquired(1, working: [0], at: .seconds(2)).isEmpty)
        #expect(machine.nextDeadline == .seconds(7))
        #expect(machine.add(Self.commit(2, until: 3), at: .seconds(2)) == [.refuse(2, .commitsWait)])
        #expect(machine.answered(0, at: .zero).isEmpty)
        _ = machine.add(Self.commit(3, until: 4), at: .seconds(3))
        #expect(machine.advance(to: .seconds(3), jitter: 0) == [.send(0, [3])])
    }

    @Test func aStatementOnWhichTheServerDoesNotWorkHasLostItsAnswer() {
        var machine = Self.stuck()
        _ = machine.advance(to: .seconds(2), jitter: 0)
        #expect(machine.inquired(1, working: [], at: .seconds(2)) == [.close(0)])
        _ = machine.add(Self.commit(2, until: 3), at: .seconds(2))
        #expect(machine.advance(to: .seconds(2), jitter: 0) == [.send(1, [2])])
    }

    @Test func aQuestionWithoutAnAnswerIsAskedAgain() {
        var machine = Self.stuck()
        _ = machine.advance(to: .seconds(2), jitter: 0)
        #expect(machine.advance(to: .seconds(3), jitter: 0) == [.close(1)])
        #expect(machine.advance(to: .seconds(4), jitter: 0) == [.connect(1, address: 0)])
        machine.connected(1)
        #expect(machine.advance(to: .seconds(4), jitter: 0) == [.inquire(1, about: [0])])
        // The connection breaks.
        #expect(machine.broke(1, at: .seconds(4)).isEmpty)
        #expect(machine.nextDeadline == .seconds(5))
    }

    /// By its time limit, or as a pooler has changed the session.
    @Test func aQuestionThatTheServerRefusesIsAskedAgain() {
        var machine = Self.stuck()
        _ = machine.advance(to: .seconds(2), jitter: 0)
        #expect(machine.answered(1, at: .seconds(2)).isEmpty)
        #expect(machine.nextDeadline == .seconds(3))
        #expect(machine.advance(to: .seconds(3), jitter: 0) == [.inquire(1, about: [0])])
    }

    @Test func withoutAConnectionThatCouldAskTheThreadSleepsMeanwhile() {
        var machine = Self.stuck()
        _ = machine.add(Self.read(2, until: 9), at: .seconds(1))
        _ = machine.advance(to: .seconds(1), jitter: 0)
        #expect(machine.advance(to: .seconds(2), jitter: 0).isEmpty)
        #expect(machine.nextDeadline == .seconds(2) + .milliseconds(50))
    }

    @Test func anAnswerThatComesWhileTheServerIsAskedCounts() {
        var machine = Self.stuck()
        _ = machine.advance(to: .seconds(2), jitter: 0)
        #expect(machine.answered(0, at: .zero).isEmpty)
        #expect(machine.inquired(1, working: [], at: .seconds(2)).isEmpty)
    }

    @Test func theOnlyConnectionIsGivenUpAfterAWhile() {
        var machine = Self.machine(1)
        _ = machine.add(Self.commit(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        _ = machine.advance(to: .seconds(1), jitter: 0)
        #expect(machine.advance(to: .seconds(15), jitter: 0).isEmpty)
        #expect(machine.advance(to: .seconds(16), jitter: 0) == [.close(0)])
    }

    @Test func whileTheServerIsAwayAnAbandonedConnectionIsNoReasonToWait() {
        var machine = Self.stuck()
        _ = machine.broke(1, at: .seconds(1))
        _ = machine.add(Self.read(2, until: 9), at: .seconds(1))
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.connect(1, address: 0)])
        #expect(machine.connectionFailed(1, at: .seconds(1), jitter: 0) == [.refuse(2, .notConnected)])
        #expect(machine.add(Self.read(3, until: 9), at: .seconds(1)) == [.refuse(3, .notConnected)])
    }

    @Test func theLimitsAtTheServerLeaveTimeForTheAnswer() {
        let alone = StatementLimits(left: .seconds(1), isJoined: false)
        #expect(alone.statement == 900 && alone.lock == 810)
        let joined = StatementLimits(left: .seconds(1), isJoined: true)
        #expect(joined.statement == 900 && joined.lock == 270)
        // Zero would be no limit.
        let late = StatementLimits(left: .milliseconds(-5), isJoined: true)
        #expect(late.statement == 1 && late.lock == 1)
        let longest = StatementLimits(left: .seconds(Int64.max / 8), isJoined: false).statement
        #expect(longest <= Int32.max && longest > 1_900_000_000)
    }
}
#endif
