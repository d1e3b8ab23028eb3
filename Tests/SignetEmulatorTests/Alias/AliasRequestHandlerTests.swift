// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct AliasRequestHandlerTests {
    static let day: Int64 = 24 * 60 * 60 * 1000
    static let now = ManualTime.start

    /// Users 1 to 3 are anonymous, 4 and 5 known.
    private static func platform(delay: Duration? = nil) async -> Platform {
        var configuration = EmulatorConfiguration(mpids: .counting(from: 1))
        configuration.aliasDelay = delay ?? configuration.aliasDelay
        let platform = Platform(configuration)
        for device in ["a", "b", "c"] {
            _ = await platform.resolve("identify", ["ios_idfv": device])
        }
        for customer in ["d", "e"] {
            _ = await platform.resolve("login", ["customerid": customer])
        }
        return platform
    }

    private static func alias(
        _ platform: Platform,
        from source: Int64,
        to destination: Int64,
        _ start: Int64?,
        _ end: Int64?,
        id: String? = nil
    ) async -> Int {
        var data: JSONObject = [
            "source_mpid": .number(JSONNumber(source)), "destination_mpid": .number(JSONNumber(destination)),
        ]
        data["start_unixtime_ms"] = start.map { .number(JSONNumber($0)) }
        data["end_unixtime_ms"] = end.map { .number(JSONNumber($0)) }
        let body: JSONValue = [
            "request_type": "alias", "api_key": "us1-emulated", "environment": "development",
            "request_id": id.map(JSONValue.string) ?? .null, "data": .object(data),
        ]
        return await platform.post("/v1/identity/us1-emulated/alias", body).status
    }

    private static func send(_ platform: Platform, _ name: String, of mpid: Int64, at time: Int64) async {
        let event: JSONValue = [
            "event_type": "custom_event",
            "data": [
                "event_name": .string(name), "custom_event_type": "other",
                "timestamp_unixtime_ms": .number(JSONNumber(time)),
            ],
        ]
        let batch: JSONValue = [
            "environment": "development", "mpid": .number(JSONNumber(mpid)), "events": [event],
        ]
        #expect(await platform.post("/v2/events", batch).status == 202)
    }

    // MARK: Windows

    @Test func theWindowLiesWithinTheLast90Days() async {
        let oldest = Self.now - 90 * Self.day
        let windows: [(start: Int64?, end: Int64?, status: Int)] = [
            (Self.now - 1, Self.now, 202), (oldest, Self.now, 202), (oldest - 1, Self.now, 400),
            (oldest, oldest + 1, 202), (nil, nil, 202), (nil, Self.now, 202), (Self.now - 5, nil, 202),
            (Self.now, Self.now, 400), (Self.now, Self.now - 1, 400), (Self.now - 1, Self.now + 1, 400),
            (Self.now, nil, 400), (0, Self.now, 400), (.min, .max, 400),
        ]
        for window in windows {
            let platform = await Self.platform()
            #expect(
                await Self.alias(platform, from: 1, to: 4, window.start, window.end) == window.status,
                "\(window)"
            )
        }
    }

    @Test func aMissingWindowIsTheLongestOne() async {
        let platform = await Self.platform()
        _ = await Self.alias(platform, from: 1, to: 4, nil, nil)
        let alias = platform.emulator.aliases()[0]
        #expect(alias.end.timeIntervalSince(alias.start) == 90 * 24 * 60 * 60)
        #expect(alias.end == platform.time.date())
        #expect(alias.dueAt.timeIntervalSince(alias.receivedAt) == 24 * 60 * 60)
    }

    // MARK: Users

    @Test func theUsersAreTwoThatExistAndTheSourceIsAnonymous() async {
        let platform = await Self.platform()
        #expect(await Self.alias(platform, from: 1, to: 1, nil, nil) == 400)
        #expect(await Self.alias(platform, from: 99, to: 4, nil, nil) == 400)
        #expect(await Self.alias(platform, from: 1, to: 99, nil, nil) == 400)
        #expect(await Self.alias(platform, from: 4, to: 5, nil, nil) == 400)
        #expect(platform.emulator.aliases().isEmpty)
        #expect(await Self.alias(platform, from: 1, to: 2, nil, nil) == 202)
    }

    // MARK: History

    @Test func aSourceIsAliasedOnceForATime() async {
        let platform = await Self.platform()
        #expect(await Self.alias(platform, from: 1, to: 4, Self.now - 100, Self.now - 50) == 202)
        #expect(await Self.alias(platform, from: 1, to: 5, Self.now - 60, Self.now) == 400)
        #expect(await Self.alias(platform, from: 1, to: 5, Self.now - 50, Self.now) == 400)
        #expect(await Self.alias(platform, from: 1, to: 5, Self.now - 200, Self.now - 100) == 400)
        #expect(await Self.alias(platform, from: 1, to: 5, Self.now - 49, Self.now) == 202)
        #expect(await Self.alias(platform, from: 2, to: 4, Self.now - 100, Self.now - 50) == 202)
    }

    @Test func aDestinationIsNeverASource() async {
        let platform = await Self.platform()
        #expect(await Self.alias(platform, from: 1, to: 2, Self.now - 100, Self.now - 50) == 202)
        #expect(await Self.alias(platform, from: 2, to: 4, Self.now - 10, Self.now) == 400)
    }

    @Test func aSourceIsNeverADestination() async {
        let platform = await Self.platform()
        #expect(await Self.alias(platform, from: 1, to: 2, Self.now - 100, Self.now - 50) == 202)
        #expect(await Self.alias(platform, from: 3, to: 1, Self.now - 10, Self.now) == 400)
    }

    @Test func theSameRequestAgainIsAcceptedAndChangesNothing() async {
        let platform = await Self.platform()
        #expect(await Self.alias(platform, from: 1, to: 4, Self.now - 100, Self.now, id: "r") == 202)
        #expect(await Self.alias(platform, from: 1, to: 4, Self.now - 100, Self.now, id: "r") == 202)
        #expect(await Self.alias(platform, from: 1, to: 5, Self.now - 100, Self.now, id: "r") == 400)
        #expect(await Self.alias(platform, from: 1, to: 4, Self.now - 100, Self.now, id: "s") == 400)
        #expect(platform.emulator.aliases().count == 1)
    }

    // MARK: A day later

    @Test func theEventsOfTheWindowAreCopiedAfterADay() async {
        let platform = await Self.platform()
        for (name, time) in [("before", -1001), ("first", -1000), ("last", 0), ("after", 1)] as [(String, Int64)] {
            await Self.send(platform, name, of: 1, at: Self.now + time)
        }
        await Self.send(platform, "own", of: 4, at: Self.now - 500)
        _ = await Self.alias(platform, from: 1, to: 4, Self.now - 1000, Self.now)
        platform.time.advance(by: .milliseconds(Self.day - 1))
        #expect(platform.events(4).map(\.name) == ["own"])
        #expect(platform.emulator.aliases().map(\.isProcessed) == [false])
        platform.time.advance(by: .milliseconds(1))
        #expect(platform.events(4).map(\.name) == ["own", "first", "last"])
        #expect(platform.events(4).map { $0.copiedFrom?.rawValue } == [nil, 1, 1])
        #expect(platform.events(4).allSatisfy { $0.mpid.rawValue == 4 })
        #expect(platform.events(1).count == 4)
        #expect(platform.emulator.aliases().map(\.isProcessed) == [true])
    }

    @Test func itIsCarriedOutOnce() async {
        let platform = await Self.platform(delay: .seconds(1))
        await Self.send(platform, "one", of: 1, at: Self.now)
        _ = await Self.alias(platform, from: 1, to: 4, nil, nil)
        for _ in 1...3 {
            platform.time.advance(by: .seconds(1))
            #expect(platform.events(4).count == 1)
        }
    }

    @Test func whatArrivesBeforeItIsCarriedOutIsCopiedAndWhatArrivesLaterIsNot() async {
        let platform = await Self.platform()
        _ = await Self.alias(platform, from: 1, to: 4, nil, nil)
        platform.time.advance(by: .milliseconds(Self.day - 1))
        await Self.send(platform, "in time", of: 1, at: Self.now)
        platform.time.advance(by: .milliseconds(1))
        await Self.send(platform, "late", of: 1, at: Self.now)
        #expect(platform.events(4).map(\.name) == ["in time"])
    }

    @Test func theDestinationGetsTheFirstDayOfItsSourceAndNothingElse() async {
        let platform = await Self.platform()
        platform.time.advance(by: .seconds(60))
        #expect(await platform.resolve("login", ["customerid": "new"]).mpid == 6)
        let attributes: JSONValue = ["environment": "development", "mpid": 1, "user_attributes": ["plan": "gold"]]
        #expect(await platform.post("/v2/events", attributes).status == 202)
        let source = platform.user(1)
        let before = platform.user(6)
        #expect(await Self.alias(platform, from: 1, to: 6, nil, nil) == 202)
        platform.time.advance(by: .milliseconds(Self.day))
        let after = platform.user(6)
        #expect(before?.firstSeen != source?.firstSeen)
        #expect(after?.firstSeen == source?.firstSeen)
        #expect(after?.identities == before?.identities)
        #expect(after?.attributes == [:])
        #expect(after?.lastSeen == before?.lastSeen)
    }
}
