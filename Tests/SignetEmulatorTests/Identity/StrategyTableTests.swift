// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import Testing

/// The tables of the guides, row by row: the same eight steps under three strategies, and six under best match.
struct StrategyTableTests {
    static let e1 = "ed.hyde@example.com"
    static let e2 = "h.jekyll.md@example.com"
    static let poole = "poole@example.com"
    static let priority: [IdentityType] = [.customerID, .email, .iosVendorID, .rokuAdvertisingID]

    static let launch = ScenarioStep.Request.resolve("identify", ["ios_idfv": "9876"])
    static let signUp = ScenarioStep.Request.resolve(
        "login",
        ["customerid": "ABC123", "email": e1, "ios_idfv": "9876"]
    )
    static let logout = ScenarioStep.Request.resolve("logout", ["ios_idfv": "9876"])
    static let support = ScenarioStep.Request.feed(["email": e2])
    static let newDevice = ScenarioStep.Request.resolve("identify", ["roku_aid": "8765"])
    static let newDeviceLogin = ScenarioStep.Request.resolve(
        "login",
        ["customerid": "ABC123", "email": e2, "roku_aid": "8765"]
    )

    static let device: [String: Set<String>] = ["ios_idfv": ["9876"]]
    static let before: [String: Set<String>] = ["customerid": ["ABC123"], "email": [e1], "ios_idfv": ["9876"]]
    static let after: [String: Set<String>] = ["customerid": ["ABC123"], "email": [e2], "ios_idfv": ["9876"]]
    static let everywhere: [String: Set<String>] = after.merging(["roku_aid": ["8765"]]) { $1 }
    static let feed: [String: Set<String>] = ["email": [e2]]
    static let roku: [String: Set<String>] = ["roku_aid": ["8765"]]

    static func change(of mpid: Int64) -> ScenarioStep.Request {
        .modify(mpid, "email", from: e1, to: e2)
    }

    static let conversion: [ScenarioStep] = [
        ScenarioStep(title: "1 launch", request: launch, mpid: 1234, record: device, users: 1),
        ScenarioStep(title: "2 sign-up", request: signUp, mpid: 1234, record: before, isKnown: true, users: 1),
        ScenarioStep(title: "3 logout", request: logout, mpid: 2345, record: device, users: 2),
        ScenarioStep(title: "4 support e-mail", request: support, mpid: 3456, record: feed, users: 3),
        ScenarioStep(title: "5 login", request: signUp, mpid: 1234, record: before, isKnown: true, users: 3),
        ScenarioStep(
            title: "6 new e-mail",
            request: change(of: 1234),
            mpid: 1234,
            record: after,
            isKnown: true,
            orphans: [3456],
            users: 3
        ),
        ScenarioStep(title: "7 new device", request: newDevice, mpid: 4567, record: roku, orphans: [3456], users: 4),
        ScenarioStep(
            title: "8 login there",
            request: newDeviceLogin,
            mpid: 1234,
            record: everywhere,
            isKnown: true,
            orphans: [3456],
            users: 4
        ),
    ]

    static let link: [ScenarioStep] = [
        ScenarioStep(title: "1 launch", request: launch, mpid: 1234, record: device, users: 1),
        ScenarioStep(
            title: "2 sign-up",
            request: signUp,
            mpid: 2345,
            record: before,
            isKnown: true,
            source: 1234,
            users: 2
        ),
        ScenarioStep(title: "3 logout", request: logout, mpid: 3456, record: device, users: 3),
        ScenarioStep(title: "4 support e-mail", request: support, mpid: 4567, record: feed, isKnown: true, users: 4),
        ScenarioStep(
            title: "5 login",
            request: signUp,
            mpid: 2345,
            record: before,
            isKnown: true,
            source: 1234,
            users: 4
        ),
        ScenarioStep(
            title: "6 new e-mail",
            request: change(of: 2345),
            mpid: 2345,
            record: after,
            isKnown: true,
            source: 1234,
            orphans: [4567],
            users: 4
        ),
        ScenarioStep(title: "7 new device", request: newDevice, mpid: 5678, record: roku, orphans: [4567], users: 5),
        ScenarioStep(
            title: "8 login there",
            request: newDeviceLogin,
            mpid: 2345,
            record: everywhere,
            isKnown: true,
            source: 1234,
            orphans: [4567],
            users: 5
        ),
    ]

