// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What the machine says when the pause before a further try is over.
@Suite struct IdentityRepeatingTests {
    private func machine() -> IdentityStateMachine {
        IdentityStateMachine(restoring: IdentityState(deviceApplicationStamp: UUID(), now: 0))
    }

    private func pausing(_ call: IdentityCall = .search([.email: "a@b.c"])) -> IdentityStateMachine {
        var machine = self.machine()
        _ = machine.begin(call, mayWait: false, now: 0)
        _ = machine.startSending(0, now: 0)
        _ = machine.pause(0)
        return machine
    }

    private func obstacle(_ action: IdentityStateMachine.SendAction) -> SignetError.Code? {
        if case .finish(.failed(let error), nil) = action { error.code } else { nil }
    }

    @Test func whatIsSentAgainIsTheSame() throws {
        var machine = self.machine()
        let plan = try required(machine.send(.search([.email: "a@b.c"]))?.plan)
        _ = machine.pause(0)
        guard case .ignore = machine.resume(1, now: 0), case .send(plan) = machine.resume(0, now: 0) else {
            Issue.record("not repeated")
            return
        }
    }

    @Test func theNextTryIsTheFirstAtTheTurnAndARepetitionAfterAPause() throws {
        var machine = self.machine()
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        guard case .send(let plan) = machine.nextTry(0, now: 0), case .ignore = machine.nextTry(0, now: 0) else {
            Issue.record("not sent once")
            return
        }
        _ = machine.pause(0)
        guard case .ignore = machine.nextTry(1, now: 0), case .send(plan) = machine.nextTry(0, now: 0) else {
            Issue.record("not repeated")
            return
        }
    }

    @Test func anOptOutInThePauseEndsTheTries() {
        var machine = self.pausing()
        machine.setOptedOut(true)
        #expect(self.obstacle(machine.resume(0, now: 0)) == .optedOut)
        #expect(machine.isIdle)
    }

    @Test func whoWasErasedInThePauseIsNotNamedInTheNextTry() throws {
        let mpid = try #require(MPID(rawValue: 7))
        var state = IdentityState(deviceApplicationStamp: UUID(), now: 0)
        _ = state.directory.resolve(to: mpid, isLoggedIn: true, isEphemeral: false, request: [.email: "a@b.c"], now: 0)
        state.context = "context of theirs"
        for call in [IdentityCall.transition(.login, [.customerID: "next"]), .start(nil)] {
            var machine = IdentityStateMachine(restoring: state)
            let plan = try required(machine.send(call)?.plan)
            _ = machine.pause(0)
            var erased = state
            _ = erased.forget(mpid, upTo: 0, now: 1)
            machine.replaceState(erased)
            guard case .send(let next) = machine.resume(0, now: 0),
                case .transition(_, let known, let previous, let context, _) = next
            else { return #expect(Bool(false)) }
            #expect(previous == nil)
            #expect(context == nil)
            #expect(known[.email] == nil)
            #expect(known[.customerID] == (call == .start(nil) ? nil : "next"))
            #expect(known[.deviceApplicationStamp] != nil)
            #expect(next != plan)
        }
    }

    @Test func aModifyOfWhoWasErasedInThePauseEnds() {
        var machine = IdentityFixture.machine(of: 1)
        _ = machine.send(.modify([.email: "a@x"]))
        _ = machine.pause(0)
        var erased = machine.state
        _ = erased.forget(IdentityFixture.mpid(1), upTo: 0, now: 1)
        machine.replaceState(erased)
        #expect(self.obstacle(machine.resume(0, now: 0)) == .noUser)
    }

    // MARK: - Signet's own calls make way

    /// A start that lost its slot to a login in its pause.
    private func displaced(_ start: IdentityRequest?) -> IdentityStateMachine {
        var machine = IdentityFixture.machine(of: 1)
        _ = machine.send(.start(start))
        _ = machine.pause(0)
        _ = machine.send(.transition(.login, [.customerID: "c-2"]))
        return machine
    }

    @Test func aStartDoesNotUndoALoginThatCameInItsPause() throws {
        var machine = self.displaced([.customerID: "c-9"])
        _ = machine.finish(1, with: IdentityFixture.reply(2), now: 0)
        guard case .finish(.resolved(let result), nil) = machine.resume(0, now: 0) else {
            Issue.record("The login was to be its outcome.")
            return
        }
        #expect(result.user.mpid == IdentityFixture.mpid(2))
        #expect(machine.isIdle)
    }

    @Test func aStartGoesOnAfterALoginThatFailed() throws {
        var machine = self.displaced([.customerID: "c-9"])
        _ = machine.finish(1, with: .failed(SignetError(.notConnected, "")), now: 0)
        guard case .send(.transition(.identify, let known, _, _, _)) = machine.resume(0, now: 0) else {
            Issue.record("not sent")
            return
        }
        #expect(known[.customerID] == "c-9")
    }

    @Test func aStartWhosePauseEndsDuringTheLoginHasItsTurnAfterIt() throws {
        var machine = self.displaced(nil)
        guard case .ignore = machine.resume(0, now: 0) else {
            Issue.record("The slot is taken.")
            return
        }
        #expect(machine.finish(1, with: .failed(SignetError(.timedOut, "")), now: 0)?.next == 0)
        guard case .send = machine.startSending(0, now: 0) else {
            Issue.record("not sent")
            return
        }
    }

    @Test func aSearchOfTheAppIsNoAnswerToTheStart() throws {
        var machine = IdentityFixture.machine(of: 1)
        _ = machine.send(.start(nil))
        _ = machine.pause(0)
        _ = machine.exchange(.search([.email: "e"]), .found(.notFound))
        guard case .send = machine.resume(0, now: 0) else {
            Issue.record("not sent")
            return
        }
    }
}
