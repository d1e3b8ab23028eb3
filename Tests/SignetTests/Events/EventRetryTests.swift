// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite(.watched) struct EventRetryTests {
    private let observer = RecordingObserver()

    private static func longSessions(_ configuration: inout SignetConfiguration) {
        configuration.sessions.timeout = .seconds(1_000_000)
    }

    @Test func pausesGrowAndEveryTryIsTheSameBytes() async throws {
        let folder = try TemporaryFolder()
        let faults: [FaultInjector.Fault] = [.status(500), .connectionRefused, .replyLost]
        let signet = try EmulatedSignet(in: folder.path, observer: self.observer, configure: Self.longSessions)
        for fault in faults { signet.emulator.faults.inject(fault, on: .events) }
        signet.emulator.faults.inject(.status(599), on: .events, times: 4)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            for seconds in [5, 15, 60, 120, 300, 300, 300] {
                #expect(await self.observer.nextPause() == .seconds(seconds))
                await signet.takeIn()
                signet.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.observer.nextDelivery() == 2)
        }
        let bodies = signet.eventBodies.prefix(8)
        #expect(bodies.count == 8)
        #expect(Set(bodies).count == 1)
        let batch = try #require(signet.emulator.batches().first)
        #expect(batch.deliveries == 2)
        #expect(!batch.contentChanged)
        #expect(signet.emulator.copies(of: batch.mpid).allSatisfy { $0 == 1 })
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// One may go on, only not grow as fast (Events API, throttling).
    @Test func aLimitOfAccelerationIsNoPauseOfHours() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, observer: self.observer, configure: Self.longSessions)
        var answer = TransportResponse(status: 429)
        answer.headers.append(name: "X-mp-rate-limit-exceeded", value: "acceleration")
        signet.emulator.faults.inject(.answer(answer), on: .events, times: 2)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            for seconds in [5, 15] {
                #expect(await self.observer.nextPause() == .seconds(seconds))
                await signet.takeIn()
                signet.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.observer.nextDelivery() == 2)
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test(
        arguments: [
            (429, 42, 42), (429, nil, 7200), (503, 42, 42), (503, nil, 7200), (429, 1_000_000, 86_400), (429, 0, 5),
            (500, nil, 5), (401, nil, 5), (403, nil, 5), (302, nil, 5),
        ] as [(Int, Int?, Int)]
    )
    func aStatusPausesDeliveryAndDeletesNothing(status: Int, retryAfter: Int?, pause: Int) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, observer: self.observer, configure: Self.longSessions)
        let wait = retryAfter.map { Duration.seconds($0) }
        signet.emulator.faults.inject(.status(status, retryAfter: wait), on: .events)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(pause))
            #expect(signet.runtime.statistics.eventsWaiting == 2)
            await signet.takeIn()
            signet.clock.advance(by: .seconds(pause) - .milliseconds(1))
            await signet.takeIn()
            #expect(signet.eventBodies.count == 1)
            signet.clock.advance(by: .milliseconds(1))
            #expect(await self.observer.nextDelivery() == 2)
        }
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func wrongCredentialsNeverDeleteAndRightOnesDeliver() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let right = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        let mpid = try await right.run { try await $0.openKnown().currentUser?.mpid }
        let wrong = try EmulatedSignet(
            in: folder.path,
            platform: platform,
            clock: clock,
            observer: self.observer,
            configure: {
                $0.secret = "wrong"
                $0.sessions.timeout = .seconds(1_000_000)
            }
        )
        try await wrong.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await signet.logPrompt(visitor)
            for _ in 0..<3 {
                let pause = try #require(await self.observer.nextPause())
                await signet.takeIn()
                signet.clock.advance(by: pause)
            }
        }
        // In the session of the life before, which goes on.
        #expect(wrong.runtime.statistics.eventsWaiting == 1)
        let again = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        try await again.run { _ in }
        let types = platform.events(of: try #require(mpid)).map(\.type)
        #expect(types == ["session_start", "commerce_event"])
        #expect(again.runtime.statistics.eventsRestored == 1)
        #expect(again.runtime.statistics.eventsLost == 0)
        // The rotated secret sent the very batch that the wrong one could not.
        let isSame = wrong.eventBodies.last == again.eventBodies.first
        #expect(isSame)
    }

    @Test func aBatchThatIsRefusedForGoodIsSetAsideOnDiskAndHoldsNothingUp() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, observer: self.observer, configure: Self.longSessions)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextDelivery() == 2)
            signet.emulator.faults.inject(.status(400), on: .events)
            try await signet.logPrompt(visitor)
            let aside = await self.observer.next { note -> SignetError? in
                if case .deadLetters(1, let error) = note { error } else { nil }
            }
            #expect(aside?.httpStatus == 400)
            let store = signet.runtime.context.store
            let kept = try store.values(withPrefix: [UInt8(ascii: "r")]) { _ in }
            #expect(kept.compactMap { DeadLetterRecord($0.value)?.body } == signet.eventBodies.suffix(1))
            // It goes from there once it is set aside, in the same step.
            await signet.takeIn()
            #expect(try store.values(withPrefix: StateKey.batches) { _ in }.isEmpty)
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextDelivery() == 1)
        }
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsDeadLettered == 1)
        #expect(statistics.eventsLost == 0)
    }

    @Test func anAnswerThatNeverComesTimesOutOnTheClock() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, observer: self.observer, configure: Self.longSessions)
        signet.emulator.faults.inject(.timeout, on: .events)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            await signet.clock.untilNextDeadline(is: .seconds(31))
            // The limit may run before the request has met its faults, which would be left for the next one.
            await until("the request meets its faults") { signet.emulator.faults.remaining == 0 }
            signet.clock.advance(by: .seconds(30))
            let error = await self.observer.next { note -> SignetError? in
                if case .postponed(_, _, let error) = note { error } else { nil }
            }
            #expect(error?.code == .timedOut)
            await signet.takeIn()
            signet.clock.advance(by: .seconds(5))
            #expect(await self.observer.nextDelivery() == 2)
        }
    }
}
