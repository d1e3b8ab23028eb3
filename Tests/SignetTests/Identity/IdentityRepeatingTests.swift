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

    @Test func aStopInThePauseEndsTheTries() {
        var machine = self.machine()
        _ = machine.begin(.search([.email: "a@b.c"]), mayWait: false, now: 0)
        _ = machine.startSending(0, now: 0)
        #expect(machine.stop() == [0])
        #expect(machine.obstacleToRepeating(0)?.code == .notRunning)
    }
}
