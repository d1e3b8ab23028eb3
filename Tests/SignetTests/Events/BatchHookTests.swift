// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// What an app may do to batches.
@Suite(.watched) struct BatchHookTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()
    private let seen = Locked<[OutgoingBatch]>([])

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(
        _ decide: @escaping @Sendable (OutgoingBatch) -> OutgoingBatch.Decision
    ) throws -> EmulatedSignet {
        let seen = self.seen
        return try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer,
            configure: {
                $0.sessions.timeout = .seconds(1_000_000)
                $0.events.onCreateBatch = { batch in
                    seen.withLock { $0.append(batch) }
                    return decide(batch)
                }
            }
        )
    }

    /// Replaces a word by one of the same length.
    @Sendable private static func blacken(_ batch: OutgoingBatch) -> OutgoingBatch.Decision {
        let text = String(decoding: batch.json, as: UTF8.self).split(
            separator: "secret",
            omittingEmptySubsequences: false
        )
        return .replace(Array(text.joined(separator: "******").utf8))
    }

    @Test func itSeesEachBatchOnceAsItIsSent() async throws {
        let signet = try self.signet { _ in .send }
        self.platform.faults.inject(.status(500), on: .events)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
            await signet.takeIn()
            self.clock.advance(by: .seconds(5))
            #expect(await self.observer.nextDelivery() == 2)
            let batch = try #require(self.seen.withLock { $0.first })
            #expect(batch.json == signet.eventBodies.first)
            #expect(batch.eventCount == 2 && batch.installation == "v")
            #expect(batch.mpid == visitor.currentUser?.mpid)
            #expect(!"\(batch)".contains("event_type"))
        }
        #expect(self.seen.withLock { $0.count } == 1)
        #expect(signet.runtime.statistics.batchesChanged == 0)
    }

    @Test func whatItChangesIsSentAndKeptAcrossARestart() async throws {
        let first = try self.signet(Self.blacken)
        self.platform.faults.inject(.connectionRefused, on: .events)
        try await first.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("secret"))
            _ = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(signet.runtime.statistics.batchesChanged == 1)
        }
        self.clock.advance(by: .seconds(5))
        let second = try self.signet { _ in .drop }
        _ = try await second.run { _ = try await $0.runtime.upload() }
        #expect(second.eventBodies.first == first.eventBodies.first)
        #expect(self.seen.withLock { $0.count } == 1)
        let names = self.platform.batches().flatMap { self.platform.events(of: $0.mpid) }.compactMap(\.name)
        #expect(names == ["******"])
        #expect(second.runtime.statistics.eventsLost == 0)
        let changes = self.observer.notes.filter { if case .changed(2) = $0 { true } else { false } }
        #expect(changes.count == 1)
    }

    @Test func whatItDropsIsCountedAndNeverSent() async throws {
        let signet = try self.signet { $0.eventCount > 2 ? .drop : .send }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            for _ in 0..<5 { try visitor.log(.custom("x")) }
            try await signet.runtime.upload()
            #expect(signet.eventBodies.isEmpty)
            try visitor.log(.custom("y"))
            try await signet.runtime.upload()
            #expect(signet.eventBodies.count == 1)
        }
        #expect(signet.runtime.statistics.eventsDropped == [.hook: 6])
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test(arguments: ["", "{}", "[]", #"{"source_request_id":"ID","events":[]}"#, #"{"source_request_id":"ID"}"#])
    func whatIsNoBatchOfThatIdIsSetAsideAndNothingIsSent(text: String) async throws {
        let signet = try self.signet { batch in
            let json = text.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: "\(batch.id)")
            return .replace(Array(json.utf8))
        }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            try await signet.runtime.upload()
            #expect(signet.eventBodies.isEmpty)
            let aside = try #require(try await signet.runtime.deadLetters.list().first)
            #expect(aside.httpStatus == nil && aside.eventCount == 2)
            let kept = try await signet.runtime.deadLetters.json(of: aside.id)
            #expect(kept == self.seen.withLock { $0.first?.json })
        }
        #expect(signet.runtime.statistics.eventsDeadLettered == 2)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }
}
