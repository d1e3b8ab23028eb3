// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Several batches in one request, end to end.
@Suite(.watched) struct BulkUploadTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func signet() throws -> EmulatedSignet {
        try EmulatedSignet(in: self.folder.path) {
            $0.events.uploadMode = .bulk
            $0.sessions.timeout = .seconds(1_000_000)
        }
    }

    /// Opens installations and logs for all of them in turn.
    private func log(_ signet: EmulatedSignet, _ count: Int, rounds: Int = 1) async throws -> [Installation] {
        var visitors: [Installation] = []
        for index in 0..<count { visitors.append(try await signet.openKnown(InstallationID("v\(index)"))) }
        for round in 0..<rounds { for visitor in visitors { try visitor.log(.custom("e\(round)")) } }
        return visitors
    }

    private func bodies(_ signet: EmulatedSignet, _ endpoint: String) -> [[UInt8]] {
        signet.transport.exchanges.filter { $0.endpoint == endpoint }.map(\.request.body)
    }

    @Test func installationsShareARequestAndNoneHasTwoBatchesInOne() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let visitors = try await self.log(signet, 12, rounds: 150)
            try await signet.runtime.upload()
            for visitor in visitors {
                let mpid = try #require(visitor.currentUser).mpid
                let names = signet.emulator.events(of: mpid).compactMap(\.name)
                #expect(names == (0..<150).map { "e\($0)" })
            }
        }
        let requests = self.bodies(signet, "bulkevents")
        #expect(!requests.isEmpty)
        for request in requests {
            #expect(request.count <= 256 * 1024)
            let batches = try #require(try JSONReader.read(request).array)
            #expect((2...100).contains(batches.count))
            #expect(Set(batches.map { $0["mpid"]?.number?.text }).count == batches.count)
        }
        #expect(signet.runtime.statistics.eventsDelivered == 12 * 151)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test(arguments: [400, 413])
    func afterARefusalEachIsSentAloneWithTheSameBytesAndTheBadOneInHalves(status: Int) async throws {
        let signet = try self.signet()
        signet.emulator.faults.inject(.status(status), on: .bulkEvents)
        // One of them is the bad one.
        signet.emulator.faults.inject(.status(400), on: .events)
        try await signet.run { signet in
            _ = try await self.log(signet, 5)
            try await signet.runtime.upload()
            #expect(try await signet.runtime.deadLetters.list().isEmpty)
        }
        let together = self.bodies(signet, "bulkevents")
        let all = self.bodies(signet, "events")
        #expect(together.count == 1 && all.count == 7)
        // Several are under way at once, in any order.
        let text = String(decoding: try #require(together.first), as: UTF8.self)
        let alone = all.filter { text.contains(String(decoding: $0, as: UTF8.self)) }
        #expect(alone.count == 5 && Set(all).count == 7)
        #expect(text.utf8.count == alone.reduce(1) { $0 + $1.count + 1 })
        #expect(signet.runtime.statistics.eventsDelivered == 10)
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func oneBatchGoesWhereARefusalIsSeen() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            _ = try await self.log(signet, 1)
            try await signet.runtime.upload()
        }
        #expect(self.bodies(signet, "bulkevents").isEmpty)
        #expect(self.bodies(signet, "events").count == 1)
    }

    @Test func afterAFailureTheSameBatchesGoAgain() async throws {
        let signet = try self.signet()
        signet.emulator.faults.inject(.replyLost, on: .bulkEvents)
        try await signet.run { signet in
            _ = try await self.log(signet, 5)
            let code = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(code == .uploadPaused)
            signet.clock.advance(by: .seconds(5))
            try await signet.runtime.upload()
        }
        #expect(signet.emulator.batches().map(\.deliveries) == Array(repeating: 2, count: 5))
        #expect(signet.emulator.batches().allSatisfy { !$0.contentChanged })
    }
}
