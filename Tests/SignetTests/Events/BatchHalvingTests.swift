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

/// What is too large (413) goes in halves.
///
/// For what the platform refuses, see ``RefusedBatchTests``.
@Suite(.watched) struct BatchHalvingTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(
        in path: String? = nil,
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer
        ) {
            $0.sessions.timeout = .seconds(1_000_000)
            configure(&$0)
        }
    }

    /// Logs a batch of a begin of a session and three events: of one request each, `answers` are given.
    private func upload(_ signet: EmulatedSignet, _ answers: FaultInjector.Fault...) async throws {
        let visitor = try await signet.openKnown()
        for name in ["a", "b", "c"] { try visitor.log(.custom(name)) }
        for answer in answers { self.platform.faults.inject(answer, on: .events) }
        try await signet.runtime.upload()
    }

    /// A batch that went over the wire: its id, and its events, the begin of a session as `-`.
    private func batches(_ signet: EmulatedSignet) throws -> [(id: String, events: String)] {
        try signet.eventBodies.map { body in
            let batch = try JSONReader.read(body)
            let events = batch["events"]?.array ?? []
            return (
                try #require(batch["source_request_id"]?.string),
                events.map { $0["data"]?["event_name"]?.string ?? "-" }.joined()
            )
        }
    }

    @Test func theOlderHalfGoesFirstAndEachHasAnIDOfItsOwn() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            try await self.upload(signet, .status(413))
            #expect(try await signet.runtime.deadLetters.list().isEmpty)
        }
        let sent = try self.batches(signet)
        #expect(sent.map(\.events) == ["-abc", "-a", "bc"])
        #expect(Set(sent.map(\.id)).count == 3)
        #expect(UUID(uuidString: sent[2].id)?.uuidString == sent[2].id)
        let heads = signet.eventBodies.map { String(decoding: $0, as: UTF8.self).split(separator: ",\"events\"")[0] }
        #expect(heads[1].dropFirst(60) == heads[2].dropFirst(60))
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsDelivered == 4 && statistics.eventsLost == 0 && statistics.eventsWaiting == 0)
        #expect(self.platform.batches().map(\.eventCount) == [2, 2])
    }

    @Test func halvesAreHalvedUntilOneEventIsLeftWhichIsSetAside() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            // All four, the first two, the first.
            try await self.upload(signet, .status(413), .status(413), .status(413))
            let aside = try await signet.runtime.deadLetters.list()
            #expect(aside.map(\.eventCount) == [1])
            #expect(aside.first?.httpStatus == 413)
        }
        #expect(try self.batches(signet).map(\.events) == ["-abc", "-a", "-", "a", "bc"])
        let statistics = signet.runtime.statistics
        #expect(statistics.eventsDelivered == 3 && statistics.eventsDeadLettered == 1 && statistics.eventsLost == 0)
    }

    @Test func laterEventsDoNotOvertakeTheSecondHalf() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            await #expect(throws: SignetError.self) {
                try await self.upload(signet, .status(413), .connectionRefused)
            }
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("d"))
            self.clock.advance(by: .seconds(5))
            try await signet.runtime.upload()
        }
        #expect(try self.batches(signet).map(\.events) == ["-abc", "-a", "-a", "bc", "d"])
    }

    @Test(arguments: [false, true]) func bytesOfTheAppAreHalvedUnlessEventsWereLeftOut(leavesOut: Bool) async throws {
        let signet = try self.signet {
            $0.events.onCreateBatch = { batch in
                var text = String(decoding: batch.json, as: UTF8.self)
                text = text.split(separator: "\"a\"", omittingEmptySubsequences: false).joined(separator: "\"A\"")
                guard leavesOut else { return .replace(Array(text.utf8)) }
                // All events but the first.
                let first = text.split(separator: "},{", maxSplits: 1)[0]
                return .replace(Array((first + "}]}").utf8))
            }
        }
        try await signet.run { signet in
            try await self.upload(signet, .status(413))
            #expect(try await signet.runtime.deadLetters.list().count == (leavesOut ? 1 : 0))
        }
        let sent = try self.batches(signet).map(\.events)
        #expect(sent == (leavesOut ? ["-"] : ["-Abc", "-A", "bc"]))
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whereTheOldestMakeRoomBatchesAreHalvedToo() async throws {
        let signet = try self.signet { $0.events.storage.whenFull = .dropOldest }
        try await signet.run { signet in try await self.upload(signet, .status(413)) }
        #expect(try self.batches(signet).map(\.events) == ["-abc", "-a", "bc"])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whatIsSentAgainByHandIsSetAsideWhole() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            // All four, the first two, each of them; after two that were refused alone the others stay together.
            try await self.upload(signet, .status(400), .status(400), .status(400), .status(400), .status(400))
            let all = try await signet.runtime.deadLetters.list()
            #expect(all.map(\.eventCount).sorted() == [1, 1, 2])
            let aside = try #require(all.first { $0.eventCount == 2 })
            self.platform.faults.inject(.status(413), on: .events)
            #expect(try await signet.runtime.deadLetters.resend(aside.id))
            try await signet.runtime.upload()
            let again = try #require(try await signet.runtime.deadLetters.list().first { $0.eventCount == 2 })
            #expect(again.id == aside.id && again.httpStatus == 413)
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// Each state of the disk while a batch is halved, and the start after it: no event twice, none missing.
    @Test func aKillAtAnyStepNeitherLosesNorRepeats() async throws {
        let images = try KillImages(of: self.folder.path)
        let signet = try self.signet { images.watch(&$0) }
        var steps = 0
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            for name in ["a", "b", "c"] { try visitor.log(.custom(name)) }
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            self.platform.faults.inject(.status(413), on: .events)
            images.begin()
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            steps = images.end()
        }
        self.platform.faults.clear()
        self.clock.advance(by: .seconds(600))
        let whole = try #require(try self.batches(signet).first?.id)
        var ways: Set<[String]> = []
        for step in 0..<steps {
            let next = try self.signet(in: images.path(step))
            _ = try await next.run { signet in try await signet.runtime.upload() }
            let batches = try self.batches(next)
            let sent = batches.map(\.events)
            #expect(sent.joined() == "-abc", "step \(step): \(sent)")
            // An id stands for the same events for ever.
            #expect(batches.allSatisfy { $0.id != whole || $0.events == "-abc" }, "step \(step)")
            #expect(next.runtime.statistics.eventsLost == 0, "step \(step)")
            ways.insert(sent)
        }
        // Before the halves were written down, and after.
        #expect(ways == [["-abc"], ["-a", "bc"]])
    }
}
