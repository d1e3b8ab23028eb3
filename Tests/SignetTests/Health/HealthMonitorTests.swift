// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The lines of an outage of the shared store.
@Suite struct HealthMonitorTests {
    private let clock = ManualClock()
    private let lines = Locked<[String]>([])
    private let monitor: HealthMonitor

    init() {
        let lines = self.lines
        self.monitor = HealthMonitor(
            time: .manual(self.clock),
            lines: { line in lines.withLock { $0.append(line) } }
        )
    }

    private func review() -> [String] {
        self.monitor.review(HealthStateMachine.Facts(stage: .running, appended: 0)).map(\.name)
    }

    private func pause(because code: SignetError.Code) {
        let end = TimeSource.manual(self.clock).uptime + .seconds(30)
        self.monitor.uploadsPaused(until: end, httpStatus: nil, code)
    }

    @Test func oneFailedCallHasNoLine() {
        self.monitor.storeFailed(.storeUnreachable, .readings)
        // Its report, and those of others at the same moment.
        for code in Self.codes { self.monitor.sharedStoreFailed(SignetError(code, "It failed.")) }
        #expect(self.review() == [])
        self.monitor.storeAnswered(.readings)
        self.clock.advance(by: .seconds(60))
        #expect(self.review() == [])
        #expect(self.lines.withLock { $0 } == [])
    }

    private static let codes: [SignetError.Code] = [
        .storeUnreachable, .storeFailed, .storeBusy, .outcomeUnknown, .newerFormat, .workspaceMismatch,
    ]

    @Test(arguments: codes)
    func aCallThatFailsAgainAndAgainHasALineThoughTheStoreAnswersOthers(code: SignetError.Code) {
        for _ in 0..<9 {
            self.monitor.storeFailed(code, .readings)
            self.monitor.sharedStoreFailed(SignetError(code, "It failed."))
            self.monitor.storeAnswered(.readings)
            #expect(self.review() == [])
            self.clock.advance(by: .seconds(60))
        }
        #expect(self.lines.withLock { $0 } == ["signet: \(Trouble.storeCalls.sentence) (\(code))"])
    }

    @Test func aCallThatFailsNowAndThenHasNoLine() {
        for _ in 0..<5 {
            self.monitor.sharedStoreFailed(SignetError(.outcomeUnknown, "It failed."))
            self.clock.advance(by: HealthStateMachine.memory)
        }
        #expect(self.lines.withLock { $0 } == [])
    }

    @Test func anOutageHasOneLineAndOneAtItsEnd() {
        self.monitor.storeFailed(.storeUnreachable, .readings)
        self.pause(because: .storeUnreachable)
        self.monitor.automaticIdentifyFailed(installation: "v", error: SignetError(.storeUnreachable, "It is away."))
        self.clock.advance(by: .seconds(1))
        self.monitor.storeFailed(.storeUnreachable, .readings)
        #expect(self.review() == ["store_unreachable", "uploads_paused"])
        self.clock.advance(by: .seconds(9))
        self.monitor.storeFailed(.storeUnreachable, .readings)
        #expect(self.review() == ["store_unreachable", "uploads_paused"])
        for _ in 0..<3 {
            self.monitor.sharedStoreFailed(SignetError(.storeUnreachable, "It is away."))
            self.clock.advance(by: .seconds(40))
        }
        #expect(self.review().first == "store_unreachable")
        let line = "signet: \(Trouble.store.sentence) (storeUnreachable)"
        #expect(self.lines.withLock { $0 } == [line])
        self.monitor.storeAnswered(.readings)
        self.monitor.uploadsResumed()
        #expect(self.review() == [])
        #expect(self.lines.withLock { $0 } == [line, "signet: \(Trouble.store.end)"])
    }

    @Test func anOutageThatNothingAsksAboutHasItsLineAtTheNextReview() {
        self.monitor.storeFailed(.storeUnreachable, .readings)
        self.clock.advance(by: .seconds(5))
        #expect(self.review() == ["store_unreachable"])
        #expect(self.review() == ["store_unreachable"])
        #expect(self.lines.withLock { $0.count } == 1)
    }

    @Test func aPauseThatTheStoreProlongsIsNotToldAsOver() {
        self.pause(because: .timedOut)
        self.pause(because: .storeUnreachable)
        #expect(self.review() == ["uploads_paused"])
        #expect(self.lines.withLock { $0.count } == 1)
        self.monitor.uploadsResumed()
        #expect(self.review() == [])
        #expect(self.lines.withLock { $0.last } == "signet: \(Trouble.uploads.end)")
    }

    @Test func aPauseBecauseOfThePlatformHasItsOwnLine() {
        self.pause(because: .timedOut)
        #expect(self.review() == ["uploads_paused"])
        #expect(self.lines.withLock { $0 } == ["signet: \(Trouble.uploads.sentence) (timedOut)"])
    }
}
