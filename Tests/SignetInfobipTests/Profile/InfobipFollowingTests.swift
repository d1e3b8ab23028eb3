// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Logins that profiles follow, as linked work.
@Suite struct InfobipFollowingTests {
    private static func link(_ configuration: inout ServiceSettings) {
        configuration.infobip?.followsLogin = true
    }

    private static func next(_ outcomes: inout Updates<IdentitySyncOutcome>.AsyncIterator) async -> String {
        guard let outcome = await outcomes.next(isolation: nil) else { return "end" }
        let kind =
            switch outcome.kind {
            case .done: "done"
            case .failed(let error): "failed \(error.code)"
            case .superseded: "superseded"
            }
        return "\(outcome.service) \(kind)"
    }

    @Test func aLoginPersonalizesAndALogoutDepersonalizes() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.identitySyncOutcomes().makeAsyncIterator()
            let id = try await it.infobip.register()
            try await it.infobip.save { $0.firstName = .set("Lead") }
            try await it.login([.customerID: "ann", .email: "ann@example.com"])
            #expect(await Self.next(&outcomes) == "infobip done")
            let ann = try #require(world.infobip.person(externalUserID: "ann"))
            #expect(ann.installations == [id])
            #expect(ann.emails == ["ann@example.com"])
            // The lead that nobody was named for is the person now.
            #expect(ann.firstName == "Lead")
            #expect(it.infobip.user.externalUserID == "ann")
            try await it.logout()
            #expect(await Self.next(&outcomes) == "infobip done")
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
            #expect(it.infobip.user == InfobipUser())
        }
    }

    @Test func whatWasSavedForOnePersonIsForNobodyElseWhoeverComesNext() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            try await it.infobip.register()
            try await it.login([.customerID: "ann"])
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("OfAnn") } == .pending)
            try await it.login([.customerID: "bob"])
            #expect(it.infobip.user.firstName == nil)
            #expect(try await it.infobip.save { $0.lastName = .set("x") } == .pending)
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(try await it.infobip.save { $0.lastName = .set("OfBob") } == .done)
        }
        #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        #expect(world.infobip.person(externalUserID: "bob")?.lastName == "OfBob")
        #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil)
    }

    @Test func aLoginIsFollowedByTheNextLife() async throws {
        for persists in [true, false] {
            let world = try InfobipWorld()
            func configure(_ configuration: inout ServiceSettings) {
                Self.link(&configuration)
                configuration.infobip?.persistsUserData = persists
            }
            try await world.live(configure: configure) { _, it in
                try await it.infobip.register()
                for route in [EmulatorRoute.personalize, .depersonalize] {
                    world.emulator.faults.injectAlways(.connectionRefused, on: route)
                }
                try await it.login([.customerID: "ann"])
                #expect(it.infobip.hasPendingChanges)
            }
            try await world.live(configure: configure) { _, it in
                var outcomes = it.identitySyncOutcomes().makeAsyncIterator()
                world.emulator.faults.clear()
                try await world.settle(it)
                #expect(await Self.next(&outcomes) == "infobip done")
                #expect(world.infobip.person(externalUserID: "ann")?.installations.count == 1, "\(persists)")
            }
        }
    }

    @Test func anInstallationThatIsSomebodysOfWhomNothingIsKnownBecomesTheUsers() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            try await it.infobip.personalize(InfobipIdentity(externalUserID: "old"))
        }
        func configure(_ configuration: inout ServiceSettings) {
            Self.link(&configuration)
            configuration.infobip?.persistsUserData = false
        }
        try await world.live(configure: configure) { _, it in
            try await it.login([.customerID: "ann"])
            try await world.settle(it)
        }
        #expect(world.infobip.person(externalUserID: "old")?.installations == [])
        #expect(world.infobip.person(externalUserID: "ann")?.installations.count == 1)
    }

    @Test func aRefusalIsTheOutcomeOfTheLinkedWorkAndTheLoginStands() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.identitySyncOutcomes().makeAsyncIterator()
            try await it.infobip.register()
            let no = FaultInjector.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.faults.inject(no, on: .personalize)
            let user = try await it.login([.customerID: "ann"]).user
            #expect(it.currentUser?.mpid == user.mpid)
            #expect(await Self.next(&outcomes) == "infobip failed rejected")
            // A user whom the service cannot name is somebody else all the same.
            try await it.login([.customerID: "null"])
            #expect(await Self.next(&outcomes) == "infobip failed invalidArgument")
        }
    }

    @Test func aNewerLoginTakesTheOlderOnesPlace() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            var outcomes = it.identitySyncOutcomes().makeAsyncIterator()
            // Without a push token nobody can be told.
            try await it.login([.customerID: "ann"])
            try await it.login([.customerID: "bob"])
            try await it.infobip.register()
            #expect(await Self.next(&outcomes) == "infobip superseded")
            #expect(await Self.next(&outcomes) == "infobip done")
            #expect(world.infobip.person(externalUserID: "ann") == nil)
            #expect(world.infobip.person(externalUserID: "bob") != nil)
        }
    }
}
