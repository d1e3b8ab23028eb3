// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet

/// A user with as many and as long attributes as the service allows, as far as a batch has room for them.
@Suite(.watched) struct LongAttributesTests {
    private static func text(_ count: Int) -> AttributeValue {
        .string(String(repeating: "x", count: count))
    }

    private static func delivered(
        identities: IdentityRequest = [.customerID: "c-1"],
        _ body: (Installation) async throws -> Void
    ) async throws -> [EmulatedBatch] {
        let folder = try TemporaryFolder()
        return try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.login(identities)
            try await body(visitor)
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsDeadLettered == 0)
            #expect(signet.eventBodies.allSatisfy { $0.count <= UploadLimits.batchBytes })
            return signet.emulator.batches()
        }
    }

    @Test func aListOf100EntriesOf300CharactersArrives() async throws {
        let list = (0..<100).map { AttributeValue.string(String(repeating: "x", count: 300) + "\($0)") }
        let batches = try await Self.delivered { visitor in
            try await visitor.setAttribute(.list(list), for: "list")
        }
        #expect(batches.last?.json["user_attributes"]?["list"]?.array?.count == 100)
        // The event that tells of the change is short: the value is in the batch.
        let change = batches.flatMap { $0.json["events"]?.array ?? [] }
            .first { $0["event_type"]?.string == "user_attribute_change" }
        #expect(change?["data"]?["user_attribute_name"]?.string == "list")
        #expect(change?["data"]?["new"] == .null)
        #expect(change?["data"]?["deleted"]?.bool == false)
    }

    @Test func twentyAttributesOf4000CharactersArriveWithEachChange() async throws {
        let batches = try await Self.delivered { visitor in
            for number in 0..<20 { try await visitor.setAttribute(Self.text(4000), for: "k\(number)") }
        }
        #expect(batches.last?.json["user_attributes"]?.object?.count == 20)
        let changes = batches.flatMap { $0.json["events"]?.array ?? [] }
            .filter { $0["event_type"]?.string == "user_attribute_change" }
        #expect(changes.count == 20)
        #expect(changes.allSatisfy { $0["data"]?["new"]?.string?.count == 4000 })
    }

    @Test func beyond96KiBTheCallSaysSo() async throws {
        _ = try await Self.delivered { visitor in
            for number in 0..<24 { try await visitor.setAttribute(Self.text(4000), for: "k\(number)") }
            let error = await failure { () async throws(SignetError) in
                try await visitor.setAttribute(Self.text(4000), for: "k24")
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("96 KiB") == true && error?.message.contains("room for an event") == true)
        }
    }

    /// Who it is, the MPID says; what the user agreed to is never left out.
    @Test func anEventTooLongBesideThemGoesWithoutThem() async throws {
        let batches = try await Self.delivered { visitor in
            for number in 0..<24 { try await visitor.setAttribute(Self.text(4000), for: "k\(number)") }
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            let long = (0..<12).map { ("a\($0)", Self.text(4000)) }
            try visitor.log(.custom("long", attributes: Attributes(long)))
        }
        let long = batches.first { batch in
            batch.json["events"]?.array?.contains { $0["data"]?["event_name"]?.string == "long" } == true
        }
        #expect(long != nil)
        #expect(long?.json["consent_state"]?["gdpr"]?["ads"] != nil)
        #expect(batches.contains { $0.json["user_attributes"]?.object?.count == 24 })
    }
}
