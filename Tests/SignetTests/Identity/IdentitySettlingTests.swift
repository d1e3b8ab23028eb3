// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// A change of the user keeps the slot until those who follow it have it.
@Suite struct IdentitySettlingTests {
    private static let now = IdentityFixture.now
    /// A service that was told nothing yet.
    private static let syncState = ServiceSyncState(of: .init(name: "iterable"), .synced(nil)) { $0.names }

    /// A machine whose login has been answered, and which tells others of it.
    private static func settling() throws -> (IdentityStateMachine, number: Int) {
        var machine = IdentityStateMachine(restoring: IdentityFixture.state())
        guard case .start(let number) = machine.begin(IdentityFixture.login, mayWait: false, now: Self.now) else {
            throw SignetError(.notRunning, "did not start")
        }
        _ = machine.startSending(number, now: Self.now)
        let finish = machine.finish(number, with: IdentityFixture.reply(2), now: Self.now, for: [Self.syncState])
        #expect(finish?.change != nil)
        #expect(finish?.next == nil)
        return (machine, number)
    }

    @Test func nobodyElseBeginsUntilItIsSettled() throws {
        var (machine, number) = try Self.settling()
        guard case .finish(.failed(let error)) = machine.begin(IdentityFixture.login, mayWait: false, now: Self.now)
        else {
            Issue.record("began")
            return
        }
        #expect(error.code == .requestInProgress)
        guard case .wait(let waiting) = machine.begin(IdentityFixture.login, mayWait: true, now: Self.now) else {
            Issue.record("did not wait")
            return
        }
        #expect(machine.settled(waiting) == nil)
        #expect(machine.settled(number) == waiting)
        #expect(machine.settled(number) == nil)
        #expect(machine.isReserved(waiting))
    }

    @Test func itsCallerMayGoAndTheAnswerIsNotTakenTwice() throws {
        var (machine, number) = try Self.settling()
        #expect(machine.withdraw(number) == .detached)
        #expect(machine.finish(number, with: IdentityFixture.reply(3), now: Self.now) == nil)
        #expect(machine.stop() == [number])
        #expect(machine.settled(number) == nil)
    }

    @Test func whatChangesNobodyFreesTheSlotAtOnce() throws {
        var machine = IdentityStateMachine(restoring: IdentityFixture.state())
        guard case .start(let number) = machine.begin(IdentityFixture.login, mayWait: false, now: Self.now) else {
            Issue.record("did not start")
            return
        }
        _ = machine.startSending(number, now: Self.now)
        let error = SignetError(.timedOut, "")
        #expect(machine.finish(number, with: .failed(error), now: Self.now, for: [Self.syncState]) != nil)
        #expect(machine.isIdle)
    }
}
