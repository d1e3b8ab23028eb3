// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetJournal
import SignetLock
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// One installation that never gets a user, among many that do.
@Suite(.watched) struct NeverIdentifiedTests {
    /// Knows everybody who asks, takes every batch, remembers nothing but counts.
    private final class QuietPlatform: Transport {
        private let users = Locked(0)

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard !request.url.hasSuffix("events") else { return TransportResponse(status: 202) }
            let user = self.users.withLock { users in
                users += 1
                return users
            }
            let answer = #"{"mpid":"\#(user)","is_logged_in":false,"context":null,"matched_identities":{}}"#
            return TransportResponse(status: 200, body: Array(answer.utf8))
        }
    }

    @Test func itsBacklogIsBoundedAndCostsNobodyElseAnEvent() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        var configuration = SignetConfiguration.vendorTimes(apiKey: "us1-key", secret: "s", directory: folder.path)
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.sessions.timeout = .seconds(1_000_000)
        configuration.events.uploadMode = .bulk
        configuration.events.maximumBatchesPerSecond = nil
        configuration.events.storage.maximumBytesWithoutUser = 64 << 10
        configuration.journal.segmentBytes = 1 << 20
        let runtime = try SignetRuntime(configuration, transport: QuietPlatform())
        try await runtime.runs {
            var visitors: [Installation] = []
            let others = TestScale.count(quick: 99, full: 999)
            for index in 0..<others { visitors.append(try await runtime.open(InstallationID("v\(index)"))) }
            for visitor in visitors { _ = try await visitor.initialIdentifyResult() }
            let never = try await runtime.open("never", identify: .none)
            var mostOnDisk: UInt64 = 0
            for _ in 0..<20 {
                for visitor in visitors { try visitor.log(.custom("x")) }
                for _ in 0..<500 { try never.log(.custom("nobody's")) }
                try await runtime.upload()
                mostOnDisk = max(mostOnDisk, runtime.statistics.bytesOnDisk)
            }
            let statistics = runtime.statistics
            let dropped = statistics.eventsDropped[.limit] ?? 0
            #expect(statistics.eventsDropped.keys.allSatisfy { $0 == .limit })
            // Everything of the others is there; of this one, what fits.
            #expect(statistics.eventsDelivered == UInt64(others * 21))
            #expect(statistics.eventsWaiting == 10_001 - dropped)
            #expect((100...400).contains(statistics.eventsWaiting))
            #expect(statistics.eventsLost == 0)
            // Twice what waits, and two files.
            #expect(mostOnDisk < 3 << 20)
        }
    }
}
