// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Pauses of uploads, end to end.
@Suite(.watched) struct UploadPauseTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let observer = RecordingObserver()
    private let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet() throws -> EmulatedSignet {
        try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer,
            configure: { $0.sessions.timeout = .seconds(1_000_000) }
        )
    }

    @Test(arguments: [(429, 100), (503, 100), (500, 5)])
    func aRestartIsNoWayAroundAPause(status: Int, pause: Int) async throws {
        let wait: Duration? = status == 500 ? nil : .seconds(pause)
        self.platform.faults.inject(.status(status, retryAfter: wait), on: .events)
        let first = try self.signet()
        try await first.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(pause))
        }
        self.clock.advance(by: .seconds(pause - 1))
        let second = try self.signet()
        try await second.run { signet in
            await signet.takeIn()
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            #expect(signet.eventBodies.isEmpty)
            self.clock.advance(by: .seconds(1))
            try await signet.runtime.upload()
            #expect(signet.eventBodies == first.eventBodies)
        }
        // It is over, and forgotten.
        #expect(try StateKeyProbe(self.folder).isEmpty)
    }

    @Test func aClockThatWasSetBackMakesAPauseNoLongerThanItWas() async throws {
        self.platform.faults.inject(.status(429, retryAfter: .seconds(100)), on: .events)
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(100))
        }
        let clock = self.clock
        let second = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: clock) {
            $0.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds - 1_000_000_000 })
        }
        try await second.run { signet in
            await signet.takeIn()
            self.clock.advance(by: .seconds(100))
            try await signet.runtime.upload()
            #expect(signet.eventBodies.count == 1)
        }
    }

    @Test func aKeyThatIsNotAcceptedPausesUploadsWhileLogGoesOnAndOneProbeIsTried() async throws {
        self.platform.faults.inject(.status(401), on: .events, times: 5)
        let signet = try self.signet()
        try await signet.run { signet in
            let visitors = try await [signet.openKnown("a"), signet.openKnown("b")]
            try visitors[0].log(.custom("first"))
            try await signet.logPrompt(visitors[0])
            for seconds in [5, 15, 60, 300] {
                #expect(await self.observer.nextPause() == .seconds(seconds))
                for visitor in visitors { for _ in 0..<100 { try visitor.log(.custom("x")) } }
                await signet.takeIn()
                self.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.observer.nextPause() == .seconds(300))
            // One batch at a time, and one that has not been tried before goes first.
            #expect(Set(signet.eventBodies).count == 2)
            #expect(signet.eventBodies.count == 5)
            let error = await failure { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(error?.code == .uploadPaused)
            #expect(error?.httpStatus == 401)
            #expect(error?.retryAfter == .seconds(300))
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
        }
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
        #expect(signet.runtime.statistics.eventsRepeated >= 5 * 3)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// No clock moves: the operator's word is enough.
    @Test(arguments: [429, 503, 500]) func theAppEndsAPauseThatThePlatformAskedForToo(_ status: Int) async throws {
        self.platform.faults.inject(.status(status, retryAfter: .seconds(100)), on: .events)
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(100))
            let code = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(code == .uploadPaused)
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
            #expect(signet.eventBodies.count == 2)
        }
        #expect(try StateKeyProbe(self.folder).isEmpty)
    }

    /// Seen with the pause of two hours, which silenced a server after one 503 of a proxy.
    @Test(arguments: [429, 503]) func aServerPausesForSecondsWhereNothingIsAskedFor(_ status: Int) async throws {
        self.platform.faults.inject(.status(status), on: .events, times: 6)
        let signet = try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer,
            configure: {
                $0.sessions.timeout = .seconds(1_000_000)
                $0.events.pauseWithoutRetryAfter = nil
            }
        )
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            for seconds in [5, 15, 60, 120, 300, 300] {
                #expect(await self.observer.nextPause() == .seconds(seconds))
                await signet.takeIn()
                self.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.observer.nextDelivery() == 2)
            // One success, and the next pause is short again.
            self.platform.faults.inject(.status(status), on: .events)
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
        }
    }

    @Test(arguments: [404, 410, 301]) func whatIsNotThePlatformCostsNoEvent(status: Int) async throws {
        self.platform.faults.inject(.status(status), on: .events)
        let signet = try self.signet()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
            #expect(signet.runtime.statistics.eventsWaiting == 2)
            await signet.runtime.resumeUploads()
            #expect(await self.observer.nextDelivery() == 2)
        }
    }
}

/// Whether a pause is written down in a folder that nobody has open.
private struct StateKeyProbe {
    let isEmpty: Bool

    init(_ folder: TemporaryFolder) throws {
        let log = try StateLog(directory: folder.path + "/state")
        self.isEmpty = !log.contains(StateKey.uploadPause)
        log.close()
    }
}
