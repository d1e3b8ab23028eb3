// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What an app does with its profile, for a process that dies at each call of the disk, and for the one that comes after it.
struct InfobipKillScript: Sendable {
    typealias Step = @Sendable (InfobipWorld, Installation, Killer?) async throws -> Void

    /// Lets what is under way come to its end, or to that of the process.
    static let settle: Step = { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } }

    /// In order; each may be done again.
    let steps: [Step]
    var configure: @Sendable (inout ServiceSettings) -> Void = { _ in }
    /// What the app that has lived on must see; the text says at which call it died.
    let checkApp: @Sendable (Installation, Comment) throws -> Void
    /// What the platform must have then.
    let checkPlatform: @Sendable (InfobipWorld, Comment) throws -> Void

    /// Dies at each call.
    func run() async throws {
        let calls = try await self.dieAndLiveAgain(at: .max)
        #expect(calls > 30)
        for call in TestScale.steps(calls, every: 11) { _ = try await self.dieAndLiveAgain(at: call) }
        try await self.dieAndLeave(within: calls)
        print("killed at \(calls) calls")
    }

    /// Lives until a call of the disk.
    ///
    /// - Returns: What the process has left, and the number of the steps that it has done.
    private func die(at call: Int, in world: InfobipWorld) async throws -> (Killer, done: Int) {
        let killer = try Killer(of: world.folder.path, at: call, world.emulator)
        var done = 0
        try await world.live(configure: {
            self.configure(&$0)
            $0.disk = killer.disk
        }) { _, it in
            for step in self.steps {
                do {
                    try await step(world, it, killer)
                } catch {
                    // Nobody answers the dead.
                    guard killer.isDead else { throw error }
                }
                if killer.isDead { break }
                done += 1
            }
        }
        #expect(killer.failure == nil)
        world.emulator.faults.clear()
        return (killer, done)
    }

    /// - Returns: How many calls of the disk there were.
    private func dieAndLiveAgain(at call: Int) async throws -> Int {
        let world = try InfobipWorld()
        let (killer, done) = try await self.die(at: call, in: world)
        guard killer.isDead else { return killer.calls }
        let comment: Comment = "call \(call)"
        try await world.live(in: killer.image.path + "/life", configure: self.configure) { _, it in
            try await world.settle(it)
            for step in self.steps[done...] { try await step(world, it, nil) }
            #expect(!it.infobip.hasPendingChanges, comment)
            try self.checkApp(it, comment)
        }
        try self.checkPlatform(world, comment)
        return killer.calls
    }

    /// Dies at some calls, and the person never returns: a day later nothing is owed.
    private func dieAndLeave(within calls: Int) async throws {
        var infobip = InfobipConfiguration(applicationCode: "emulated-application")
        infobip.system.os = "Linux"
        let services = [InfobipService(infobip)]
        var owing = 0
        for call in stride(from: 0, to: calls, by: TestScale.count(quick: 11, full: 3)) {
            let world = try InfobipWorld()
            let (killer, _) = try await self.die(at: call, in: world)
            let path = killer.image.path + "/life"
            // Its first calls make the folders.
            guard FileManager.default.fileExists(atPath: path + "/journal") else { continue }
            if try owedWork(directory: path, services: services).contains(where: { $0.kind == .service }) { owing += 1 }
            let owed = try await world.start(in: path, configure: self.configure)
                .owedAfterADay(in: path, services: services)
            #expect(owed.isEmpty, "call \(call): \(owed)")
            withExtendedLifetime(killer) {}
        }
        #expect(owing > 0)
    }
}
