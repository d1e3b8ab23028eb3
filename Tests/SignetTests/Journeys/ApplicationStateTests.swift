// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// What the platform is told of launches, and of the app's way to the background and back (Events API v2,
/// `application_state_transition`).
@Suite struct ApplicationStateTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator

    init() throws {
        self.folder = try TemporaryFolder()
        let clock = self.clock
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    @discardableResult
    private func launch(
        version: String = "1",
        build: String = "1",
        mode: SignetConfiguration.Sessions.Mode = .application,
        tells: Bool? = nil,
        tracking: SignetConfiguration.Sessions.Tracking = .automatic,
        beginsAtOpen: Bool = true,
        installType: SignetConfiguration.Sessions.InstallType = .autodetect,
        atOpen openType: SignetConfiguration.Sessions.InstallType? = nil,
        device: DeviceInformation? = nil,
        _ body: (EmulatedSignet, Installation) async throws -> Void = { _, _ in }
    ) async throws -> [[UInt8]] {
        let signet = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock) {
            $0.sessions.mode = mode
            $0.sessions.reportsApplicationState = tells
            $0.sessions.tracking = tracking
            $0.sessions.beginsAtOpen = beginsAtOpen
            $0.sessions.installType = installType
            $0.application = ApplicationInformation(name: "Shop", version: version, build: build)
            $0.device = device
        }
        try await signet.run { signet in
            let app = try await signet.runtime.open(
                "app",
                launchReferral: "shop://launch",
                installType: openType
            )
            _ = try await app.initialIdentifyResult()
            try await body(signet, app)
        }
        return signet.eventBodies
    }

    /// What arrived of transitions and first runs, without what was asked for before.
    private func told() -> [String] {
        self.platform.users().flatMap { self.platform.events(of: $0.mpid) }.compactMap { event in
            if event.type == "first_run" { return "first_run" }
            guard event.type == "application_state_transition" else { return nil }
            let name = event.data["application_transition_type"]?.string?.dropFirst("application_".count) ?? ""
            let flags = ["is_first_run", "is_upgrade", "successfully_closed"].filter { event.data[$0]?.bool == true }
            let referral = event.data["launch_referral"]?.string.map { [$0] } ?? []
            return ([String(name)] + flags + referral).joined(separator: " ")
        }
    }

    @Test func aFirstLaunchIsAnInstallAndTheFirstRunIsToldOnce() async throws {
        try await self.launch()
        try await self.launch()
        #expect(
            self.told() == [
                "first_run", "initialized is_first_run successfully_closed shop://launch", "exit",
                "initialized successfully_closed shop://launch", "exit",
            ]
        )
    }

    @Test(arguments: [SignetConfiguration.Sessions.Tracking.automatic, .manual])
    func anInstallAndAnUpgradeBeginASessionEvenIfOpensDoNot(
        tracking: SignetConfiguration.Sessions.Tracking
    ) async throws {
        var begun: [Bool] = []
        for version in ["1", "1", "2"] {
            try await self.launch(version: version, tracking: tracking, beginsAtOpen: false) { _, app in
                begun.append(app.currentSession != nil)
            }
            self.clock.advance(by: .seconds(3600))
        }
        #expect(begun == (tracking == .automatic ? [true, false, true] : [false, false, false]))
    }

    @Test func launchesAreCountedAlsoSinceTheUpgrade() async throws {
        let begin = self.clock.date
        var counts: [Installation.LaunchCounts?] = []
        for version in ["1", "1", "2", "2"] {
            try await self.launch(version: version) { _, app in counts.append(try app.launches()) }
            self.clock.advance(by: .seconds(3600))
        }
        #expect(counts.map { $0?.total } == [1, 2, 3, 4])
        #expect(counts.map { $0?.sinceUpgrade } == [1, 2, 1, 2])
        #expect(counts.allSatisfy { $0?.first == begin })
        #expect(counts.map { $0?.upgrade?.timeIntervalSince(begin) } == [nil, nil, 7200, 7200])
        #expect(counts.map { $0?.last.timeIntervalSince(begin) } == [0, 3600, 7200, 10_800])
        try await self.launch(mode: .server) { _, app in
            let none = try app.launches()
            #expect(none == nil)
        }
    }

    @Test(arguments: [("2", "1"), ("1", "2")])
    func anotherVersionOrBuildIsAnUpgrade(version: String, build: String) async throws {
        try await self.launch()
        try await self.launch(version: version, build: build)
        try await self.launch(version: version, build: build)
        let launches = self.told().filter { $0.hasPrefix("initialized") }
        #expect(
            launches == [
                "initialized is_first_run successfully_closed shop://launch",
                "initialized is_upgrade successfully_closed shop://launch",
                "initialized successfully_closed shop://launch",
            ]
        )
    }

    @Test(arguments: [
        (SignetConfiguration.Sessions.InstallType.knownInstall, "is_first_run "), (.knownUpgrade, "is_upgrade "),
        (.knownSameVersion, ""),
    ])
    func whatTheAppKnowsOfItsInstallWins(type: SignetConfiguration.Sessions.InstallType, flags: String) async throws {
        try await self.launch(installType: type)
        #expect(self.told().prefix(2) == ["first_run", "initialized \(flags)successfully_closed shop://launch"])
    }

    @Test(arguments: [
        (SignetConfiguration.Sessions.InstallType.knownInstall, "is_first_run "), (.knownUpgrade, "is_upgrade "),
        (.knownSameVersion, ""),
    ])
    func theTypeOfAnOpenWinsOverTheConfiguredOne(
        type: SignetConfiguration.Sessions.InstallType,
        flags: String
    ) async throws {
        let configured: SignetConfiguration.Sessions.InstallType =
            type == .knownUpgrade ? .knownInstall : .knownUpgrade
        try await self.launch(installType: configured, atOpen: type)
        #expect(self.told().prefix(2) == ["first_run", "initialized \(flags)successfully_closed shop://launch"])
    }

    @Test func theTypeOfAnOpenIsOfItsLaunchAndItsInstallationAlone() async throws {
        try await self.launch(atOpen: .knownUpgrade) { signet, app in
            // No launch: the app is open already.
            _ = try await signet.runtime.open("app", installType: .knownInstall)
            let other = try await signet.runtime.open("other")
            _ = try await other.initialIdentifyResult()
        }
        try await self.launch()
        let kinds = self.told().filter { $0.hasPrefix("initialized") }.sorted()
        #expect(
            kinds == [
                "initialized is_first_run successfully_closed",
                "initialized is_upgrade successfully_closed shop://launch",
                "initialized successfully_closed shop://launch",
            ]
        )
    }

    @Test func aKillInTheForegroundIsNotASuccessfulCloseAndOneInTheBackgroundIs() async throws {
        for isInBackground in [false, true] {
            try await self.launch { signet, app in
                if isInBackground { try app.enterBackground() }
                try await signet.runtime.upload()
                signet.runtime.evict("app")
            }
            try await self.launch { signet, _ in signet.runtime.evict("app") }
        }
        let launches = self.told().filter { $0.hasPrefix("initialized") }.dropFirst()
        #expect(
            Array(launches) == [
                // After the first kill, in the foreground; after its successor's; after the one in the background.
                "initialized shop://launch", "initialized shop://launch",
                "initialized successfully_closed shop://launch",
            ]
        )
    }

    @Test func aKillAfterTheAppCameBackIsNotASuccessfulClose() async throws {
        try await self.launch { signet, app in
            try app.enterBackground()
            try app.enterForeground()
            try await signet.runtime.upload()
            signet.runtime.evict("app")
        }
        try await self.launch()
        #expect(self.told().last { $0.hasPrefix("initialized") } == "initialized shop://launch")
    }

    @Test func aShutdownThatNobodyRanIsAnOrderlyEndToo() async throws {
        let signet = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock) {
            $0.sessions.mode = .application
            $0.application = ApplicationInformation(name: "Shop", version: "1", build: "1")
        }
        _ = try await signet.runtime.open("app")
        await signet.runtime.shutdown()
        try await self.launch()
        #expect(
            self.told() == [
                "first_run", "initialized is_first_run successfully_closed", "exit",
                "initialized successfully_closed shop://launch", "exit",
            ]
        )
    }

    @Test func foregroundAndBackgroundAreToldWhenTheyChange() async throws {
        try await self.launch { _, app in
            try app.enterForeground()
            try app.enterForeground()
            try app.enterBackground()
            try app.enterBackground()
            try app.enterForeground(launchReferral: "shop://deal")
        }
        #expect(self.told().dropFirst(2) == ["foreground", "background", "foreground shop://deal", "exit"])
    }

    @Test func aServerTellsNothingUnlessItIsAskedTo() async throws {
        try await self.launch(mode: .server) { _, app in
            try app.enterBackground()
            try app.enterForeground()
            app.endLaunch()
        }
        #expect(self.told() == [])
        try await self.launch(mode: .server, tells: true)
        #expect(self.told().map { $0.prefix(5) } == ["first", "initi", "exit"])
    }

    @Test func whoHasOptedOutLaunchesUnseen() async throws {
        try await self.launch { _, app in try await app.setOptedOut(true) }
        let before = self.told().count
        let signet = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock) {
            $0.sessions.mode = .application
        }
        try await signet.run { _ = try await $0.runtime.open("app", identify: .none) }
        #expect(self.told().count == before)
    }

    @Test func theAppAndTheDeviceAreThoseOfTheSessionsBegin() async throws {
        var device = DeviceInformation()
        device.model = "M"
        // Left open by the first version; its end is told by the second.
        var bodies = try await self.launch(device: device) { _, app in try app.log(.custom("old")) }
        bodies += try await self.launch(version: "2") { _, app in try app.log(.custom("new")) }
        var versions: [String: String?] = [:]
        for body in bodies {
            let body = try JSONReader.read(body)
            let version = body["application_info"]?["application_version"]?.string
            #expect(body["device_info"]?["device_model"]?.string == (version == "1" ? "M" : nil))
            for event in body["events"]?.array ?? [] {
                let name = event["data"]?["event_name"]?.string ?? event["event_type"]?.string ?? ""
                if ["old", "new", "session_end"].contains(name) { versions[name] = version }
            }
        }
        #expect(versions == ["old": "1", "session_end": "1", "new": "2"])
    }
}
