// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What an erasure that could not be finished becomes in its own process, and what calls under way say of who was erased.
@Suite(.watched) struct ErasureRetryTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
    }

    @Test func runFinishesWhatTheDiskHasCutShortAndTheObserverIsTold() async throws {
        let isBad = Locked(false)
        let changes = Locked(0)
        let observer = RecordingObserver()
        let signet = try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: observer
        ) {
            $0.events.priorityUploadDelay = .seconds(100_000)
            $0.events.uploadInterval = .seconds(100_000)
            $0.sessions.timeout = .seconds(1_000_000)
            $0.disk = Disk(asking: { request in
                guard request.call != .read, isBad.withLock({ $0 }) else { return nil }
                // The word that somebody is to be erased is written.
                let count = changes.withLock { count in
                    count += 1
                    return count
                }
                return count > 3 ? .failure(5) : nil
            })
        }
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try visitor.log(.custom("of theirs"))
            isBad.withLock { $0 = true }
            let error = await failure { () async throws(SignetError) in try await signet.runtime.eraseUser(mpid) }
            #expect(error?.code == .diskFailed)
            let told = { observer.notes.filter { if case .erasureFailed = $0 { true } else { false } }.count }
            #expect(told() == 1)
            #expect(await signet.runtime.erasure.lock.unfinished == [mpid])
            // Once a minute, and told once as long as the disk says the same.
            for _ in 0..<3 {
                await self.clock.untilNextSleeper(isDueIn: .seconds(60))
                self.clock.advance(by: .seconds(60))
            }
            await self.clock.untilNextSleeper(isDueIn: .seconds(60))
            #expect(told() == 1)
            #expect(await signet.runtime.erasure.lock.unfinished == [mpid])
            isBad.withLock { $0 = false }
            self.clock.advance(by: .seconds(60))
            await self.clock.untilNextSleeper(isDueIn: .seconds(60))
            #expect(await signet.runtime.erasure.lock.unfinished == [])
            #expect(try Tombstone.stored(in: signet.runtime.context.store).isEmpty)
            #expect(visitor.user(mpid) == nil)
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
        #expect(self.platform.batches().isEmpty)
    }

    /// The first try fails, the user is erased in the pause, and the second names nobody.
    @Test func aFurtherTryOfALoginDoesNotNameWhoWasErasedInThePause() async throws {
        let transport = RecordingTransport(self.platform.transport)
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: self.platform.configuration.apiKey,
            secret: self.platform.configuration.secret,
            directory: self.folder.path
        )
        let clock = self.clock
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.events.priorityUploadDelay = .seconds(600)
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs {
            let visitor = try await runtime.open("v", identify: .none)
            let erased = try await visitor.login([.customerID: "c-1"]).user.mpid
            self.platform.faults.inject(.status(503), on: .login)
            async let next = visitor.login([.customerID: "c-2"], retry: RetryPolicy(totalTime: .seconds(90), jitter: 0))
            // Nothing is under way in the pause that the clock could overtake.
            await clock.untilNextSleeper(isDueIn: .seconds(1))
            try await runtime.eraseUser(erased)
            clock.advance(by: .seconds(1))
            let result = try await next
            #expect(result.previousUser == nil)
            let bodies = transport.exchanges.filter { $0.endpoint == "login" }.map {
                String(decoding: $0.request.body, as: UTF8.self)
            }
            #expect(bodies.count == 3)
            #expect(bodies[1].contains(erased.description))
            #expect(!bodies[2].contains(erased.description))
        }
    }
}
