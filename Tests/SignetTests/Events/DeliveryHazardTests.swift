// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Combinations on the way of events in which something was lost, repeated or stuck before.
@Suite(.watched) struct DeliveryHazardTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func runtime(
        _ platform: CountingPlatform,
        observer: (any SignetObserver)? = nil,
        _ change: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> SignetRuntime {
        let clock = self.clock
        var configuration = SignetConfiguration.vendorTimes(apiKey: "us1-key", secret: "s", directory: self.folder.path)
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.sessions.timeout = .seconds(1_000_000)
        change(&configuration)
        guard let observer else { return try SignetRuntime(configuration, transport: platform) }
        return try SignetRuntime(configuration, transport: platform, observer: observer)
    }

    private func known(_ id: InstallationID, in runtime: SignetRuntime) async throws -> Installation {
        let installation = try await runtime.open(id)
        _ = try await installation.initialIdentifyResult()
        return installation
    }

    @Test func aTransportThatGivesUpByItselfMakesAPauseAndNoLoop() async throws {
        let platform = CountingPlatform { _ throws(TransportError) in throw TransportError(.cancelled, "invalidated") }
        let runtime = try self.runtime(platform)
        try await runtime.runs {
            try await self.known("a", in: runtime).log(.custom("x"))
            let error = await #expect(throws: SignetError.self) { try await runtime.upload() }
            #expect(error?.code == .uploadPaused)
            #expect(platform.uploads == 1)
        }
    }

    @Test func anAnswerToAnotherRequestDoesNotMakeAPauseForgotten() async throws {
        let (released, both) = (Promise<Void>(), Promise<Void>())
        let platform = CountingPlatform { number throws(TransportError) in
            if number == 1 {
                // Both are under way before one makes a pause.
                _ = await both.value()
                var headers = HTTPHeaders()
                headers.append(name: "Retry-After", value: "3600")
                return TransportResponse(status: 429, headers: headers)
            }
            both.resolve(())
            _ = await released.value()
            return TransportResponse(status: 202)
        }
        let runtime = try self.runtime(platform)
        try await runtime.runs {
            let (first, second) = (try await self.known("a", in: runtime), try await self.known("b", in: runtime))
            for visitor in [first, second] { for _ in 0..<120 { try visitor.log(.custom("x")) } }
            await until("two uploads are on the wire") { platform.uploads >= 2 }
            await until("the upload pause") { await runtime.managers.events.pause != nil }
            released.resolve(())
            await until("a batch is delivered") { runtime.statistics.batchesDelivered > 0 }
            #expect(try runtime.context.store.value(for: StateKey.uploadPause) != nil)
        }
    }

    @Test func aFlushDoesNotCallDeliveredWhatCannotBeRead() async throws {
        let isBroken = Locked(false)
        let runtime = try self.runtime(CountingPlatform()) {
            $0.journal.storage = .written
            $0.disk = Disk(asking: { request in
                let isRead = request.call == .read && request.folder.hasSuffix("/journal")
                return isRead && isBroken.withLock { $0 } ? .failure(5) : nil
            })
        }
        try await runtime.runs {
            let visitor = try await self.known("a", in: runtime)
            try await runtime.upload()
            isBroken.withLock { $0 = true }
            for _ in 0..<10 { try visitor.log(.custom("x")) }
            let error = await #expect(throws: SignetError.self) { try await runtime.upload() }
            #expect(error?.code == .diskFailed)
            isBroken.withLock { $0 = false }
            try await runtime.upload()
            #expect(runtime.statistics.eventsWaiting == 0)
        }
    }

    @Test func aBatchKeepsItsBytesWhenItsEventsMakeRoomForNewOnes() async throws {
        let platform = CountingPlatform { number in TransportResponse(status: number == 1 ? 500 : 202) }
        let observer = RecordingObserver()
        let runtime = try self.runtime(platform, observer: observer) {
            $0.events.storage.maximumBytes = 1 << 20
            $0.events.storage.whenFull = .dropOldest
            $0.journal.segmentBytes = 256 << 10
            $0.jitter = { 0 }
        }
        let attributes: Attributes = ["text": .string(String(repeating: "a", count: 700))]
        try await runtime.runs {
            let visitor = try await self.known("a", in: runtime)
            for _ in 0..<100 { try visitor.log(.custom("x", attributes: attributes)) }
            await until("the upload pause") { await runtime.managers.events.pause != nil }
            var logged = 0
            while runtime.context.journal.droppedFrames == 0, logged < 5000 {
                try visitor.log(.custom("y", attributes: attributes))
                logged += 1
            }
            #expect(logged < 5000)
            await runtime.resumeUploads()
            await until("two uploads are on the wire") { platform.uploads >= 2 }
            #expect(platform.bodies[0] == platform.bodies[1])
            // What is under way when the clock moves runs out of time: all that goes by itself is answered first.
            await until("nothing is under way, and what is left waits") {
                var machine = await runtime.managers.events.backlog.machine
                if machine.requests.isEmpty, case .wait = machine.next(now: self.clock.now.offset) { return true }
                return false
            }
            self.clock.advance(by: .seconds(600))
            try await runtime.upload()
            #expect(runtime.statistics.eventsLost == 0)
            #expect(runtime.statistics.eventsWaiting == 0)
            #expect((runtime.statistics.eventsDropped[.limit] ?? 0) > 0)
        }
    }

    @Test func aBatchThatIsFullByBytesDoesNotWaitForMoreEvents() async throws {
        let platform = CountingPlatform()
        let runtime = try self.runtime(platform)
        var attributes: Attributes = [:]
        for number in 0..<20 { attributes["k\(number)"] = .string(String(repeating: "b", count: 4000)) }
        try await runtime.runs {
            let visitor = try await self.known("a", in: runtime)
            try await runtime.upload()
            let before = platform.uploads
            for _ in 0..<10 { try visitor.log(.custom("big", attributes: attributes)) }
            // The clock stands: without a wake-up this would be for ever.
            await until("four more uploads") { platform.uploads >= before + 4 }
        }
    }
}

/// Knows everybody who asks, and answers uploads as it is told to.
private final class CountingPlatform: Transport {
    private let state = Locked<(users: Int, bodies: [[UInt8]])>((0, []))
    private let answer: @Sendable (_ number: Int) async throws(TransportError) -> TransportResponse

    init(
        answer: @escaping @Sendable (_ number: Int) async throws(TransportError) -> TransportResponse = { _ in
            TransportResponse(status: 202)
        }
    ) {
        self.answer = answer
    }

    /// The uploads so far.
    var bodies: [[UInt8]] {
        self.state.withLock { $0.bodies }
    }

    /// How many they are.
    var uploads: Int {
        self.state.withLock { $0.bodies.count }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if request.url.hasSuffix("events") {
            let number = self.state.withLock { state in
                state.bodies.append(request.body)
                return state.bodies.count
            }
            return try await self.answer(number)
        }
        let user = self.state.withLock { state in
            state.users += 1
            return state.users
        }
        let answer = #"{"mpid":"\#(user)","is_logged_in":false,"context":null,"matched_identities":{}}"#
        return TransportResponse(status: 200, body: Array(answer.utf8))
    }
}
