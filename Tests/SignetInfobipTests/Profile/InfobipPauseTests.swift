// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Who ends a pause, and whom it holds.
@Suite(.watched) struct InfobipPauseTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    /// Facts 9, row 59, and what HTTP says of `Retry-After`: it counts for those who wait already, too.
    @Test func row59APauseThatTheServiceAsksForHoldsWhoWaitsAlready() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            let gate = EmulatorGate()
            world.emulator.faults.inject(.held(gate), on: .fetchInstallation)
            async let first = code { try await profile.fetchInstallation() }
            await gate.arrived()
            world.emulator.faults.inject(.status(429, retryAfter: .seconds(30)), on: .personalize)
            async let second = code { try await profile.personalize(Self.ann) }
            async let third = code { try await profile.fetchUser() }
            async let fourth = profile.save { $0.firstName = .set("A") }
            let manager = try profile.manager()
            await until("three calls wait behind the first") {
                let machine = await manager.machine
                return machine.callers.waiting.count >= 3
            }
            gate.open()
            let found = await (first, second, third)
            #expect(found == (nil, .throttled, .throttled))
            let outcome = try await fourth
            #expect(outcome == .pending)
            #expect(world.routes.last == .fetchInstallation)
            let count = world.requests.count
            try await profile.submit(InfobipEvent("e"), .queued)
            #expect(try await profile.depersonalize() == .pending)
            #expect(profile.isDepersonalizationPending)
            try await profile.setActive(true)
            try await profile.retry()
            world.clock.advance(by: .seconds(29))
            try await profile.waitUntilIdle()
            #expect(world.requests.count == count)
            world.clock.advance(by: .seconds(1))
            try await profile.waitUntilIdle()
            #expect(!profile.isDepersonalizationPending)
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "A")
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
            #expect(world.infobip.events().map(\.definitionID) == ["e"])
            try await profile.setActive(false)
        }
    }

    /// Who waits for a registration waits through a pause that the service asks for.
    @Test func aRegistrationIsAwaitedThroughAPauseThatTheServiceAsksFor() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            world.emulator.faults.inject(.status(503, retryAfter: .seconds(60)), on: .createInstallation)
            try await it.infobip.setPushToken("AA")
            async let id = it.infobip.registration()
            try await world.settle(it)
            #expect(try await id == world.infobip.installations().first?.id)
            #expect(world.infobip.requests(on: .createInstallation).count == 1)
            #expect(world.clock.now.offset >= .seconds(60))
        }
    }

    /// Facts 9, row 47; 4.4: the foreground is a reason to try again.
    @Test func row47TheForegroundTriesAgain() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            world.emulator.faults.injectAlways(.status(503))
            for index in 0..<4 {
                #expect(try await profile.save { $0.firstName = .set("\(index)") } == .pending)
            }
            try await profile.waitUntilIdle()
            world.emulator.faults.clear()
            try await profile.setActive(true)
            try await profile.waitUntilIdle()
            #expect(!profile.hasPendingChanges)
            #expect(world.infobip.person(of: id)?.firstName == "3")
            try await profile.setActive(false)
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await profile.depersonalize() == .pending)
            try await profile.waitUntilIdle()
            world.emulator.faults.clear()
            try await profile.setActive(true)
            try await profile.waitUntilIdle()
            #expect(!profile.isDepersonalizationPending)
            try await profile.setActive(false)
        }
    }

    /// The same before there is a registration.
    @Test func row47TheForegroundRegistersAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            world.emulator.faults.injectAlways(.connectionRefused)
            try await it.infobip.setPushToken("AA")
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.clear()
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.installation.pushRegistrationID != nil)
            try await it.infobip.setActive(false)
        }
    }
}
