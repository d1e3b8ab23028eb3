// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

@Suite struct ConnectionPoolMachineTests {
    private typealias Call = ConnectionPoolMachine.Call
    private typealias Action = ConnectionPoolMachine.Action

    private static func machine(_ connections: Int, addresses: Int = 1, waiting: Int = 100) -> ConnectionPoolMachine {
        var limits = ConnectionPoolMachine.Limits(connections: connections)
        limits.addresses = addresses
        limits.waiting = waiting
        return ConnectionPoolMachine(limits)
    }

    private static func call(
        _ number: UInt64,
        until deadline: Duration = .seconds(1),
        _ kind: ConnectionPoolMachine.Share.Kind = .read,
        keys: Int? = nil,
        bytes: Int = 0
    ) -> Call {
        let share = keys.map { count in
            ConnectionPoolMachine.Share(kind: kind, keys: (0..<count).map { _ in UUID() }, bytes: bytes)
        }
        return Call(number: number, deadline: deadline, share: share)
    }

    private static func call(_ number: UInt64, _ kind: ConnectionPoolMachine.Share.Kind, of key: UUID) -> Call {
        Call(number: number, deadline: .seconds(1), share: .init(kind: kind, keys: [key], bytes: 0))
    }

    /// A machine whose connections are all idle.
    private static func ready(_ connections: Int, waiting: Int = 100) -> ConnectionPoolMachine {
        var machine = Self.machine(connections, waiting: waiting)
        for index in 0..<connections { machine.connected(index) }
        return machine
    }

