// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet
@testable import SignetInfobip

/// Events that the service refuses, by the machine: the others arrive.
@Suite struct InfobipRefusedEventsTests {
    struct Outcome {
        var requests = 0
        var taken = 0
        var refused = 0
    }

    /// Sends all events; the service refuses a request with any of these.
    private func send(_ count: Int, refusing isRefused: (UInt64) -> Bool) -> Outcome {
        var scene = InfobipScene(of: "ann")
        for _ in 0..<count { scene.event() }
        return self.settle(&scene, refusing: isRefused)
    }

    private func settle(_ scene: inout InfobipScene, refusing isRefused: (UInt64) -> Bool) -> Outcome {
        var outcome = Outcome()
        while outcome.requests < 1000, scene.next() != "-", let inFlight = scene.machine.inFlight {
            guard let events = inFlight.operation.events else {
                scene.answer()
                continue
            }
            outcome.requests += 1
            let isTaken = !events.contains(where: isRefused)
            if isTaken { outcome.taken += events.count }
            let answer = InfobipAnswer.refused(InfobipScene.refusal, rollsBackIdentity: false)
            let actions = scene.machine.finish(
                inFlight.number,
                isTaken ? .done : answer,
                now: .zero,
                milliseconds: 0,
                jitter: 0
            )
            for case .countRefusedEvents(let count) in actions { outcome.refused += count }
        }
        #expect(scene.last.events.isEmpty)
        return outcome
    }

    @Test(arguments: [0, 1, 37, 63, 98, 99]) func oneBadEventOfAHundredTakesNoNeighbourAlong(_ bad: UInt64) {
        let outcome = self.send(100) { $0 == bad }
        #expect(outcome.taken == 99 && outcome.refused == 1)
        #expect(outcome.requests <= 30)
    }

    @Test func whatIsWrongWithAllCostsFewRequests() {
        let outcome = self.send(100) { _ in true }
        #expect(outcome.taken == 0 && outcome.refused == 100)
        #expect(outcome.requests <= 12)
    }

    @Test func aSecondBatchOfBadOnesCostsOneRequest() {
        var scene = InfobipScene(of: "ann")
        for count in [100, 50] {
            for _ in 0..<count { scene.event() }
            let outcome = self.settle(&scene) { _ in true }
            #expect(outcome.refused == count)
            if count == 50 { #expect(outcome.requests == 1) }
        }
        // Until one is taken.
        for _ in 0..<10 { scene.event() }
        #expect(self.settle(&scene) { _ in false }.taken == 10)
        for _ in 0..<10 { scene.event() }
        #expect(self.settle(&scene) { $0 == 165 }.taken == 9)
    }

    @Test func manyBadOnesCostNoRequestEach() {
        let outcome = self.send(100) { $0.isMultiple(of: 2) }
        #expect(outcome.taken + outcome.refused == 100)
        #expect(outcome.requests <= 80)
    }
}
