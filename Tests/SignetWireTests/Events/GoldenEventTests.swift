// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import Testing

@testable import SignetWire

/// The bytes of each kind of event; `.ci/validate-batches` holds the same files against the schema of the Events API.
@Suite struct GoldenEventTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    private func golden(_ name: String) throws -> String {
        let data = try Data(contentsOf: Self.folder.appending(path: "\(name).json"))
        return String(String(decoding: data, as: UTF8.self).reversed().drop { $0 == "\n" }.reversed())
    }

    @Test func eachKindHasItsGoldenBytes() throws {
        for (name, event) in try SampleEvents.all() {
            #expect(EventLimits.violation(of: event) == nil, "\(name)")
            #expect(try Samples.text(EventBody.encode(event, stamp: Samples.stamp)) == self.golden(name), "\(name)")
        }
    }

    @Test func sessionsHaveTheirGoldenBytes() throws {
        let begin = EventBody.encode(EventBody.sessionStart(), stamp: Samples.stamp)
        #expect(try Samples.text(begin) == self.golden("session-start"))
        let end = EventBody.encode(EventBody.sessionEnd(Samples.accounts(9500)), stamp: Samples.stamp)
        #expect(try Samples.text(end) == self.golden("session-end"))
    }

    @Test func aBatchOfAllHasItsGoldenBytes() throws {
        let batch = BatchBody(
            batchID: Samples.uuid(1),
            milliseconds: Samples.milliseconds,
            environment: .development,
            mpid: try Samples.mpid(-2),
            deviceApplicationStamp: Samples.uuid(2),
            userAttributes: ["level": 3, "tag": .null, "lists": ["a", "b"]],
            userIdentities: [.email: "a@example.com", .customerID: "c-1"],
            sdkVersion: "1.0",
            dataPlan: DataPlan(id: "plan", version: 2),
            attribution: Attribution(serviceProvider: "s", publisher: "p", campaign: "c")
        )
        let events = try SampleEvents.all().map { EventBody.encode($0.event, stamp: Samples.stamp) }
        #expect(try Samples.text(batch.encoded(events: events)) == self.golden("batch"))
    }
}
