// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTestSupport
import SignetTesting
import Testing

/// Each visitor has a device, an app and an address of their own, and the platform is told.
@Suite(.watched) struct InstallationContextTests {
    private let scene: ContextScene

    init() throws {
        self.scene = try ContextScene()
    }

    @Test func eachVisitorIsToldWithTheirOwn() async throws {
        try await self.scene.process().run { signet in
            for number in 1...3 {
                let context = number < 3 ? ContextScene.context(number) : nil
                let visitor = try await signet.runtime.open(
                    InstallationID("v\(number)"),
                    identify: .none,
                    context: context
                )
                _ = try await visitor.login([.customerID: "c-\(number)"])
                try visitor.log(.custom("e\(number)"))
            }
            try await signet.runtime.upload()
        }
        let origins = self.scene.origins
        #expect(origins["e1"] == [.visitor(1)])
        #expect(origins["e2"] == [.visitor(2)])
        #expect(origins["e3"] == [.server])
        #expect(origins["session_start"] == [.visitor(1), .visitor(2), .server])
        #expect(self.scene.platform.refusedBatches().isEmpty)
    }

    @Test func aChangeCutsTheBatchAndTheSameAgainDoesNot() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("a"))
            try visitor.setContext(ContextScene.context(2))
            try visitor.log(.custom("b"))
            // Each request of a visitor says it, most often the same.
            _ = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(2))
            try visitor.log(.custom("c"))
            _ = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            try visitor.log(.custom("d"))
            try visitor.setContext(nil)
            try visitor.log(.custom("e"))
            try await signet.runtime.upload()
        }
        let told = self.scene.told
        #expect(told.map(\.origin) == [.visitor(1), .visitor(2), .visitor(1), .server])
        #expect(told.map { $0.events.filter { $0.count == 1 } } == [["a"], ["b", "c"], ["d"], ["e"]])
        #expect(told.flatMap(\.events).count { $0 == "session_start" } == 1)
    }

    @Test func itIsStampedAtTheCallNotAtTheUpload() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            try visitor.log(.custom("of nobody"))
            try visitor.setContext(ContextScene.context(2))
            _ = try await visitor.login([.customerID: "c-1"])
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["of nobody"] == [.visitor(1)])
    }

    /// The second process has another version of the app, and the third opens it without saying anything.
    @Test func itOutlivesTheProcessAndASessionEndsUnderTheOneBefore() async throws {
        let image: TemporaryFolder = try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("first"))
            return try TemporaryFolder(copying: self.scene.folder)
        }
        try await self.scene.process(in: image.path, version: "2").run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(2))
            // The session goes on, under this process's configuration.
            try visitor.log(.custom("second"))
            try await visitor.endSession()
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["first"] == [.visitor(1)])
        #expect(self.scene.origins["second"] == [.visitor(2, version: "2")])
        try await self.scene.process(in: image.path, version: "3").run { signet in
            try await signet.runtime.open("v", identify: .none).log(.custom("third"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["third"] == [.visitor(2, version: "3")])
    }

    @Test func aSessionThatIsOverEndsUnderTheContextBefore() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            self.scene.clock.advance(by: .seconds(86_400))
            try visitor.setContext(ContextScene.context(2))
            try visitor.log(.custom("new"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["session_end"] == [.visitor(1)])
        #expect(self.scene.origins["session_start"] == [.visitor(1), .visitor(2)])
    }

    @Test func anAppOfItsOwnTakesThePlaceOfTheConfiguredOne() async throws {
        try await self.scene.process().run { signet in
            let context = InstallationContext(application: ApplicationInformation(name: "App", version: "9"))
            let visitor = try await signet.runtime.open("v", identify: .none, context: context)
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("e"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["e"] == [.init(ip: nil, device: "server", version: "9")])
    }

    /// Each app is upgraded by itself, whatever the configuration says.
    @Test func anUpgradeIsThatOfTheAppOfTheInstallation() async throws {
        var upgrades: [Bool] = []
        for version in ["8", "8", nil, "9"] {
            let process = try self.scene.process(version: "\(upgrades.count)") { $0.sessions.mode = .application }
            try await process.run { signet in
                let context = version.map { InstallationContext(application: ApplicationInformation(version: $0)) }
                let app = try await signet.runtime.open("app", context: context)
                upgrades.append(try app.launches()?.sinceUpgrade == 1)
                app.endLaunch()
            }
        }
        #expect(upgrades == [true, false, false, true])
    }

    @Test func whatCannotBeSentIsAnErrorAndChangesNothing() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            let bad = InstallationContext(userAgent: "a\u{0}")
            #expect(throws: SignetError.self) { try visitor.setContext(bad) }
            await #expect(throws: SignetError.self) {
                try await signet.runtime.open("v", identify: .none, context: bad)
            }
            try visitor.log(.custom("e"))
            visitor.endLaunch()
            let error = #expect(throws: SignetError.self) { try visitor.setContext(nil) }
            #expect(error?.code == .closed)
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["e"] == [.visitor(1)])
    }

    @Test func whoHasOptedOutComesBackWithTheLastOne() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            try await visitor.setOptedOut(true)
            try visitor.setContext(ContextScene.context(2))
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("e"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["e"] == [.visitor(2)])
    }

    // MARK: - Identities of the device

    @Test func identitiesOfTheDeviceAreInTheBatch() async throws {
        let idfv = "2B8A6A3E-0F0D-4B5B-8E0B-0C9F0A8B7C6D"
        let signet = try self.scene.process()
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            try await visitor.setDeviceIdentity(idfv, for: .iosVendorID)
            try await visitor.setDeviceIdentity("token", for: .pushToken)
            try await visitor.setDeviceIdentity("android", for: IdentityType(wireName: "android_uuid"))
            // The platform takes only UUIDs here, and would refuse the batch.
            try await visitor.setDeviceIdentity("no uuid", for: .iosAdvertiserID)
            try visitor.log(.custom("e"))
            try await signet.runtime.upload()
        }
        let device = try #require(self.scene.platform.batches().last?.json["device_info"])
        #expect(device["ios_idfv"]?.string == idfv)
        #expect(device["push_token"]?.string == "token")
        #expect(device["android_uuid"]?.string == "android")
        #expect(device["ios_advertising_id"] == nil)
        #expect(device["http_header_user_agent"]?.string == "Browser 1")
        #expect(self.scene.platform.refusedBatches().isEmpty)
    }
}
