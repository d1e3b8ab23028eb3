// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite(.watched) struct DeadLetterTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet() throws -> EmulatedSignet {
        try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock, observer: self.observer)
    }

    /// Has one batch of one event refused; one of several would go in halves.
    private func refuse(_ signet: EmulatedSignet, _ status: Int = 400) async throws -> DeadLetterBatches.Batch {
        let visitor = try await signet.openKnown()
        try visitor.log(.custom("before"))
        try await signet.runtime.upload()
        self.platform.faults.inject(.status(status), on: .events)
        try visitor.log(.custom("x"))
        try await signet.runtime.upload()
        let all = try await signet.runtime.deadLetters.list()
        return try #require(all.last)
    }

    @Test(arguments: [400, 422]) func aRefusedBatchIsListedWithAllThatIsKnownOfIt(status: Int) async throws {
        try await self.signet().run { signet in
            let batch = try await self.refuse(signet, status)
            #expect(batch.installation == "v")
            #expect(batch.mpid == (try await signet.runtime.open("v").currentUser?.mpid))
            #expect(batch.eventCount == 1)
            #expect(batch.httpStatus == status)
            #expect(batch.date == self.clock.date)
            #expect(!batch.reason.isEmpty)
            let json = try await signet.runtime.deadLetters.json(of: batch.id)
            #expect(json == signet.eventBodies.last)
            #expect(batch.byteCount == json?.count)
            #expect(try await signet.runtime.deadLetters.json(of: UUID()) == nil)
        }
    }

    @Test func sentAgainItHasTheSameBytesAndIsGone() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let batch = try await self.refuse(signet)
            #expect(signet.runtime.statistics.eventsDeadLettered == 1)
            #expect(try await signet.runtime.deadLetters.resend(batch.id))
            try await signet.runtime.upload()
            #expect(try await signet.runtime.deadLetters.list().isEmpty)
            #expect(try await !signet.runtime.deadLetters.resend(batch.id))
            #expect(signet.eventBodies.count == 3)
            #expect(Set(signet.eventBodies.suffix(2)).count == 1)
            #expect(self.platform.batches().map(\.eventCount) == [2, 1])
        }
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsResent == 1 && statistics.eventsDelivered == 3 && statistics.eventsWaiting == 0)
        #expect(statistics.eventsLost == 0)
    }

    @Test func sentAgainItSurvivesARestart() async throws {
        let first = try self.signet()
        try await first.run { signet in
            let batch = try await self.refuse(signet)
            self.platform.faults.inject(.connectionRefused, on: .events)
            try await signet.runtime.deadLetters.resend(batch.id)
            _ = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(signet.runtime.statistics.eventsWaiting == 1)
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
        self.clock.advance(by: .seconds(5))
        let second = try self.signet()
        try await second.run { signet in
            try await signet.runtime.upload()
            #expect(signet.eventBodies.count == 1)
        }
        #expect(second.runtime.statistics.eventsRestored >= 1)
        #expect(second.runtime.statistics.eventsLost == 0)
        #expect(second.eventBodies.first == first.eventBodies.last)
    }

    @Test func refusedAgainItIsSetAsideAgain() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let batch = try await self.refuse(signet)
            self.platform.faults.inject(.status(400), on: .events)
            try await signet.runtime.deadLetters.resend(batch.id)
            try await signet.runtime.upload()
            #expect(try await signet.runtime.deadLetters.list().map(\.id) == [batch.id])
        }
        #expect(signet.runtime.statistics.eventsDeadLettered == 2)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func discardedItIsGoneAndCounted() async throws {
        let signet = try self.signet()
        let id = try await signet.run { signet in
            let batch = try await self.refuse(signet)
            #expect(try await signet.runtime.deadLetters.discard(batch.id))
            #expect(try await !signet.runtime.deadLetters.discard(batch.id))
            #expect(try await signet.runtime.deadLetters.list().isEmpty)
            return batch.id
        }
        #expect(signet.runtime.statistics.eventsDiscarded == 1)
        #expect(signet.runtime.statistics.eventsLost == 0)
        let code = await code { () async throws(SignetError) in try await signet.runtime.deadLetters.discard(id) }
        #expect(code == .notRunning)
    }

    @Test func aRefusedBatchHoldsUpNobodyAndTheNextOneOfItsInstallationGoes() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            _ = try await self.refuse(signet)
            let visitors = try await [signet.runtime.open("v"), signet.runtime.open("w")]
            _ = try await visitors[1].initialIdentifyResult()
            for visitor in visitors { try visitor.log(.custom("y")) }
            try await signet.runtime.upload()
            #expect(self.platform.batches().map(\.eventCount).reduce(0, +) == 5)
        }
    }
}
