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

/// An event that the platform itself refuses takes its neighbours not along.
@Suite(.watched) struct RefusedBatchTests {
    private let scene: ProxyScene

    init() throws {
        self.scene = try ProxyScene()
    }

    private var names: [String] {
        Set(self.scene.platform.batches().map(\.mpid)).flatMap { self.scene.platform.events(of: $0).compactMap(\.name) }
    }

    @Test(arguments: [400, 422], [0, 37, 98]) func oneBadEventOfAHundredCostsItself(
        _ status: Int,
        _ bad: Int
    ) async throws {
        let transport = ProxyPage(self.scene.platform, refusing: "poison", status: status)
        let runtime = try self.scene.runtime(transport)
        try await runtime.runs(isolation: nil) {
            let visitor = try await self.scene.open(runtime, "v")
            for number in 0..<99 { try visitor.log(.custom(number == bad ? "poison" : "event \(number)")) }
            try await runtime.upload()
            let letters = try await runtime.deadLetters.list()
            #expect(letters.map(\.eventCount) == [1])
            #expect(letters.map(\.httpStatus) == [status])
            // What comes after it goes too.
            try visitor.log(.custom("later"))
            try await runtime.upload()
        }
        #expect(self.names == (0..<99).filter { $0 != bad }.map { "event \($0)" } + ["later"])
        #expect(transport.pages.withLock { $0 } <= 8)
        let statistics = runtime.statistics
        #expect(statistics.eventsDeadLettered == 1 && statistics.eventsLost == 0 && statistics.eventsWaiting == 0)
    }

    @Test func whatIsWrongWithAllEventsCostsFewRequestsAndNoEvent() async throws {
        let transport = ProxyPage(self.scene.platform, refusing: "\"events\"")
        let runtime = try self.scene.runtime(transport)
        try await runtime.runs(isolation: nil) {
            for number in 0..<20 {
                let visitor = try await self.scene.open(runtime, InstallationID("v\(number)"))
                for event in 0..<10 { try visitor.log(.custom("event \(event)")) }
            }
            try await runtime.upload()
            let pages = transport.pages.withLock { $0 }
            #expect(pages < 120, "\(pages)")
            #expect(runtime.statistics.eventsDeadLettered >= 200)
            // It is mended: everything is there, and arrives.
            transport.isOn.withLock { $0 = false }
            for letter in try await runtime.deadLetters.list() { try await runtime.deadLetters.resend(letter.id) }
            try await runtime.upload()
        }
        #expect(self.names.count == 200)
        #expect(runtime.statistics.eventsLost == 0 && runtime.statistics.eventsWaiting == 0)
    }

    /// The halves are on disk: the search goes on after a restart.
    @Test func aRestartInTheMiddleCostsNoNeighbourEither() async throws {
        let transport = ProxyPage(self.scene.platform, refusing: "poison")
        let first = try self.scene.runtime(transport)
        try await first.runs(isolation: nil) {
            let visitor = try await self.scene.open(first, "v")
            for number in 0..<20 { try visitor.log(.custom(number == 13 ? "poison" : "event \(number)")) }
            // The halves find no connection.
            self.scene.platform.faults.injectAlways(.connectionRefused, on: .events)
            _ = await code { () async throws(SignetError) in try await first.upload() }
        }
        self.scene.platform.faults.clear()
        self.scene.clock.advance(by: .seconds(600))
        let second = try self.scene.runtime(transport)
        try await second.runs(isolation: nil) {
            _ = try await self.scene.open(second, "v")
            try await second.upload()
            #expect(try await second.deadLetters.list().map(\.eventCount) == [1])
        }
        #expect(self.names == (0..<20).filter { $0 != 13 }.map { "event \($0)" })
        #expect(second.statistics.eventsLost == 0)
    }
}
