// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct ModifyRequestTests {
    private static func body(_ changes: JSONValue) -> JSONValue {
        ["environment": "development", "request_id": "r", "request_timestamp_ms": 1, "identity_changes": changes]
    }

    private static func platform(_ strategy: IdentityStrategy = .conversion) async -> Platform {
        let configuration = EmulatorConfiguration(
            strategy: strategy,
            uniqueIdentities: [.customerID, .email],
            immutableIdentities: [.other],
            mpids: .counting(from: 1)
        )
        let platform = Platform(configuration)
        _ = await platform.resolve("identify", ["email": "e"])
        return platform
    }

    static let badChanges: [JSONValue] = [
        .null,
        [],
        [:],
        "email",
        [nil],
        ["email"],
        [[:]],
        [["identity_type": "email", "new_value": "f"]],
        [["identity_type": "email", "old_value": "e"]],
        [["old_value": "e", "new_value": "f"]],
        [["identity_type": nil, "old_value": "e", "new_value": "f"]],
        [["identity_type": "Email", "old_value": "e", "new_value": "f"]],
        [["identity_type": "customer_id", "old_value": "e", "new_value": "f"]],
        [["identity_type": "email", "old_value": nil, "new_value": nil]],
        [["identity_type": "email", "old_value": "e", "new_value": ""]],
        [["identity_type": "email", "old_value": "e", "new_value": 5]],
        [["identity_type": "email", "old_value": 5, "new_value": "f"]],
        [["identity_type": "email", "old_value": "e", "new_value": "f", "more": 1]],
    ]

    @Test(arguments: badChanges)
    func malformedChangesAreRefused(changes: JSONValue) async {
        let platform = await Self.platform()
        let answer = await platform.post("/v1/1/modify", Self.body(changes))
        #expect(answer.status == 400)
        #expect(answer.errorCode == "BAD_REQUEST")
        #expect(platform.record(1) == ["email": ["e"]])
    }

    @Test func theEnvironmentIsRequiredAndOtherRequestsMembersAreNot() async {
        let platform = await Self.platform()
        let change: JSONValue = [["identity_type": "email", "old_value": "e", "new_value": "f"]]
        #expect(await platform.post("/v1/1/modify", ["identity_changes": change]).status == 400)
        #expect(await platform.post("/v1/1/modify", ["environment": "production"]).status == 400)
        let body: JSONValue = ["environment": "production", "identity_changes": change, "previous_mpid": "1"]
        #expect(await platform.post("/v1/1/modify", body).status == 400)
    }

    @Test(arguments: ["0", "abc", "+1", "01x", "9223372036854775808", "%31", "", ".."])
    func aPathWithoutAnMPIDIsRefused(mpid: String) async {
        let answer = await Self.platform().post("/v1/\(mpid)/modify", Self.body([]))
        #expect(answer.status == 400)
    }

    @Test func aUserThatIsNotThereIsNotFound() async {
        let platform = await Self.platform()
        for mpid in [Int64.max, -1, .min] {
            let answer = await platform.modify(mpid, "email", from: nil, to: "e")
            #expect(answer.status == 404)
            #expect(answer.errorCode == "NOT_FOUND")
        }
        #expect(platform.emulator.users().count == 1)
    }

    @Test func allChangesOfARequestHappenOrNone() async {
        let platform = await Self.platform()
        #expect(await platform.modify(1, "other", from: nil, to: "o").status == 200)
        let changes: JSONValue = [
            ["identity_type": "email", "old_value": "e", "new_value": "f"],
            ["identity_type": "other", "old_value": "o", "new_value": "p"],
        ]
        let answer = await platform.post("/v1/1/modify", Self.body(changes))
        #expect(answer.status == 400)
        #expect(answer.errorMessage == "'other' is immutable and already set.")
        #expect(platform.record(1) == ["email": ["e"], "other": ["o"]])
    }

    @Test func anImmutableIdentityCannotBeSetTwiceInOneRequest() async {
        let platform = await Self.platform()
        let changes: JSONValue = [
            ["identity_type": "other", "old_value": nil, "new_value": "o"],
            ["identity_type": "other", "old_value": "o", "new_value": "p"],
        ]
        #expect(await platform.post("/v1/1/modify", Self.body(changes)).status == 400)
        #expect(platform.record(1) == ["email": ["e"]])
    }

    @Test func changesAreAddedReplacedAndRemoved() async {
        let platform = await Self.platform()
        let changes: JSONValue = [
            ["identity_type": "customerid", "old_value": nil, "new_value": "c"],
            ["identity_type": "email", "old_value": "not what it was", "new_value": "f"],
            ["identity_type": "google", "old_value": nil, "new_value": "g"],
            ["identity_type": "google", "old_value": "g", "new_value": nil],
        ]
        let answer = await platform.post("/v1/1/modify", Self.body(changes))
        #expect(answer.status == 200)
        #expect(answer.json == ["change_results": []])
        #expect(platform.record(1) == ["customerid": ["c"], "email": ["f"]])
    }

    @Test func eachTakenIdentityIsReported() async {
        let platform = await Self.platform()
        _ = await platform.resolve("login", ["customerid": "c"])
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        let changes: JSONValue = [
            ["identity_type": "customerid", "old_value": nil, "new_value": "c"],
            ["identity_type": "email", "old_value": nil, "new_value": "e"],
        ]
        let answer = await platform.post("/v1/3/modify", Self.body(changes))
        #expect(
            answer.json["change_results"] == [
                ["identity_type": "customerid", "modified_mpid": "2"],
                ["identity_type": "email", "modified_mpid": "1"],
            ]
        )
        #expect(platform.emulator.users().filter(\.isOrphaned).map(\.mpid.rawValue) == [1, 2])
    }

    @Test func underBestMatchOnlyTheOldValueGoes() async {
        let platform = await Self.platform(.bestMatch)
        #expect(await platform.modify(1, "yahoo", from: nil, to: "a").status == 200)
        #expect(await platform.modify(1, "yahoo", from: nil, to: "b").status == 200)
        #expect(await platform.modify(1, "yahoo", from: "a", to: nil).status == 200)
        #expect(platform.record(1)?["yahoo"] == ["b"])
    }
}
