// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite struct BadInputTests {
    static let harmlessIDs = [
        "../evil", "..", "a/b", "%2e%2e%2f", "\u{202E}abc", "é", "e\u{301}", "CON", "dot.", "space ", "w", "i",
        "\u{1F36A}",
        String(repeating: "x", count: 256),
    ]

    static let refusedIDs = ["", "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}", String(repeating: "x", count: 257)]

    @Test func namesThatLookLikePathsAreNamesAndNoTwoOfThemMeet() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/inner/state"
        let signet = try EmulatedSignet(in: directory)
        var stamps: Set<UUID> = []
        for id in Self.harmlessIDs {
            stamps.insert(try await signet.runtime.open(InstallationID(id), identify: .none).deviceApplicationStamp)
        }
        #expect(stamps.count == Self.harmlessIDs.count)
        await signet.runtime.shutdown()
        let again = try EmulatedSignet(in: directory)
        for id in Self.harmlessIDs {
            #expect(
                stamps.contains(
                    try await again.runtime.open(InstallationID(id), identify: .none).deviceApplicationStamp
                )
            )
        }
        await again.runtime.shutdown()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["inner"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/inner") == ["state"])
    }

    @Test(arguments: refusedIDs) func namesBeyondTheLimitsAreRefused(id: String) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let error = await #expect(throws: SignetError.self) { _ = try await signet.runtime.open(InstallationID(id)) }
        #expect(error?.code == .invalidArgument)
        #expect(signet.runtime.statistics.eventsAccepted == 0)
        await signet.runtime.shutdown()
    }

    static let refusedEvents: [Event] = [
        .custom(""), .screen(""), .custom(String(repeating: "n", count: 257)),
        .custom(String(repeating: "n", count: 1025)),
        .custom("x", attributes: ["a": .double(.nan)]), .custom("x", attributes: ["a": .double(.infinity)]),
        .custom("x", attributes: ["a": .double(-.infinity)]), .custom("x", attributes: ["a": .double(1e308 * 10)]),
        .custom("x", attributes: ["": 1]), .custom("x", attributes: [String(repeating: "k", count: 257): 1]),
        .custom("x", attributes: ["a": .string(String(repeating: "v", count: 1 << 20))]),
        .custom("x", attributes: Attributes((0..<10_000).map { ("k\($0)", true) })),
        .purchase(Purchase(transactionID: "", total: 1)), .purchase(Purchase(transactionID: "t", total: .nan)),
        .purchase(
            Purchase(transactionID: "t", total: 1, products: (0..<5000).map { Product(id: "a product number \($0)") })
        ),
    ]

    @Test func eventsBeyondTheLimitsAreRefusedAndCounted() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        for event in Self.refusedEvents {
            let error = #expect(throws: SignetError.self) { try visitor.log(event) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(signet.runtime.statistics.eventsRefused == [.invalidArgument: Self.refusedEvents.count])
        #expect(signet.runtime.statistics.eventsAccepted == 1)
        await signet.runtime.shutdown()
    }

    @Test func oddButAllowedValuesArriveAsTheyWere() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let values: [String: (AttributeValue, String)] = [
            "max": (.integer(.max), "9223372036854775807"), "min": (.integer(.min), "-9223372036854775808"),
            "2^53+1": (9_007_199_254_740_993, "9007199254740993"), "zero": (.double(-0.0), "-0.0"),
            "nul": ("a\u{0}b", "a\u{0}b"), "line": ("\u{2028}", "\u{2028}"), "tag": ("</script>", "</script>"),
            "lone": (
                .string(String(decoding: [0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self)), "\u{FFFD}\u{FFFD}\u{FFFD}"
            ),
            "A": ("upper", "upper"), "a": ("lower", "lower"),
        ]
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("odd", attributes: Attributes(values.mapValues(\.0))))
            return try #require(visitor.currentUser).mpid
        }
        let event = try #require(signet.emulator.events(of: mpid).last)
        #expect(event.customAttributes == values.mapValues(\.1))
    }

    @Test func identitiesThatCannotBeSentAreRefusedBeforeAnythingIsSent() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let requests: [IdentityRequest] = [
                [.email: "a@b\r\nX: y"], [.customerID: String(repeating: "1", count: 10_240)], [.customerID: ""],
                [.deviceApplicationStamp: "x"], [IdentityType(wireName: "Bad Name"): "x"],
                [IdentityType(wireName: ""): "x"],
            ]
            for request in requests {
                let error = await #expect(throws: SignetError.self) { _ = try await visitor.login(request) }
                #expect(error?.code == .invalidArgument)
            }
            // A homograph is another address, and an address.
            _ = try await visitor.login([.email: "\u{430}@example.com"])
            #expect(signet.transport.exchanges.count == 1)
        }
    }
}
