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

/// What the machine says when the pause before a further try is over.
@Suite struct IdentityRepeatingTests {
    private func machine() -> IdentityStateMachine {
        IdentityStateMachine(restoring: IdentityState(deviceApplicationStamp: UUID(), now: 0))
    }

    @Test func aCallAtThePlatformMayBeRepeated() {
        var machine = self.machine()
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        _ = machine.startSending(0, now: 0)
        #expect(machine.obstacleToRepeating(0) == nil)
        #expect(machine.obstacleToRepeating(1)?.code == .notRunning)
    }

    @Test func whatIsNotAtThePlatformIsNotRepeated() {
        var machine = self.machine()
        #expect(machine.obstacleToRepeating(0)?.code == .notRunning)
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        #expect(machine.obstacleToRepeating(0)?.code == .notRunning)
    }

    @Test func anOptOutInThePauseEndsTheTries() {
        var machine = self.machine()
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        _ = machine.startSending(0, now: 0)
        machine.setOptedOut(true)
        #expect(machine.obstacleToRepeating(0)?.code == .optOut)
    }

    @Test func whoWasErasedInThePauseIsNotNamedInTheNextTry() throws {
        let mpid = try #require(MPID(rawValue: 7))
        var state = IdentityState(deviceApplicationStamp: UUID(), now: 0)
        _ = state.directory.resolve(to: mpid, isLoggedIn: true, isEphemeral: false, request: [.email: "a@b.c"], now: 0)
        state.context = "context of theirs"
        for call in [IdentityCall.transition(.login, [.customerID: "next"]), .start(nil)] {
            var machine = IdentityStateMachine(restoring: state)
            _ = machine.begin(call, mayWait: false, now: 0)
            guard case .send(let plan) = machine.startSending(0, now: 0) else { return #expect(Bool(false)) }
            #expect(machine.planToRepeat(0) == plan)
            #expect(machine.planToRepeat(1) == nil)
            var erased = state
            _ = erased.forget(mpid, upTo: 0, now: 1)
            machine.replaceState(erased)
            guard case .transition(_, let known, let previous, let context, _) = machine.planToRepeat(0) else {
                return #expect(Bool(false))
            }
            #expect(previous == nil)
            #expect(context == nil)
            #expect(known[.email] == nil)
            #expect(known[.customerID] == (call == .start(nil) ? nil : "next"))
            #expect(known[.deviceApplicationStamp] != nil)
            #expect(machine.planToRepeat(0) != plan)
        }
    }

    @Test func aStopInThePauseEndsTheTries() {
        var machine = self.machine()
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        _ = machine.startSending(0, now: 0)
        #expect(machine.stop() == [0])
        #expect(machine.obstacleToRepeating(0)?.code == .notRunning)
    }
}
