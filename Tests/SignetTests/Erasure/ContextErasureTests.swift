// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Where somebody is, and what identities their device has, goes with them.
@Suite(.watched) struct ContextErasureTests {
    private let scene: ContextScene
    private static let advertisingID = "6D92078A-8246-4BA4-AE5B-76104861E7DC"

    init() throws {
        self.scene = try ContextScene()
    }

    /// The files that have an address of the visitor, or the advertising id, and which.
    private func traces(in path: String? = nil, of numbers: [Int] = [1, 2]) throws -> [String] {
        let needles = numbers.map { "198.51.100.\($0)" } + [Self.advertisingID]
        let root = path ?? self.scene.folder.path
        return try FileManager.default.subpathsOfDirectory(atPath: root).sorted().flatMap { name -> [String] in
            guard let file = FileManager.default.contents(atPath: "\(root)/\(name)") else { return [] }
            return needles.filter { file.range(of: Data($0.utf8)) != nil }.map { "\(name): \($0)" }
        }
    }

    /// Somebody whose events wait under two contexts, the first of them logged when nobody was known.
    private func play(_ signet: EmulatedSignet, with other: Bool = false) async throws -> MPID {
        let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
        try visitor.log(.custom("of nobody"))
        self.scene.platform.faults.injectAlways(.connectionRefused, on: .events)
        let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
        try await visitor.setDeviceIdentity(Self.advertisingID, for: .iosAdvertiserID)
        try visitor.log(.custom("waits"))
        try visitor.setContext(ContextScene.context(2))
        try visitor.log(.custom("waits, too"))
        await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
        if other {
            let friend = try await signet.runtime.open("w", identify: .none, context: ContextScene.context(2))
            _ = try await friend.login([.customerID: "c-2"])
            try friend.log(.custom("of a friend"))
        }
        return mpid
    }

    @Test(arguments: [false, true])
    func noByteOfItIsLeft(isOpen: Bool) async throws {
        let mpid = try await self.scene.process().run { try await self.play($0) }
        #expect(try self.traces().count >= 3)
        try await self.scene.process().run { signet in
            let visitor = isOpen ? try await signet.runtime.open("v", identify: .none) : nil
            try await signet.runtime.eraseUser(mpid)
            #expect(try self.traces() == [])
            self.scene.platform.faults.clear()
            let reopened = try await signet.runtime.open("v", identify: .none)
            let later = visitor ?? reopened
            try later.log(.custom("later"))
            _ = try await later.login([.customerID: "c-3"])
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
        }
        // The browser says nothing of who it was.
        #expect(self.scene.origins["later"] == [.init(ip: nil, device: "Browser 2", version: "1")])
        #expect(self.scene.origins["waits"] == nil)
    }

    @Test func whoIsAtTheSameAddressKeepsIt() async throws {
        try await self.scene.process().run { signet in
            let mpid = try await self.play(signet, with: true)
            try await signet.runtime.eraseUser(mpid)
            #expect(try self.traces(of: [1]) == [])
            self.scene.platform.faults.clear()
            await signet.runtime.resumeUploads()
            try await signet.runtime.open("w", identify: .none).log(.custom("later"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["of a friend"] == [.visitor(2)])
        #expect(self.scene.origins["later"] == [.visitor(2)])
    }

    @Test(arguments: [false, true])
    func whoIsInFrontOfTheInstallationNowKeepsIt(isOpen: Bool) async throws {
        let mpid = try await self.scene.process().run { signet in
            let mpid = try await self.play(signet)
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(3))
            _ = try await visitor.login([.customerID: "c-3"])
            return mpid
        }
        self.scene.platform.faults.clear()
        try await self.scene.process().run { signet in
            let visitor = isOpen ? try await signet.runtime.open("v", identify: .none) : nil
            try await signet.runtime.eraseUser(mpid)
            let leftovers = try self.traces().filter { !$0.hasSuffix(Self.advertisingID) }
            #expect(leftovers == [])
            let reopened = try await signet.runtime.open("v", identify: .none)
            try (visitor ?? reopened).log(.custom("later"))
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["later"] == [.visitor(3)])
        let device = self.scene.platform.batches().last?.json["device_info"]
        #expect(device?["ios_advertising_id"]?.string == Self.advertisingID)
    }

    @Test(arguments: [false, true])
    func afterAKillAtAnyStepTheNextStartFinishesIt(isOpen: Bool) async throws {
        let mpid = try await self.scene.process().run { try await self.play($0, with: true) }
        let images = try KillImages(of: self.scene.folder.path)
        let signet = try self.scene.process { images.watch(&$0) }
        let visitor = isOpen ? try await signet.runtime.open("v", identify: .none) : nil
        images.begin()
        try await signet.runtime.eraseUser(mpid)
        let steps = images.end()
        withExtendedLifetime(visitor) {}
        var erased = 0
        for step in TestScale.steps(steps, every: 5) {
            let image = images.path(step)
            let scene = try ContextScene()
            try await scene.process(in: image).run { signet in
                await signet.takeIn()
                await signet.runtime.resumeUploads()
                try await signet.runtime.upload()
                guard try await signet.runtime.open("v", identify: .none).currentUser == nil else { return }
                erased += 1
                #expect(try self.traces(in: image, of: [1]) == [], "step \(step)")
            }
            #expect(scene.origins["of a friend"] == [.visitor(2)], "step \(step)")
        }
        #expect(erased > 3)
    }
}
