// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// The plan that events are logged under, on the wire.
@Suite(.watched) struct DataPlanTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Logs one event under a plan, and reads it back from the batch that was sent.
    private func sent(_ plan: DataPlan?) async throws -> JSONValue? {
        let signet = try EmulatedSignet(in: self.folder.path) { $0.events.dataPlan = plan }
        try await signet.run { signet in
            _ = try await signet.runtime.open("v", identify: .none).login([.customerID: "c"])
            try await signet.runtime.open("v").log(.custom("x"))
            try await signet.runtime.upload()
        }
        let body = try #require(signet.eventBodies.last)
        return try JSONReader.read(body)["context"]
    }

    @Test func aPlanAndItsVersionTravelWithTheBatch() async throws {
        let plan = try #require(try await self.sent(DataPlan(id: "shop", version: 1000))?["data_plan"])
        #expect(plan["plan_id"]?.string == "shop")
        #expect(plan["plan_version"]?.number?.int64 == 1000)
    }

    @Test func theNewestVersionIsNotNamed() async throws {
        let plan = try #require(try await self.sent(DataPlan(id: "shop"))?["data_plan"])
        #expect(plan["plan_id"]?.string == "shop")
        #expect(plan["plan_version"] == nil)
    }

    @Test func withoutAPlanThereIsNoContext() async throws {
        #expect(try await self.sent(nil) == nil)
    }
}
