// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 21, 22, 24, 25, 48 and 60: registrations that are lost, old or another's, and people who
/// are erased.
@Suite struct InfobipRecoveryTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func row21AllInstallationsOfThePersonAreFetched() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let own = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            let other = try await signet.runtime.open("other", identify: .none).infobip
            let id = try await other.register("BB")
            try await other.personalize(Self.ann, setDeviceAsPrimary: true)
            #expect(it.infobip.user.installations.map(\.pushRegistrationID) == [own])
            let installations = try await it.infobip.fetchInstallations()
            #expect(installations.map(\.pushRegistrationID) == [own, id])
            #expect(installations.map(\.isPrimary) == [false, true])
            #expect(it.infobip.user.installations == installations)
        }
    }

    @Test func row22ARegistrationFromBeforeIsEndedAgainUntilTheServiceHasDoneItOnce() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let orphan = try await signet.runtime.open("old", identify: .none).infobip.register("BB")
            let id = try await it.infobip.register()
            world.emulator.faults.inject(.status(503), on: .expireInstallation)
            try await it.infobip.expireFormerRegistration(orphan)
            try await it.infobip.expireFormerRegistration(orphan)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.installations().map(\.id).contains(orphan))
            try await world.settle(it)
            #expect(world.infobip.installations().map(\.id) == [id])
            #expect(world.infobip.requests(on: .expireInstallation).map(\.target) == [orphan])
        }
    }

    @Test func row24AnotherApplicationHearsNothingOfWhatWaitedForTheOneBefore() async throws {
        let applications = [EmulatedInfobipApplication(), EmulatedInfobipApplication(code: "another")]
        let world = try InfobipWorld(applications)
        let another = try #require(world.emulator.infobip(in: "another"))
        var former: String?
        try await world.liveRegistered { profile, id in
            former = id
            try await profile.personalize(Self.ann)
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await profile.save { $0.firstName = .set("first-of-ann") } == .pending)
            #expect(try await profile.saveOwn { $0.customAttributes["a"] = .set("attribute-of-ann") } == .pending)
            try await profile.submit(InfobipEvent("event-of-ann"), .queued)
        }
        world.emulator.faults.clear()
        for life in 1...2 {
            try await world.live(configure: { $0.infobip?.applicationCode = "another" }) { signet, it in
                #expect(!it.infobip.hasPendingChanges)
                #expect(it.infobip.user == InfobipUser())
                #expect(signet.runtime.statistics.infobipEventsDropped == (life == 1 ? 1 : 0))
                try await world.settle(it)
                #expect(it.infobip.installation.customAttributes.isEmpty)
                #expect(it.infobip.installation.pushRegistrationID != former)
            }
        }
        let requests = another.requests().filter { $0.route != .baseURL }
        #expect(requests.map(\.route) == [.createInstallation, .expireInstallation])
        #expect(requests.last?.target == former)
        #expect(requests.allSatisfy { !$0.bodyJSON.contains("of-ann") })
        #expect(another.events().isEmpty && world.infobip.events().isEmpty)
        #expect(world.infobip.person(externalUserID: "ann")?.firstName == nil)
    }

    @Test func row25WhatALeadHadIsSavedAgain() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save {
                $0.firstName = .set("A")
                $0.customAttributes["n"] = .set(1)
            }
            try await profile.saveOwn { $0.applicationUserID = .set("u") }
            world.infobip.expireInstallation(id)
            #expect(try await profile.fetchUser().firstName == "A")
            try await profile.waitUntilIdle()
            let second = try #require(profile.installation.pushRegistrationID)
            #expect(second != id)
            let person = try #require(world.infobip.person(of: second))
            #expect(person.firstName == "A" && person.attributes == ["n": 1])
            #expect(world.infobip.installation(second)?.applicationUserID == "u")
            // There is nobody whom it could be said to be of.
            #expect(world.infobip.requests(on: .personalize).isEmpty)
        }
    }

    @Test func row25ARegistrationThatIsMadeGoodTakesNothingFromOthers() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none).infobip
            let primary = try await other.register("BB")
            try await other.personalize(Self.ann, setDeviceAsPrimary: true)
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.infobip.expireInstallation(id)
            try await it.infobip.fetchUser()
            try await it.infobip.waitUntilIdle()
            let second = try #require(it.infobip.installation.pushRegistrationID)
            #expect(second != id)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [primary, second])
            #expect(world.infobip.installation(primary)?.isPrimary == true)
            #expect(world.infobip.installation(second)?.isPrimary == false)
            #expect(!it.infobip.installation.isPrimary)
        }
    }

    /// While a registration was lost, another device has said newer things.
    @Test func row25WhatTheServiceStillKnowsIsNotOverwritten() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            var attributes = InfobipAttributes()
            attributes.firstName = "Ann"
            attributes.lastName = "Lee"
            try await it.infobip.personalize(Self.ann, attributes: attributes)
            let other = try await signet.runtime.open("other", identify: .none).infobip
            try await other.register("BB")
            try await other.personalize(Self.ann)
            try await other.save {
                $0.firstName = .set("Anna")
                $0.lastName = .clear
            }
            world.infobip.expireInstallation(id)
            #expect(try await it.infobip.save { $0.middleName = .set("M") } == .done)
            try await it.infobip.waitUntilIdle()
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.middleName, person.lastName) == ("Anna", "M", nil))
            #expect(person.installations.count == 2)
            #expect((it.infobip.user.firstName, it.infobip.user.lastName) == ("Anna", nil))
        }
    }

    /// Nobody is served before it is known what the service has lost, and a further life asks again.
    @Test func row25WhatWasKnownIsNotForgottenBeforeTheServiceHasIt() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            var attributes = InfobipAttributes()
            attributes.lastName = "Lee"
            try await profile.personalize(Self.ann, attributes: attributes)
            let number = try #require(world.infobip.person(externalUserID: "ann")?.number)
            world.infobip.updatePerson(number, #"{"lastName":null}"#)
            world.infobip.expireInstallation(id)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            #expect(await code { try await profile.fetchUser() } == .serverFailure)
            #expect(try await profile.save { $0.firstName = .set("A") } == .done)
        }
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await world.settle(it)
            let person = try #require(world.infobip.person(externalUserID: "ann"))
            #expect((person.firstName, person.lastName) == ("A", "Lee"))
        }
    }

    /// What was saved for somebody whom the service does not give back is for nobody else, and waits for them.
    @Test func row25WhoIsNotGivenBackLeaves() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.infobip.expireInstallation(id)
            let no = FaultInjector.Fault.refused(status: 400, code: "AMBIGUOUS_PERSONALIZE_CANDIDATES", message: "no")
            world.emulator.faults.inject(no, on: .personalize)
            #expect(try await profile.save { $0.firstName = .set("OfAnn") } == .pending)
            try await profile.waitUntilIdle()
            let second = try #require(profile.installation.pushRegistrationID)
            #expect(world.routes.suffix(2) == [.createInstallation, .depersonalize])
            #expect(profile.user == InfobipUser())
            #expect(world.infobip.person(of: second)?.firstName == nil)
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == nil)
            #expect(!profile.hasPendingChanges)
            #expect(try await profile.save { $0.firstName = .set("OfTheLead") } == .done)
            #expect(world.infobip.person(of: second)?.firstName == "OfTheLead")
        }
    }

    @Test(.watched) func row48WhatIsSaidOfAnotherRegistrationIsNotOfOnesOwn() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none).infobip
            let id = try await other.register("BB")
            try await other.personalize(Self.ann)
            let own = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.infobip.expireInstallation(id)
            let error = await #expect(throws: SignetError.self) { try await it.infobip.depersonalizeInstallation(id) }
            #expect(error?.code == .rejected)
            #expect(error?.errors.map(\.code) == ["NO_REGISTRATION"])
            #expect(await code { try await it.infobip.setPrimary(id) } == .rejected)
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.installation.pushRegistrationID == own)
            #expect(world.infobip.requests(on: .createInstallation).count == 2)
            // The list is as the service said it last.
            #expect(it.infobip.user.installations.map(\.pushRegistrationID) == [id, own])
        }
    }

    @Test func row60WhatIsErasedMeanwhileStaysErased() async throws {
        for route in [EmulatorRoute.fetchPerson, .personalize, .updatePerson] {
            let world = try InfobipWorld()
            try await world.live { signet, it in
                let mpid = try await it.login([.customerID: "c"]).user.mpid
                let profile = it.infobip
                try await profile.register()
                try await profile.personalize(Self.ann)
                try await profile.save { $0.firstName = .set("first-of-ann") }
                let gate = EmulatorGate()
                world.emulator.faults.inject(.replyHeld(gate), on: route)
                async let called = code {
                    switch route {
                    case .fetchPerson: try await profile.fetchUser()
                    case .personalize: try await profile.personalize(Self.ann)
                    default: try await profile.save { $0.middleName = .set("middle-of-ann") }
                    }
                }
                await gate.arrived()
                try await signet.runtime.eraseUser(mpid)
                #expect(profile.user == InfobipUser())
                gate.open()
                let found = await called
                // What was saved is not known to be lost; nobody waits for it any more.
                let expected: SignetError.Code? = route == .updatePerson ? nil : .cancelled
                #expect(found == expected, "\(route)")
                try await profile.waitUntilIdle()
                #expect(profile.user == InfobipUser(), "\(route)")
                #expect(!profile.hasPendingChanges, "\(route)")
                try await signet.runtime.context.disk.syncTogether()
                #expect(try !allBytes(in: world.folder.path).contains("of-ann"), "\(route)")
            }
        }
    }
}
