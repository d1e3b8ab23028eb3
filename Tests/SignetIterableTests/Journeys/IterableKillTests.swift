// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// A process that dies at each call of the disk, and the one that comes after it.
@Suite struct IterableKillTests {
    /// How the app says who it is.
    enum Way: CaseIterable, Sendable {
        /// To the visitor.
        case identify
        /// To the installation, whose login the visitor follows.
        case login
    }

    private typealias Body = @Sendable (IterableWorld, Installation, Killer?) async throws -> Void

    /// What the app does; it knows which of its calls have returned.
    private static func steps(_ way: Way) -> [(name: String, body: Body)] {
        let settle: Body = { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } }
        let purchase: Body = { _, it, _ in
            try await it.iterable.purchase([IterableWorld.boots], total: 9.34, fields: ["n": "buy"])
        }
        let identify: Body = { _, it, _ in
            switch way {
            case .identify: try await it.iterable.identify(.email("ann@example.com"))
            case .login: try await it.login([.email: "ann@example.com"])
            }
        }
        return [
            ("", { _, it, _ in try await it.iterable.setTrackingConsent(true) }),
            ("view", { _, it, _ in try await it.iterable.track("view") }),
            ("boots", { _, it, _ in try await it.iterable.updateCart([IterableWorld.boots]) }),
            ("buy", purchase),
            ("", { _, it, _ in try await it.iterable.update(["plan": "gold"]) }),
            ("", { _, it, _ in try await it.iterable.setPushToken("0aff") }),
            ("", settle),
            ("signup", { _, it, _ in try await it.iterable.track("signup") }),
            ("early", { _, it, _ in try await it.iterable.track("early") }),
            ("", settle),
            ("unknown", { _, it, _ in try await it.iterable.track("unknown") }),
            ("", identify),
            ("mine", { _, it, _ in try await it.iterable.track("mine") }),
            ("", settle),
        ]
    }

    private static func name(_ event: EmulatedIterableEvent) -> String {
        switch event.kind {
        case .custom: event.name ?? ""
        case .cart: "boots"
        case .purchase: "buy"
        }
    }

    /// Lives until a call of the disk.
    ///
    /// - Returns: What the process has left, and the number of the steps that it has done.
    private static func die(_ way: Way, at call: Int, in world: IterableWorld) async throws -> (Killer, done: Int) {
        let killer = try Killer(of: world.folder.path, at: call, world.emulator)
        var done = 0
        try await world.live(configure: { $0.disk = killer.disk }) { _, installation in
            for step in Self.steps(way) {
                do {
                    try await step.body(world, installation, killer)
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
    private static func dieAndLiveAgain(_ way: Way, at call: Int) async throws -> Int {
        let steps = Self.steps(way)
        let world = try IterableWorld()
        let (killer, done) = try await Self.die(way, at: call, in: world)
        // Died at the end of its life, in order: nothing more was asked of it.
        guard killer.isDead else { return killer.calls }
        let interrupted = done < steps.count ? steps[done].name : ""
        try await world.live(in: killer.image.path + "/life") { _, installation in
            try await world.settle(installation)
            for step in steps[done...] { try await step.body(world, installation, nil) }
            try await world.settle(installation)
            #expect(installation.iterable.state == .known(.email("ann@example.com")), "call \(call)")
        }
        let events = world.iterable.events(of: .email("ann@example.com")).filter { !$0.isRepetition }
        let names = events.map(Self.name)
        let expected = steps.map(\.name).filter { !$0.isEmpty }
        for name in expected {
            let count = names.count { $0 == name }
            #expect(count == 1 || (count == 2 && name == interrupted), "call \(call): \(name) came \(count) times")
        }
        var firsts: [String] = []
        for name in names where !firsts.contains(name) { firsts.append(name) }
        #expect(firsts == expected, "call \(call), interrupted \(interrupted)")
        #expect(world.iterable.users().count == 1, "call \(call)")
        #expect(Set(world.iterable.activations().map(\.userID)).count <= 1, "call \(call)")
        #expect(world.iterable.merges().allSatisfy { $0.destination == .email("ann@example.com") }, "call \(call)")
        #expect(world.iterable.user(email: "ann@example.com")?.fields["plan"] == "gold", "call \(call)")
        return killer.calls
    }

    @Test(arguments: Way.allCases)
    func whereverAProcessDiesNothingIsLostAndNobodyIsMixedUp(_ way: Way) async throws {
        let calls = try await Self.dieAndLiveAgain(way, at: .max)
        #expect(calls > 40)
        for call in TestScale.steps(calls, every: 11) { _ = try await Self.dieAndLiveAgain(way, at: call) }
    }

    /// The visitor never returns.
    @Test(arguments: Way.allCases)
    func whereverAProcessDiesADayLaterNothingIsOwed(_ way: Way) async throws {
        var iterable = IterableConfiguration(apiKey: "emulated-project")
        iterable.isEnabled = true
        let services = [IterableService(iterable)]
        var owing = 0
        let calls = try await Self.dieAndLiveAgain(way, at: .max)
        for call in stride(from: 0, to: calls, by: TestScale.count(quick: 11, full: 3)) {
            let world = try IterableWorld()
            let (killer, _) = try await Self.die(way, at: call, in: world)
            let path = killer.image.path + "/life"
            // Its first calls make the folders.
            guard FileManager.default.fileExists(atPath: path + "/journal") else { continue }
            if try owedWork(directory: path, services: services).contains(where: { $0.kind == .service }) { owing += 1 }
            let signet = try world.start(in: path)
            let owed = try await signet.owedAfterADay(in: path, services: services)
            #expect(owed.isEmpty, "call \(call): \(owed)")
            withExtendedLifetime(killer) {}
        }
        #expect(owing > 0)
    }
}