    @Test func itConnectsWhenACallWaitsAndThenSendsIt() {
        var machine = Self.machine(4)
        #expect(machine.advance(to: .zero, jitter: 0).isEmpty)
        #expect(machine.add(Self.call(1), at: .zero).isEmpty)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 0)])
        #expect(machine.advance(to: .zero, jitter: 0).isEmpty)
        machine.connected(0)
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1])])
        #expect(machine.answered(0, at: .zero) == [1])
    }

    @Test func itNeverHasMoreConnectionsThanAllowed() {
        var machine = Self.machine(2)
        for number in 1...5 { _ = machine.add(Self.call(UInt64(number)), at: .zero) }
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 0), .connect(1, address: 0)])
    }

    @Test func callsGoInTheirOrderAndOneAtATime() {
        var machine = Self.ready(1)
        for number in 1...3 { _ = machine.add(Self.call(UInt64(number)), at: .zero) }
        for number in 1...3 {
            #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [UInt64(number)])])
            #expect(machine.answered(0, at: .zero) == [UInt64(number)])
        }
    }

    @Test func readsThatWaitTogetherAreOneStatementUpToItsKeys() {
        var machine = Self.ready(1)
        for (number, keys) in [(1, 100), (2, nil), (3, 100), (4, 100), (5, 56)] {
            _ = machine.add(Self.call(UInt64(number), keys: keys), at: .zero)
        }
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1, 3, 5])])
        #expect(machine.answered(0, at: .zero) == [1, 3, 5])
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [2])])
    }

    @Test func eachKindOfCallIsJoinedWithItsOwn() {
        var machine = Self.ready(1)
        for (number, kind) in [(1, .commit), (2, .read), (3, .slot), (4, .commit), (5, .read), (6, .slot)]
            as [(UInt64, ConnectionPoolMachine.Share.Kind)]
        {
            _ = machine.add(Self.call(number, kind, keys: 1), at: .zero)
        }
        for numbers in [[1, 4], [2, 5], [3, 6]] as [[UInt64]] {
            #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, numbers)])
            #expect(machine.answered(0, at: .zero) == numbers)
        }
    }

    @Test(arguments: [ConnectionPoolMachine.Share.Kind.commit, .slot])
    func twoChangesOfOneRowAreTwoStatements(kind: ConnectionPoolMachine.Share.Kind) {
        var machine = Self.ready(1)
        let (first, second) = (UUID(), UUID())
        for (number, key) in [(1, first), (2, second), (3, first), (4, second)] as [(UInt64, UUID)] {
            _ = machine.add(Self.call(number, kind, of: key), at: .zero)
        }
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1, 2])])
        #expect(machine.answered(0, at: .zero) == [1, 2])
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [3, 4])])
    }

    @Test func readsOfOneRowAreOneStatement() {
        var machine = Self.ready(1)
        let key = UUID()
        for number in 1...3 as ClosedRange<UInt64> { _ = machine.add(Self.call(number, .read, of: key), at: .zero) }
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1, 2, 3])])
    }

    @Test func commitsAreJoinedUpToTheirBytes() {
        var machine = Self.ready(1)
        for (number, bytes) in [(1, 1 << 19), (2, 1 << 20), (3, 1 << 19), (4, 1)] as [(UInt64, Int)] {
            _ = machine.add(Self.call(number, .commit, keys: 1, bytes: bytes), at: .zero)
        }
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1, 3])])
        #expect(machine.answered(0, at: .zero) == [1, 3])
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [2])])
    }

    @Test func aCallThatWaitsTooLongWasNotSent() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1, until: .seconds(5)), at: .zero)
        _ = machine.add(Self.call(2), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.nextDeadline == .seconds(1))
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.refuse(2, .timedOutUnsent)])
    }

    /// The server has limits of its own: what is without an answer for longer has lost it on the way.
    @Test func aReadWithoutAnAnswerClosesItsSocketWhenTheServerMustHaveEndedIt() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.refuse(1, .timedOut)])
        #expect(machine.add(Self.call(2, until: .seconds(3)), at: .seconds(1)).isEmpty)
        #expect(machine.advance(to: .seconds(1), jitter: 0).isEmpty)
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.advance(to: .seconds(2), jitter: 0) == [.close(0), .connect(0, address: 0)])
    }

    @Test func aReadThatIsAnsweredAfterItsCallerHasGoneFreesItsConnection() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        _ = machine.advance(to: .seconds(1), jitter: 0)
        #expect(machine.answered(0, at: .zero).isEmpty)
        _ = machine.add(Self.call(2, until: .seconds(3)), at: .seconds(1))
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.send(0, [2])])
    }

    @Test func aJoinedReadOutlivesItsFirstCaller() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1, until: .seconds(1), keys: 1), at: .zero)
        _ = machine.add(Self.call(2, until: .seconds(2), keys: 1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.advance(to: .seconds(1), jitter: 0) == [.refuse(1, .timedOut)])
        #expect(machine.answered(0, at: .zero) == [2])
    }

    @Test func aCancelledCallIsAnsweredAtOnceAndItsConnectionStays() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        _ = machine.add(Self.call(2), at: .zero)
        #expect(machine.cancel(2) == [.refuse(2, .cancelled)])
        #expect(machine.cancel(1) == [.refuse(1, .cancelled)])
        #expect(machine.cancel(1).isEmpty)
        #expect(machine.answered(0, at: .zero).isEmpty)
        _ = machine.add(Self.call(3), at: .zero)
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [3])])
    }

    @Test func excessCallsAreRefusedAndNotQueued() {
        var machine = Self.machine(1, waiting: 2)
        #expect(machine.add(Self.call(1), at: .zero).isEmpty)
        #expect(machine.add(Self.call(2), at: .zero).isEmpty)
        #expect(machine.add(Self.call(3), at: .zero) == [.refuse(3, .busy)])
    }

    @Test func afterAFailedAttemptCallsFailAtOnceUntilThePauseIsOver() {
        var machine = Self.machine(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.connectionFailed(0, at: .zero, jitter: 0) == [.refuse(1, .notConnected)])
        #expect(machine.add(Self.call(2), at: .milliseconds(49)) == [.refuse(2, .notConnected)])
        #expect(machine.add(Self.call(3), at: .milliseconds(50)).isEmpty)
        #expect(machine.advance(to: .milliseconds(50), jitter: 0) == [.connect(0, address: 0)])
    }

    @Test func pausesDoubleUpToTheLongestAndBeginAgainAfterASuccess() {
        var machine = Self.machine(1)
        var now = Duration.zero
        for pause in [50, 100, 200, 400, 800, 1_000, 1_000] {
            _ = machine.add(Self.call(1, until: now + .seconds(1)), at: now)
            _ = machine.advance(to: now, jitter: 0)
            _ = machine.connectionFailed(0, at: now, jitter: 0)
            let end = now + .milliseconds(pause)
            #expect(
                machine.add(Self.call(2, until: .seconds(100)), at: end - .milliseconds(1)) == [
                    .refuse(2, .notConnected)
                ]
            )
            now = end
        }
        _ = machine.add(Self.call(3, until: .seconds(100)), at: now)
        _ = machine.advance(to: now, jitter: 0)
        machine.connected(0)
        #expect(machine.broke(0, at: now).isEmpty)
        _ = machine.advance(to: now, jitter: 0)
        _ = machine.connectionFailed(0, at: now, jitter: 0)
        #expect(machine.add(Self.call(4), at: now + .milliseconds(50)).isEmpty)
    }

    @Test func everyAddressIsTriedBeforeAPause() {
        var machine = Self.machine(1, addresses: 2)
        _ = machine.add(Self.call(1), at: .zero)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 0)])
        #expect(machine.connectionFailed(0, at: .zero, jitter: 0).isEmpty)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 1)])
        #expect(machine.connectionFailed(0, at: .zero, jitter: 0) == [.refuse(1, .notConnected)])
    }

    @Test func attemptsThatFailTogetherAreOneStepToTheNextAddress() {
        var machine = Self.machine(4, addresses: 2)
        for number in 1...4 { _ = machine.add(Self.call(UInt64(number)), at: .zero) }
        #expect(machine.advance(to: .zero, jitter: 0) == (0..<4).map { .connect($0, address: 0) })
        for index in 0..<4 { #expect(machine.connectionFailed(index, at: .zero, jitter: 0).isEmpty) }
        #expect(machine.advance(to: .zero, jitter: 0) == (0..<4).map { .connect($0, address: 1) })
        for index in 0..<3 { #expect(machine.connectionFailed(index, at: .zero, jitter: 0).isEmpty) }
        #expect(machine.connectionFailed(3, at: .zero, jitter: 0) == (1...4).map { .refuse($0, .notConnected) })
        #expect(machine.add(Self.call(5), at: .milliseconds(49)) == [.refuse(5, .notConnected)])
        #expect(machine.add(Self.call(6), at: .milliseconds(50)).isEmpty)
        #expect(machine.advance(to: .milliseconds(50), jitter: 0) == [.connect(0, address: 0)])
    }

    @Test func oneRoundOfSeveralConnectionsIsOnePause() {
        var machine = Self.machine(4)
        var now = Duration.zero
        for pause in [50, 100, 200] {
            for number in 1...4 { _ = machine.add(Self.call(UInt64(number), until: now + .seconds(9)), at: now) }
            #expect(machine.advance(to: now, jitter: 0).count == 4)
            for index in 0..<3 { #expect(machine.connectionFailed(index, at: now, jitter: 0).isEmpty) }
            #expect(machine.connectionFailed(3, at: now, jitter: 0).count == 4)
            let end = now + .milliseconds(pause)
            #expect(machine.add(Self.call(9), at: end - .milliseconds(1)) == [.refuse(9, .notConnected)])
            now = end
        }
    }

    @Test func theNextConnectionsGoToTheAddressThatAnswered() {
        var machine = Self.machine(2, addresses: 3)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        _ = machine.connectionFailed(0, at: .zero, jitter: 0)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(0, address: 1)])
        machine.connected(0)
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1])])
        _ = machine.add(Self.call(2), at: .zero)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(1, address: 1)])
        #expect(machine.connectionFailed(1, at: .zero, jitter: 0).isEmpty)
        #expect(machine.advance(to: .zero, jitter: 0) == [.connect(1, address: 2)])
    }

    @Test func aFailedAttemptHarmsNoCallsWhileAnotherConnectionLives() {
        var machine = Self.machine(2)
        machine.connected(0)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.add(Self.call(2), at: .zero)
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [1]), .connect(1, address: 0)])
        #expect(machine.connectionFailed(1, at: .zero, jitter: 0).isEmpty)
        #expect(machine.add(Self.call(3), at: .zero).isEmpty)
        #expect(machine.answered(0, at: .zero) == [1])
        #expect(machine.advance(to: .zero, jitter: 0) == [.send(0, [2])])
    }

    @Test func anAttemptThatTakesTooLongFails() {
        var machine = Self.machine(1)
        _ = machine.add(Self.call(1, until: .seconds(10)), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.nextDeadline == .seconds(3))
        #expect(machine.advance(to: .seconds(3), jitter: 0) == [.close(0), .refuse(1, .notConnected)])
    }

    @Test func whoeverWasSentOverABrokenConnectionIsNamed() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        #expect(machine.broke(0, at: .zero) == [1])
    }

    @Test func closingRefusesEverythingThenAndLater() {
        var machine = Self.ready(1)
        _ = machine.add(Self.call(1), at: .zero)
        _ = machine.advance(to: .zero, jitter: 0)
        _ = machine.add(Self.call(2), at: .zero)
        #expect(machine.close() == [.refuse(2, .closed), .refuse(1, .timedOut), .close(0)])
        #expect(machine.add(Self.call(3), at: .zero) == [.refuse(3, .closed)])
        #expect(machine.nextDeadline == nil)
    }
}
#endif
