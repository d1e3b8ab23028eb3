// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// A batch of the user is on the wire when they are erased, and its answer comes late, whatever it says.
@Suite(.watched) struct ErasureOnTheWireTests {
    /// Holds the next request for events until it is told how to answer it.
    private final class HeldTransport: Transport {
        private let base: EmulatorTransport
        private let arrival = Promise<Void>()
        private let answer = Promise<Int>()
        private let ended = Promise<Void>()
        private let isHolding = Locked(false)
        private let bodies = Locked<[[UInt8]]>([])

        init(_ emulator: Emulator) {
            self.base = emulator.transport
        }

        /// How many requests for events there were.
        var count: Int { self.bodies.withLock { $0.count } }

        func hold() { self.isHolding.withLock { $0 = true } }

        func arrived() async { _ = await self.arrival.value() }

        func release(_ status: Int) async {
            self.answer.resolve(status)
            _ = await self.ended.value()
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard request.url.hasSuffix("events") else { return try await self.base.send(request) }
            self.bodies.withLock { $0.append(request.body) }
            let isHeld = self.isHolding.withLock { isHolding in
                defer { isHolding = false }
                return isHolding
            }
            guard isHeld else { return try await self.base.send(request) }
            self.arrival.resolve(())
            let status = await self.answer.value() ?? 0
            self.ended.resolve(())
            return TransportResponse(status: status)
        }
    }

    private struct World {
        let clock: ManualClock
        let transport: HeldTransport
        let runtime: SignetRuntime
        let visitor: Installation
        let mpid: MPID
        /// What was delivered before.
        let delivered: Int
    }

    /// Has one event of the user on the wire, and one behind it.
    private static func play(_ body: (World) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let transport = HeldTransport(platform)
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: folder.path
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.sessions.timeout = .seconds(1_000_000)
        configuration.jitter = { 0 }
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs {
            let visitor = try await runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await runtime.upload()
            let delivered = runtime.statistics.eventsDelivered
            transport.hold()
            try visitor.log(.purchase(Purchase(transactionID: "t", total: 1)))
            _ = await runtime.managers.events.firstSettled([])
            clock.advance(by: .seconds(1))
            await transport.arrived()
            try visitor.log(.custom("behind it"))
            let world = World(
                clock: clock,
                transport: transport,
                runtime: runtime,
                visitor: visitor,
                mpid: mpid,
                delivered: delivered
            )
            try await body(world)
            // What the answer says has been heeded: a pause that it asks for begins before the clock moves.
            await until("no batch is on the wire") { await runtime.managers.events.backlog.held.onWire.isEmpty }
            // Somebody else comes, and is not in the way of what is left.
            try await visitor.login([.customerID: "c-2"])
            try visitor.log(.custom("next"))
            clock.advance(by: .seconds(8 * 3600))
            await runtime.resumeUploads()
            try await runtime.upload()
            let next = try #require(visitor.currentUser?.mpid)
            #expect(platform.events(of: next).contains { $0.name == "next" })
            #expect(platform.events(of: mpid).allSatisfy { $0.name != "behind it" })
            let deadLettered = try await runtime.deadLetters.list()
            #expect(deadLettered.isEmpty)
        }
        #expect(runtime.statistics.eventsLost == 0)
        #expect(runtime.statistics.eventsWaiting == 0)
    }

    @Test(arguments: [202, 400, 401, 500, 503])
    func anAnswerAfterTheLimitCountsForNothing(status: Int) async throws {
        try await Self.play { world in
            let report = try await world.runtime.eraseUser(world.mpid, within: .zero)
            #expect(report.batchesAbandoned == 1)
            #expect(report.events == 2)
            #expect(world.runtime.statistics.eventsWaiting == 0)
            await world.transport.release(status)
            #expect(world.runtime.statistics.eventsDelivered == world.delivered)
            #expect(world.runtime.statistics.eventsDropped == [.forgotten: 2])
        }
    }

    @Test(arguments: [202, 400, 401, 500, 503])
    func anAnswerWithinTheLimitCountsOnlyIfTheBatchWasTaken(status: Int) async throws {
        try await Self.play { world in
            async let forgotten = world.runtime.eraseUser(world.mpid)
            await until("the visitor has no user") { world.visitor.currentUser == nil }
            let requests = world.transport.count
            await world.transport.release(status)
            let report = try await forgotten
            #expect(report.batchesAbandoned == 0)
            #expect(report.events == (status == 202 ? 1 : 2))
            #expect(world.runtime.statistics.eventsDelivered == world.delivered + (status == 202 ? 1 : 0))
            #expect(world.runtime.statistics.eventsDeadLettered == 0)
            #expect(world.transport.count == requests)
        }
    }

    @Test func aTaskThatIsCancelledWaitsForNoAnswer() async throws {
        try await Self.play { world in
            let report = await withTaskGroup(of: SignetRuntime.ErasureReport?.self) { group in
                group.addTask {
                    do throws(SignetError) { return try await world.runtime.eraseUser(world.mpid) } catch { return nil }
                }
                await until("the visitor has no user") { world.visitor.currentUser == nil }
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(report?.batchesAbandoned == 1)
            await world.transport.release(202)
        }
    }

    /// The end of a session names all its users, and is the last one's event.
    @Test(arguments: [400, 413])
    func aNameInTheBatchOfAnotherIsNotWrittenAgainWhenItIsRefused(status: Int) async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let transport = HeldTransport(platform)
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: folder.path
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs {
            let visitor = try await runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try visitor.log(.custom("hers"))
            try await visitor.login([.customerID: "c-2"])
            try visitor.log(.custom("his"))
            try await runtime.upload()
            transport.hold()
            try await visitor.endSession()
            _ = await runtime.managers.events.firstSettled([])
            clock.advance(by: .seconds(1))
            await transport.arrived()
            #expect(try Self.names(of: mpid, in: folder.path) > 0)
            _ = try await runtime.eraseUser(mpid)
            await transport.release(status)
            await until("no batch is on the wire") { await runtime.managers.events.backlog.held.onWire.isEmpty }
            #expect(try Self.names(of: mpid, in: folder.path) == 0)
        }
    }

    /// The number of files that name a user.
    private static func names(of mpid: MPID, in folder: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: folder).count { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(mpid.description.utf8)) != nil
        }
    }
}
