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
    func aCallThatFailsAgainAndAgainHasNoLineWhileTheStoreAnswersOthers(code: SignetError.Code) {
        for _ in 0..<9 {
            self.monitor.storeFailed(code, .readings)
            self.monitor.sharedStoreFailed(SignetError(code, "It failed."))
            self.monitor.storeAnswered(.readings)
            #expect(self.review() == [])
            self.clock.advance(by: .seconds(60))
        }
        #expect(self.lines.withLock { $0 } == [])
    }

    @Test func anOutageHasOneLineAndOneAtItsEnd() throws {
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
        let end = "signet: \(try #require(Trouble.store.end))"
        #expect(self.lines.withLock { $0 } == [line, end])
    }

    @Test func anOutageThatNothingAsksAboutHasItsLineAtTheNextReview() {
        self.monitor.storeFailed(.storeUnreachable, .readings)
        self.clock.advance(by: .seconds(5))
        #expect(self.review() == ["store_unreachable"])
        #expect(self.review() == ["store_unreachable"])
        #expect(self.lines.withLock { $0.count } == 1)
    }

    @Test func aPauseThatTheStoreProlongsIsNotToldAsOver() throws {
        self.pause(because: .timedOut)
        self.pause(because: .storeUnreachable)
        #expect(self.review() == ["uploads_paused"])
        #expect(self.lines.withLock { $0.count } == 1)
        self.monitor.uploadsResumed()
        #expect(self.review() == [])
        self.clock.advance(by: LineLimiter.interval)
        #expect(self.review() == [])
        let end = "signet: \(try #require(Trouble.uploads.end))"
        #expect(self.lines.withLock { $0.last } == end)
        #expect(self.lines.withLock { $0.count } == 2)
    }

    @Test func aPauseBecauseOfThePlatformHasItsOwnLine() {
        self.pause(because: .timedOut)
        #expect(self.review() == ["uploads_paused"])
        #expect(self.lines.withLock { $0 } == ["signet: \(Trouble.uploads.sentence) (timedOut)"])
    }

    @Test func dataOfAServiceThatWasDroppedIsALossUnlessThatWasWanted() {
        for cause in ["limit", "optedOut", "forgotten", "consentRevoked", "notReplayed", nil] {
            self.monitor.serviceDataDropped(
                2,
                of: "record",
                service: IdentitySyncOutcome.Service(name: "courier"),
                installation: "cookie-secret",
                cause: cause
            )
        }
        let report = ShutdownReport(eventsDelivered: 0, eventsLeft: 0, isComplete: true)
        self.monitor.runtimeEnded(report)
        let line = "signet: \(Trouble.serviceData.sentence) (2 records, courier)"
        #expect(self.lines.withLock { $0 } == [line, line, "signet: \(report.sentence)"])
    }

    @Test func whatIsTriedAgainHasNoLine() {
        let error = SignetError(.serverFailure, "It failed.")
        let service = IdentitySyncOutcome.Service(name: "courier")
        self.monitor.automaticIdentifyFailed(installation: "v", error: error)
        self.monitor.servicePostponed(service, installation: "v", until: .seconds(1), error: error)
        self.monitor.identitySyncFailed(installation: "v", service: service, error: error)
        self.monitor.dueWorkPostponed(kind: "identity", count: 1, until: .seconds(1), error: error)
        self.monitor.batchPostponed(events: 1, until: .seconds(1), error: error)
        self.monitor.erasureFailed(error)
        #expect(self.lines.withLock { $0 } == [])
    }
}