    static let isolation: [ScenarioStep] = [
        ScenarioStep(title: "1 launch", request: launch, mpid: 1234, record: device, users: 1),
        ScenarioStep(title: "2 sign-up", request: signUp, mpid: 2345, record: before, isKnown: true, users: 2),
        ScenarioStep(title: "3 logout", request: logout, mpid: 1234, record: device, users: 2),
        ScenarioStep(title: "4 support e-mail", request: support, mpid: 3456, record: feed, isKnown: true, users: 3),
        ScenarioStep(title: "5 login", request: signUp, mpid: 2345, record: before, isKnown: true, users: 3),
        ScenarioStep(
            title: "6 new e-mail",
            request: change(of: 2345),
            mpid: 2345,
            record: after,
            isKnown: true,
            orphans: [3456],
            users: 3
        ),
        ScenarioStep(title: "7 new device", request: newDevice, mpid: 4567, record: roku, orphans: [3456], users: 4),
        ScenarioStep(
            title: "8 login there",
            request: newDeviceLogin,
            mpid: 2345,
            record: everywhere,
            isKnown: true,
            orphans: [3456],
            users: 4
        ),
    ]

    static let bestMatch: [ScenarioStep] = [
        ScenarioStep(title: "1", request: launch, mpid: 1234, record: device, users: 1),
        ScenarioStep(
            title: "2",
            request: .resolve("identify", ["email": e1, "ios_idfv": "9876"]),
            mpid: 1234,
            record: ["email": [e1], "ios_idfv": ["9876"]],
            users: 1
        ),
        ScenarioStep(
            title: "3",
            request: change(of: 1234),
            mpid: 1234,
            record: ["email": [e2], "ios_idfv": ["9876"]],
            users: 1
        ),
        ScenarioStep(
            title: "4",
            request: .resolve("identify", ["email": poole, "ios_idfv": "9876"]),
            mpid: 1234,
            record: ["email": [e2, poole], "ios_idfv": ["9876"]],
            users: 1
        ),
        ScenarioStep(
            title: "5",
            request: .resolve("identify", ["android_uuid": "8765"]),
            mpid: 2345,
            record: ["android_uuid": ["8765"]],
            users: 2
        ),
        ScenarioStep(
            title: "6",
            request: .resolve("identify", ["android_uuid": "8765", "email": poole]),
            mpid: 1234,
            record: ["email": [e2, poole], "ios_idfv": ["9876"], "android_uuid": ["8765"]],
            users: 2
        ),
    ]

    static func platform(
        _ strategy: IdentityStrategy,
        priority: [IdentityType] = priority,
        unique: Set<IdentityType>? = nil
    ) -> Platform {
        Platform(
            EmulatorConfiguration(
                strategy: strategy,
                priority: priority,
                uniqueIdentities: unique,
                mpids: .listed([1234, 2345, 3456, 4567, 5678])
            )
        )
    }

    @Test func theTablesAreWhole() {
        #expect(Self.conversion.count == 8)
        #expect(Self.link.count == 8)
        #expect(Self.isolation.count == 8)
        #expect(Self.bestMatch.count == 6)
    }

    @Test func infobipConversionIsAsInTheGuide() async {
        await play(Self.conversion, on: Self.platform(.conversion, unique: [.customerID, .email]))
    }

    @Test func infobipLinkIsAsInTheGuide() async {
        await play(Self.link, on: Self.platform(.link))
    }

    @Test func infobipIsolationIsAsInTheGuide() async {
        await play(Self.isolation, on: Self.platform(.isolation))
    }

    @Test func bestMatchIsAsInTheGuide() async {
        let platform = Self.platform(.bestMatch, priority: [.email, .iosVendorID, .androidUUID])
        await play(Self.bestMatch, on: platform)
    }

    @Test func theDefaultStrategyConvertsAndLeavesTheEmailShared() async {
        let platform = Self.platform(.default)
        await play(Array(Self.conversion.prefix(5)), on: platform)
        #expect(await platform.modify(1234, "email", from: Self.e1, to: Self.e2).status == 200)
        #expect(platform.user(3456)?.isOrphaned == false)
        #expect(platform.record(1234) == Self.after)
    }
}
