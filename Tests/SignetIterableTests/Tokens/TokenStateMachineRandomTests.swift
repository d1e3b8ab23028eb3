// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import Testing

@testable import Signet
@testable import SignetIterable

/// What holds for any row of events.
@Suite struct TokenStateMachineRandomTests {
    /// A machine, what it has under way, and whether somebody waits.
    private struct Life {
        var scene = TokenScene(.empty)
        var work: TokenAction.Work?
        var isAwaited = false
        var fetches = 0
        var stages: Set<String> = []

        /// Does an event, and what it leads to; what is not under way does not happen.
        mutating func live(_ event: TokenTable.Event) {
            switch (event, self.work) {
            case (.answeredToken, .fetch), (.answeredUnreadable, .fetch), (.answeredNothing, .fetch): break
            case (.answeredToken, _), (.answeredUnreadable, _), (.answeredNothing, _): return
            case (.woke, .wakeUp(_, let delay)): self.scene.now += delay.milliseconds
            case (.woke, _): return
            // Only when nobody waits.
            case (.leave, _) where self.isAwaited: return
            default: break
            }
            if self.scene.number >= 0 { self.checkNumber() }
            let action = self.scene.apply(event)
            self.stages.insert(TokenScene.text(self.scene.machine.state))
            if let work = action.work {
                self.work = work
                if case .fetch = work { self.fetches += 1 }
            } else if self.scene.number < 0 {
                self.work = nil
            }
            switch event {
            case .request, .refusedPresent, .refusedOlder: self.isAwaited = true
            default: break
            }
            if action.answer != nil { self.isAwaited = false }
            #expect(!self.isAwaited || self.work != nil, "Nobody will answer after \(event).")
        }

        private func checkNumber() {
            switch self.work {
            case .fetch(let number, _), .wakeUp(let number, _): #expect(number == self.scene.number)
            case nil: Issue.record("The machine waits for what is not under way.")
            }
        }
    }

    @Test func whoeverWaitsIsAnsweredByWhatIsUnderWay() {
        var generator = SeededGenerator()
        var stages: Set<String> = []
        for _ in 0..<300 {
            var life = Life()
            for _ in 0..<100 {
                if UInt8.random(in: 0..<10, using: &generator) == 0 {
                    life.scene.now += Int64.random(in: -600_000...4_000_000, using: &generator)
                }
                let event = TokenTable.Event.allCases[Int.random(in: 0..<17, using: &generator)]
                life.live(event)
            }
            stages.formUnion(life.stages)
        }
        #expect(stages.count >= 12, "\(stages.sorted())")
    }

    @Test func aProviderWithoutAGoodTokenIsAskedNoMoreThanThePolicySays() {
        var generator = SeededGenerator()
        let events: [TokenTable.Event] = [
            .request, .refusedPresent, .refusedOlder, .answeredUnreadable, .answeredNothing, .woke, .wokeLate,
            .answeredLate, .succeededOlder,
        ]
        var most = 0
        for _ in 0..<300 {
            var life = Life()
            for _ in 0..<100 { life.live(events[Int.random(in: 0..<events.count, using: &generator)]) }
            #expect(life.fetches <= TokenScene.policy.maximumAttempts)
            most = max(most, life.fetches)
        }
        #expect(most == TokenScene.policy.maximumAttempts)
    }

    @Test func refreshesAheadOfTimeEndWhenNobodyAsks() {
        var life = Life()
        life.live(.request)
        for _ in 0..<20 {
            guard case .fetch(let number, _) = life.work else { break }
            let next = TokenScene.token("t\(number)", exp: life.scene.now / 1000 + 3600)
            let action = life.scene.machine.answered(number, .token(next), now: life.scene.now)
            life.work = action.work
            life.isAwaited = false
            life.live(.woke)
        }
        // The one that was asked for, and as many as the policy says.
        #expect(life.fetches == 1 + TokenScene.policy.maximumAttempts)
        life.live(.request)
        #expect(life.fetches == 2 + TokenScene.policy.maximumAttempts)
    }
}
