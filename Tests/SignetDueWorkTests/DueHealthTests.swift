// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// What health and statistics say of due work.
@Suite(.watched) struct DueHealthTests {
    private let world: DueWorld

    init() throws {
        self.world = try DueWorld()
    }

    private func visit(_ count: Int, _ signet: EmulatedSignet, identify: IdentifyPolicy = .ifUnknown) async throws {
        for index in 0..<count {
            let visitor = try await signet.runtime.open(InstallationID("v\(index)"), identify: identify)
            try visitor.log(.custom("page \(index)"))
        }
        await signet.rest()
    }

    private func reasons(_ signet: EmulatedSignet) -> [String] {
        signet.runtime.health.reasons.map(\.name)
    }

    @Test(arguments: [401, 403, 400])
    func whileThePlatformRefusesEverybodyHealthSaysSo(status: Int) async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.status(status), on: .identify)
            try await self.visit(2, signet)
            #expect(!self.reasons(signet).contains("identity_refused"))
            try await self.visit(40, signet)
            #expect(self.reasons(signet).contains("identity_refused"))
            #expect(signet.runtime.statistics.identityRefusals.values.reduce(0, +) >= 40)
            #expect(signet.runtime.health.acceptsCalls)
            self.world.emulator.faults.clear()
            await signet.pass(by: .seconds(60), until: "all events are at the platform") {
                Set(self.world.names).count == 40
            }
            #expect(!self.reasons(signet).contains("identity_refused"))
        }
    }

    @Test func visitorsWhoOnlyOpenCountAsWell() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.status(401), on: .identify)
            for index in 0..<3 { _ = try await signet.runtime.open(InstallationID("v\(index)")) }
            await signet.rest()
            #expect(self.reasons(signet).contains("identity_refused"))
        }
    }

    @Test func duringAnOutageDueWorkIsOverdueAndAfterwardsItIsNot() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused)
            try await self.visit(5, signet)
            await signet.pass(.seconds(30), in: 6)
            #expect(!self.reasons(signet).contains("work_overdue"))
            await signet.pass(.seconds(90), in: 18)
            let overdue = signet.runtime.health.reasons.first { $0.name == "work_overdue" }
            #expect(overdue?.details.hasPrefix("identity, 5 installations") == true)
            self.world.emulator.faults.clear()
            await signet.pass(by: .seconds(10), until: "all events are at the platform") { self.world.names.count == 5 }
            await signet.rest()
            #expect(!self.reasons(signet).contains("work_overdue"))
        }
    }

    @Test func theOldestEventsSayWhatTheyWaitFor() async throws {
        try await self.world.live { signet in
            let known = try await signet.runtime.open("known")
            _ = try await known.initialIdentifyResult()
            self.world.emulator.faults.injectAlways(.connectionRefused)
            try known.log(.custom("waits for an upload"))
            #expect(Set(signet.runtime.statistics.oldestEventAges.keys) == ["upload"])
            await signet.pass(.seconds(120), in: 12)
            try await self.visit(1, signet, identify: .none)
            await signet.pass(.seconds(120), in: 12)
            _ = try await signet.runtime.open("unknown").log(.custom("waits for a user"))
            await signet.pass(.seconds(300), in: 30)
            let ages = signet.runtime.statistics.oldestEventAges
            #expect(ages["upload"].map { $0 >= .seconds(520) } == true)
            // A look is at most a minute old, its times are exact.
            #expect(ages["app"].map { (.seconds(420)..<(.seconds(440))).contains($0) } == true, "\(ages)")
            #expect(ages["user"].map { (.seconds(300)..<(.seconds(320))).contains($0) } == true, "\(ages)")
        }
    }
}
