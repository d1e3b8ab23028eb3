// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetTransport
import Testing

/// The platform takes each event as the runtime writes it, and finds nothing in it that the documentation does not know.
struct GoldenEventTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "SignetWireTests/Golden")

    @Test func everyGoldenEventIsTakenAndUnderstood() async throws {
        let batch = try JSONReader.read([UInt8](Data(contentsOf: Self.folder.appending(path: "batch.json"))))
        let events = try #require(batch["events"]?.array)
        #expect(events.count >= 17)
        let platform = Platform()
        let response = await platform.post("/v2/events", batch)
        #expect(response.status == 202)
        let taken = platform.events(-2)
        #expect(taken.map(\.type) == events.map { $0["event_type"]?.string })
        for event in taken { #expect(event.undocumentedMembers == [], "\(event.type)") }
    }
}
