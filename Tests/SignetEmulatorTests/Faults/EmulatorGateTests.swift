// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import SignetEmulator

@Suite(.watched) struct EmulatorGateTests {
    @Test func eachRequestIsToldOfOnce() async {
        let gate = EmulatorGate()
        await withTaskGroup { group in
            for _ in 1...3 {
                group.addTask { await gate.pass() }
            }
            for _ in 1...3 {
                await gate.arrived()
            }
            #expect(gate.heldCount == 3)
            gate.open()
            for await passed in group {
                #expect(passed)
            }
        }
        #expect(gate.heldCount == 0)
    }

    @Test func whoWaitsFirstIsToldFirstEvenBeforeARequestComes() async {
        let gate = EmulatorGate()
        async let told: Void = gate.arrived()
        async let passed = gate.pass()
        await told
        gate.open()
        #expect(await passed)
    }

    @Test func anOpenGateHoldsNobodyButStillTells() async {
        let gate = EmulatorGate()
        gate.open()
        #expect(await gate.pass())
        await gate.arrived()
        #expect(gate.heldCount == 0)
    }

    @Test func oneMayGoAndTheOthersStay() async {
        let gate = EmulatorGate()
        #expect(gate.releaseOne() == false)
        await withTaskGroup { group in
            for _ in 1...2 {
                group.addTask { await gate.pass() }
            }
            await gate.arrived()
            await gate.arrived()
            #expect(gate.releaseOne())
            #expect(await group.next() == true)
            #expect(gate.heldCount == 1)
            gate.open()
        }
    }

    @Test func aCancelledRequestDoesNotPass() async {
        let gate = EmulatorGate()
        await withTaskGroup { group in
            group.addTask { await gate.pass() }
            await gate.arrived()
            group.cancelAll()
            #expect(await group.next() == false)
            // Cancelled before it comes: it never waits.
            group.addTask { await gate.pass() }
            #expect(await group.next() == false)
        }
        #expect(gate.heldCount == 0)
    }

    @Test func aCancelledWatcherReturns() async {
        let gate = EmulatorGate()
        await withTaskGroup { group in
            group.addTask { await gate.arrived() }
            group.cancelAll()
        }
        async let passed = gate.pass()
        await gate.arrived()
        gate.open()
        #expect(await passed)
    }
}
