// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// Facts that the platform lacks are sent by whichever replica looks at the row, without a call of the app.
@Suite(.watched) struct FleetFactsDueTests {
    private let fleet: DueFleet

    init() throws {
        self.fleet = try DueFleet(replicas: 2)
    }

    private func hour(_ signet: EmulatedSignet) async {
        await signet.pass(.seconds(3600), in: 180)
    }

    /// A visitor logs in and sets a push token that the platform does not get.
    private func setToken(_ signet: EmulatedSignet) async throws {
        self.fleet.emulator.faults.injectAlways(.status(503), on: .modify)
        let visitor = try await signet.runtime.open("visitor", identify: .none)
        try await visitor.login([.customerID: "c-1"])
        try await visitor.setDeviceIdentity("token-1", for: .pushToken)
        await signet.pass(.seconds(3), in: 3)
        #expect(!self.fleet.platformKnows("token-1", .pushToken))
        #expect(self.fleet.owedByRows.contains { $0.kind == .facts })
    }

    /// The second one is another replica.
    @Test(arguments: [(DueWorld.End.kill, 0), (.shutdown, 0), (.kill, 1), (.shutdown, 1)])
    func aPushTokenReachesThePlatformAfterARestart(_ end: DueWorld.End, _ next: Int) async throws {
        try await self.fleet.live(endingWith: end) { signet, _ in try await self.setToken(signet) }
        self.fleet.emulator.faults.clear()
        try await self.fleet.live(on: next) { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.platformKnows("token-1", .pushToken))
            #expect(signet.transport.exchanges.count { $0.endpoint == "modify" } == 1)
            #expect(self.fleet.owedByRows.isEmpty)
        }
    }

    /// A lane in a long pause has not forgotten the installation when the platform is back.
    @Test func aPushTokenOutlastsAnOutage() async throws {
        try await self.fleet.live(endingWith: .kill) { signet, _ in try await self.setToken(signet) }
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            // 5, 15, 60, 120 and then 300 s.
            #expect((5...20).contains(signet.transport.exchanges.count { $0.endpoint == "modify" }))
            self.fleet.emulator.faults.clear()
            await signet.pass(.seconds(660), in: 66)
            #expect(self.fleet.platformKnows("token-1", .pushToken))
        }
    }

    @Test func whileOptedOutNoPushTokenIsSentAndTheOptInSendsIt() async throws {
        try await self.fleet.live(endingWith: .kill) { signet, _ in
            try await self.setToken(signet)
            try await signet.runtime.open("visitor", identify: .none).setOptedOut(true)
        }
        self.fleet.emulator.faults.clear()
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(!self.fleet.platformKnows("token-1", .pushToken))
            #expect(self.fleet.owedByRows.isEmpty)
            try await signet.runtime.open("visitor", identify: .none).setOptedOut(false)
            await self.hour(signet)
            #expect(self.fleet.platformKnows("token-1", .pushToken))
        }
    }

    // MARK: - Imported directories

    @Test func unsentFactsOfAnImportedDirectoryAreSent() async throws {
        let folder = self.fleet.folders[0]
        let old = try EmulatedSignet(in: folder.path, platform: self.fleet.emulator, clock: self.fleet.clock)
        var image: TemporaryFolder?
        var mpid: MPID?
        try await old.run { old in
            let visitor = try await old.runtime.open("visitor", identify: .none)
            mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            self.fleet.emulator.faults.injectAlways(.status(503))
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try await visitor.setDeviceIdentity("token-1", for: .pushToken)
            await old.rest()
            image = try TemporaryFolder(copying: folder)
        }
        self.fleet.emulator.faults.clear()
        let source = try DirectoryImport(directory: try #require(image).path)
        #expect(try await source.run(into: MemorySharedStore(self.fleet.engine)).made == 1)
        source.close()
        let user = try #require(mpid)
        #expect(self.fleet.emulator.user(user)?.consent?.gdpr["ads"] == nil)
        try await self.fleet.live(on: 1) { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.emulator.user(user)?.consent?.gdpr["ads"]?.isGiven == false)
            #expect(self.fleet.platformKnows("token-1", .pushToken))
            #expect(self.fleet.owedByRows.isEmpty)
        }
    }

    // MARK: - What batches carry

    @Test func aConsentThatAShutdownSendsIsNotSentAgain() async throws {
        let user = try await self.fleet.live { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            let user = try await visitor.login([.customerID: "c-1"]).user
            await signet.pass(.seconds(60), in: 60)
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try visitor.log(.custom("page"))
            return user
        }
        #expect(self.fleet.emulator.user(user.mpid)?.consent?.gdpr["ads"]?.isGiven == false)
        #expect(self.fleet.owedByRows.isEmpty)
        try await self.fleet.live(on: 1) { signet, _ in
            await self.hour(signet)
            // The session has ended since.
            let batches = signet.transport.exchanges.filter { $0.endpoint == "events" }
            #expect(batches.count == 1)
            #expect(batches.allSatisfy { String(decoding: $0.request.body, as: UTF8.self).contains("session_end") })
        }
    }

    /// An opt-out undoes the batch that was to report it, and the process dies before the row has it again.
    @Test(arguments: DueWorld.End.allCases)
    func anUnsentRemovalOfAnAttributeOutlastsAKill(_ end: DueWorld.End) async throws {
        let user = try await self.fleet.live(endingWith: end) { signet, store in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            let user = try await visitor.login([.customerID: "c-1"]).user
            try await visitor.setAttribute("gold", for: "tier")
            await signet.pass(.seconds(1200), in: 120)
            #expect(self.fleet.emulator.user(user.mpid)?.attributes["tier"] == "gold")
            self.fleet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            try await visitor.removeAttribute("tier")
            await signet.pass(.seconds(900), in: 90)
            try await self.fleet.live(on: 1) { other, _ in
                try await other.runtime.open("visitor", identify: .none).setOptedOut(true)
            }
            store.injectAlways(.unreachable, on: .commit)
            self.fleet.emulator.faults.clear()
            await signet.pass(.seconds(900), in: 90)
            #expect(signet.runtime.statistics.eventsWaiting == 0)
            return user
        }
        #expect(self.fleet.emulator.user(user.mpid)?.attributes["tier"] == "gold")
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("page"))
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
            #expect(self.fleet.emulator.user(user.mpid)?.attributes["tier"] == nil)
        }
        #expect(try owedWork(directory: self.fleet.folders[0].path).isEmpty)
    }
}
