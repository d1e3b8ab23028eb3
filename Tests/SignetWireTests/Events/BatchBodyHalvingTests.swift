// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import SignetWire

/// Two batches of one.
@Suite struct BatchBodyHalvingTests {
    private func body() throws -> BatchBody {
        BatchBody(
            batchID: UUID(),
            milliseconds: 1,
            environment: .production,
            mpid: try Samples.mpid(7),
            deviceApplicationStamp: UUID(),
            // Text that looks like the member, which comes later.
            userAttributes: ["source_request_id": .string("\"source_request_id\":\"")]
        )
    }

    @Test func aHeadHasAnotherIDAndIsTheSameOtherwise() throws {
        var body = try self.body()
        let head = body.encoded(events: [])
        body.batchID = UUID()
        #expect(BatchBody.rename(head, to: body.batchID) == body.encoded(events: []))
    }

    @Test(arguments: [
        "", "{", "{}", "{\"source_request_id\":\"1\"}", "{\"mpid\":1,\"source_request_id\":\"12345678901234567890\"",
    ])
    func otherBytesHaveNoID(text: String) {
        #expect(BatchBody.rename(Array(text.utf8), to: UUID()) == nil)
    }

    @Test func aWholeBatchIsTwoWithAllItsMembers() throws {
        let events = (1...5).map { Array("{\"n\":\($0).50}".utf8) }
        var body = try self.body()
        let whole = body.encoded(events: events)
        let (first, second) = (UUID(), UUID())
        let halves = try #require(BatchBody.halves(of: whole, (2, 3), (first, second)))
        body.batchID = first
        #expect(halves.first == body.encoded(events: Array(events[..<2])))
        body.batchID = second
        #expect(halves.second == body.encoded(events: Array(events[2...])))
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"events\":1}", "{\"events\":[]}", "{\"events\":[1,2]}", "{\"events\":[1,2,3,4]}",
    ])
    func anotherNumberOfEventsIsNotHalved(text: String) {
        #expect(BatchBody.halves(of: Array(text.utf8), (1, 2), (UUID(), UUID())) == nil)
    }
}
