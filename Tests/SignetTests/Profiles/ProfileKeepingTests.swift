//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Saves that wait for nobody, and callers who wait no longer.
@Suite(.watched) struct ProfileKeepingTests {
    /// Facts 9, row 30.
    @Test func row30WhatIsPersistedWaitsForNobodyAndArrives() async throws {
        let world = try ProfileWorld()
        var (changes, own) = (UserProfileChanges(), InstallationProfileChanges())
        changes.firstName = .set("A")
        own.applicationUserID = .set("u")
        // Nobody runs it.
        let signet = try world.start()
        let it = try signet.runtime.open("p", identify: .none)
        try await it.profile.setPushToken("AA")
        let begin = world.clock.now
        #expect(try await it.profile.persistUser(changes) == .pending)
        #expect(try await it.profile.persistInstallation(own) == .pending)
        #expect(world.clock.now == begin)
        #expect(it.profile.user.firstName == "A")
        await signet.runtime.shutdown()
        try await world.live { _, it in
            #expect(it.profile.user.firstName == "A")
            #expect(it.profile.installation.applicationUserID == "u")
            try await it.profile.settled()
            let id = try await it.profile.registration()
            #expect(world.people.person(of: id)?.firstName == "A")
            #expect(world.people.installation(id)?.applicationUserID == "u")
            // Where somebody runs it, it is sent without being asked for; what changes nothing is not.
            changes.firstName = .set("B")
            #expect(try await it.profile.persistUser(changes) == .pending)
            try await it.profile.settled()
            #expect(world.people.person(of: id)?.firstName == "B")
            let count = world.requests.count
            #expect(try await it.profile.persistUser(changes) == .done)
            #expect(try await it.profile.persistInstallation(own) == .done)
            try await it.profile.settled()
            #expect(world.requests.count == count)
            // What is refused is told.
            let told = it.profile.changes
            world.emulator.weather.next(on: .updatePerson, .status(400))
            changes.firstName = .set("C")
            #expect(try await it.profile.persistUser(changes) == .pending)
            for await change in told {
                guard case .failed(let error) = change.kind else { continue }
                #expect(error.code == .refused)
                break
            }
            #expect(it.profile.user.firstName == "B")
        }
    }

    @Test func row30WhatCannotBeSavedCannotBePersisted() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            var (long, short) = (UserProfileChanges(), UserProfileChanges())
            long.firstName = .set(String(repeating: "x", count: 256))
            short.firstName = .set("A")
            let (first, second) = (long, short)
            #expect(await code { try await profile.persistUser(first) } == .invalidArgument)
            world.emulator.weather.always(on: .depersonalize, .status(503))
            let outcome = try await profile.depersonalize()
            #expect(outcome == .pending)
            #expect(await code { try await profile.persistUser(second) } == .depersonalizationPending)
            #expect(profile.user == UserProfile())
        }
    }

    /// What was begun goes on, once.
    @Test(arguments: [false, true]) func whoIsCancelledIsToldSoAndTheEditArrivesOnce(isUnderWay: Bool) async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            let manager = try profile.manager()
            let gate = EmulatorGate()
            let held: EmulatorRoute = isUnderWay ? .updatePerson : .fetchInstallation
            world.emulator.weather.next(on: held, .replyHeld(gate))
            async let first = isUnderWay ? nil : code { try await profile.fetchInstallation() }
            if !isUnderWay { await gate.arrived() }
            let found = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask { await code { try await profile.save { $0.firstName = .set("A") } } }
                if isUnderWay { await gate.arrived() }
                group.addTask { await code { try await profile.fetchUser() } }
                await Self.wait(manager) { !$0.userTickets.isEmpty && $0.queue.contains { $0.call == .fetchUser } }
                group.cancelAll()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found == [.cancelled, .cancelled])
            gate.open()
            let failure = await first
            #expect(failure == nil)
            try await profile.settled()
            #expect(world.people.person(of: id)?.firstName == "A")
            #expect(world.people.requests(on: .updatePerson).count == 1)
            #expect(!profile.hasPendingChanges)
            #expect(profile.user.firstName == "A")
        }
    }

    /// Nobody runs it, and nobody waits any more: what was to be saved is kept, and what was to be asked is not.
    @Test func whoIsCancelledBeforeAnythingRunsLeavesOnlyTheEdit() async throws {
        let world = try ProfileWorld()
        let signet = try world.start()
        let profile = try signet.runtime.open("p", identify: .none).profile
        try await profile.setPushToken("AA")
        let manager = try profile.manager()
        let found = await withTaskGroup(of: SignetError.Code?.self) { group in
            group.addTask { await code { try await profile.save { $0.firstName = .set("A") } } }
            group.addTask { await code { try await profile.fetchUser() } }
            await Self.wait(manager) { !$0.userTickets.isEmpty && $0.queue.contains { $0.call == .fetchUser } }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found == [.cancelled, .cancelled])
        try await signet.run { _ in
            try await profile.settled()
            #expect(world.routes == [.createInstallation, .updatePerson])
            #expect(world.people.people().map(\.firstName) == ["A"])
        }
    }

    private static func wait(
        _ manager: ProfileManager,
        until isSo: (ProfileStateMachine) -> Bool
    ) async {
        await until("a state of the profile that the test looks for") { isSo(await manager.machine) }
    }
}
