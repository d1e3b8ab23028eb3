// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Saves that wait for nobody, and callers who wait no longer.
@Suite(.watched) struct InfobipKeepingTests {
    /// Facts 9, row 30.
    @Test func row30WhatIsPersistedWaitsForNobodyAndArrives() async throws {
        let world = try InfobipWorld()
        var (changes, own) = (InfobipUserChanges(), InfobipInstallationChanges())
        changes.firstName = .set("A")
        own.applicationUserID = .set("u")
        // Nobody runs it.
        let signet = try world.start()
        let it = try await signet.runtime.open("p", identify: .none)
        try await it.infobip.setPushToken("AA")
        let begin = world.clock.now
        #expect(try await it.infobip.persistUser(changes) == .pending)
        #expect(try await it.infobip.persistInstallation(own) == .pending)
        #expect(world.clock.now == begin)
        #expect(it.infobip.user.firstName == "A")
        await signet.runtime.shutdown()
        try await world.live { _, it in
            #expect(it.infobip.user.firstName == "A")
            #expect(it.infobip.installation.applicationUserID == "u")
            try await it.infobip.waitUntilIdle()
            let id = try await it.infobip.registration()
            #expect(world.infobip.person(of: id)?.firstName == "A")
            #expect(world.infobip.installation(id)?.applicationUserID == "u")
            // Where somebody runs it, it is sent without being asked for; what changes nothing is not.
            changes.firstName = .set("B")
            #expect(try await it.infobip.persistUser(changes) == .pending)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.person(of: id)?.firstName == "B")
            let count = world.requests.count
            #expect(try await it.infobip.persistUser(changes) == .done)
            #expect(try await it.infobip.persistInstallation(own) == .done)
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.count == count)
            // What is refused is told.
            let told = try it.infobip.changes
            let no = FaultInjector.Fault.refused(status: 400, code: "9", message: "no")
            world.emulator.faults.inject(no, on: .updatePerson)
            changes.firstName = .set("C")
            #expect(try await it.infobip.persistUser(changes) == .pending)
            for await change in told {
                guard case .failed(let error) = change.kind else { continue }
                #expect(error.code == .rejected)
                break
            }
            #expect(it.infobip.user.firstName == "B")
        }
    }

    @Test func row30WhatCannotBeSavedCannotBePersisted() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            var (long, short) = (InfobipUserChanges(), InfobipUserChanges())
            long.firstName = .set(String(repeating: "x", count: 256))
            short.firstName = .set("A")
            let (first, second) = (long, short)
            #expect(await code { try await profile.persistUser(first) } == .invalidArgument)
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            let outcome = try await profile.depersonalize()
            #expect(outcome == .pending)
            // It is for whoever comes next.
            #expect(try await profile.persistUser(second) == .pending)
            #expect(profile.user.firstName == "A")
        }
    }

    /// What was begun goes on, once.
    @Test(arguments: [false, true]) func whoIsCancelledIsToldSoAndTheEditArrivesOnce(isUnderWay: Bool) async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            let manager = try profile.manager()
            let gate = EmulatorGate()
            let held: EmulatorRoute = isUnderWay ? .updatePerson : .fetchInstallation
            world.emulator.faults.inject(.replyHeld(gate), on: held)
            async let first = isUnderWay ? nil : code { try await profile.fetchInstallation() }
            if !isUnderWay { await gate.arrived() }
            let found = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask { await code { try await profile.save { $0.firstName = .set("A") } } }
                if isUnderWay { await gate.arrived() }
                group.addTask { await code { try await profile.fetchUser() } }
                await Self.wait(manager) { $0.callers.waiting.count == (isUnderWay ? 2 : 3) }
                group.cancelAll()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found == [.cancelled, .cancelled])
            gate.open()
            let failure = await first
            #expect(failure == nil)
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(of: id)?.firstName == "A")
            #expect(world.infobip.requests(on: .updatePerson).count == 1)
            #expect(!profile.hasPendingChanges)
            #expect(profile.user.firstName == "A")
        }
    }

    /// A fetch is of its caller alone: it is not sent once nobody waits for it.
    @Test func aCancelledFetchThatWaitsForItsTurnIsNotSent() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let manager = try profile.manager()
            let gate = EmulatorGate()
            world.emulator.faults.inject(.replyHeld(gate), on: .fetchInstallation)
            async let first = code { try await profile.fetchInstallation() }
            await gate.arrived()
            let task = Task { await code { try await profile.fetchUser() } }
            await Self.wait(manager) { $0.callers.waiting.count == 2 }
            task.cancel()
            #expect(await task.value == .cancelled)
            gate.open()
            #expect(await first == nil)
            try await profile.waitUntilIdle()
            #expect(world.infobip.requests(on: .fetchPerson).isEmpty)
            // The next caller's own is.
            _ = try await profile.fetchUser()
            #expect(world.infobip.requests(on: .fetchPerson).count == 1)
        }
    }

    /// Nobody runs it, and nobody waits any more: what was to be saved is kept, and what was to be asked is not.
    @Test func whoIsCancelledBeforeAnythingRunsLeavesOnlyTheEdit() async throws {
        let world = try InfobipWorld()
        let signet = try world.start()
        let profile = try await signet.runtime.open("p", identify: .none).infobip
        try await profile.setPushToken("AA")
        let manager = try profile.manager()
        let found = await withTaskGroup(of: SignetError.Code?.self) { group in
            group.addTask { await code { try await profile.save { $0.firstName = .set("A") } } }
            group.addTask { await code { try await profile.fetchUser() } }
            await Self.wait(manager) { $0.callers.waiting.count == 2 }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found == [.cancelled, .cancelled])
        try await signet.run { _ in
            try await profile.waitUntilIdle()
            #expect(world.routes == [.createInstallation, .updatePerson])
            #expect(world.infobip.people().map(\.firstName) == ["A"])
        }
    }

    private static func wait(
        _ manager: InfobipManager,
        until isSo: (InfobipStateMachine) -> Bool
    ) async {
        await until("a state of the profile that the test looks for") { isSo(await manager.machine) }
    }
}
