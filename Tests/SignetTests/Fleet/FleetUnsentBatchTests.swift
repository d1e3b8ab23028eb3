// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Batches that were made and not sent, while another replica changed what they say.
@Suite(.watched) struct FleetUnsentBatchTests {
    @Test func aBatchThatWasNeverSentCarriesTheConsentOfNow() async throws {
        try await Self.holding { fleet, here, there, before in
            let mpid = try #require(here.currentUser?.mpid)
            try await there.refresh()
            try await there.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try await Self.letGo(fleet)
            #expect(fleet.events.count { $0.name == "held" } == 1)
            #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            try await fleet.pass(5)
            #expect(Self.uploads(of: fleet[0]) == before + 1, "no correction follows")
        }
    }

    @Test func aBatchThatWasNeverSentIsDroppedAfterAnOptOutElsewhere() async throws {
        try await Self.holding { fleet, _, there, _ in
            try await there.setOptedOut(true)
            try await Self.letGo(fleet)
            #expect(fleet.events.count { $0.name == "held" } == 0)
            #expect((fleet[0].runtime.statistics.eventsDropped[.optedOut] ?? 0) >= 1)
            #expect(fleet[0].runtime.statistics.eventsWaiting == 0)
        }
    }

    /// A process that ends before the first try leaves events, not a batch: the next one reads their users afresh.
    @Test func aBatchIsOnDiskFromItsFirstTryOn() async throws {
        try await Self.holding { fleet, _, _, sent in
            let before = try Self.batchesOnDisk(of: fleet[0])
            #expect(before == 0)
            fleet.platform.faults.inject(.connectionRefused, on: .events)
            fleet.clock.advance(by: .seconds(1))
            await until("a try") { Self.uploads(of: fleet[0]) == sent + 1 }
            let after = try Self.batchesOnDisk(of: fleet[0])
            #expect(after == 1)
        }
    }

    // MARK: - A batch that the rate holds

    /// Makes a batch on the first replica that the limit of the rate holds.
    ///
    /// - Parameter body: Gets the handles of both replicas, and the number of requests before.
    /// - Throws: The errors of the body.
    private static func holding(
        _ body: @Sendable (TestFleet, Installation, Installation, Int) async throws -> Void
    ) async throws {
        let fleet = try TestFleet { $0.events.maximumBatchesPerSecond = 1 }
        try await fleet.run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            // Uses up what the rate allows.
            let runtime = fleet[0].runtime
            _ = try await fleet.passing { try await runtime.upload() }
            let before = Self.uploads(of: fleet[0])
            try here.log(.custom("held"))
            async let upload: Void = fleet.upload()
            for _ in 0..<500 { await Task.yield() }
            #expect(Self.uploads(of: fleet[0]) == before, "it is held")
            fleet.clock.advance(by: .milliseconds(600))
            try await body(fleet, here, there, before)
            try await fleet.pass(5)
            try await upload
        }
    }

    private static func letGo(_ fleet: TestFleet) async throws {
        try await fleet.pass(3)
        await until("all is delivered") { fleet[0].runtime.statistics.eventsWaiting == 0 }
    }

    private static func uploads(of replica: TestFleet.Replica) -> Int {
        replica.signet.transport.exchanges.count { $0.request.url.hasSuffix("/events") }
    }

    private static func batchesOnDisk(of replica: TestFleet.Replica) throws -> Int {
        try replica.runtime.context.store.values(withPrefix: StateKey.batches) { Issue.record("\($0)") }.count
    }
}
