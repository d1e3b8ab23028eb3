// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 21 to 25 and 45 to 60: one test for each row, which says the row.
@Suite(.watched) struct InfobipChecklistLifeTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func row21TheInstallationsOfThePersonAreFetched() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            let installations = try await profile.fetchInstallations()
            #expect(installations.map(\.pushRegistrationID) == [id])
        }
    }

    @Test func row22ARegistrationFromBeforeIsEndedOnce() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let orphan = try await signet.runtime.open("old", identify: .none).infobip.register("BB")
            try await it.infobip.expireFormerRegistration(orphan)
            let id = try await it.infobip.register()
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.installations().map(\.id) == [id])
            #expect(world.infobip.requests(on: .expireInstallation).map(\.registration) == [id])
        }
        try await world.live { _, it in try await it.infobip.waitUntilIdle() }
        #expect(world.infobip.requests(on: .expireInstallation).count == 1)
    }

    @Test func row23WhatCameFromABackupIsRegisteredAnewWhenTheTokenIsAnother() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, first in
            try await profile.personalize(Self.ann)
            // The same device: nothing happens.
            try await profile.setPushToken("AA01", isRestored: true)
            #expect(profile.installation.pushRegistrationID == first)
            try await profile.setPushToken("CC", isRestored: true)
            #expect(profile.user == InfobipUser())
            let second = try await profile.registration()
            #expect(second != first)
            #expect(world.infobip.installation(first)?.isPersonalized == true)
            #expect(world.infobip.installation(second)?.isPersonalized == false)
        }
    }

    @Test func row24AnotherApplicationForgetsWhatWasKnown() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in try await profile.personalize(Self.ann) }
        try await world.live(configure: { $0.infobip?.applicationCode = "another" }) { _, it in
            #expect(it.infobip.user == InfobipUser())
            #expect(it.infobip.installation.pushRegistrationID == nil)
            #expect(it.infobip.installation.pushServiceToken != nil)
        }
    }

    @Test func row25ALostRegistrationIsMadeGoodOnceWithEverythingThatItHad() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            var attributes = InfobipAttributes()
            attributes.firstName = "Ann"
            try await profile.personalize(Self.ann, attributes: attributes, setDeviceAsPrimary: true)
            try await profile.setPushRegistrationEnabled(false)
            try await profile.saveOwn { $0.customAttributes["a"] = .set(1) }
            // More than a registration is gone: all that was known of the person, too.
            let number = try #require(world.infobip.person(externalUserID: "ann")?.number)
            world.infobip.updatePerson(number, #"{"firstName":null}"#)
            world.infobip.expireInstallation(id)
            #expect(try await profile.save { $0.lastName = .set("B") } == .done)
            try await profile.waitUntilIdle()
            let second = try #require(profile.installation.pushRegistrationID)
            #expect(second != id)
            let person = try #require(world.infobip.person(of: second))
            #expect((person.externalUserID, person.firstName, person.lastName) == ("ann", "Ann", "B"))
            let installation = try #require(world.infobip.installation(second))
            #expect(installation.isPrimary && !installation.isEnabled)
            #expect(installation.attributes == ["a": 1])
            #expect(world.infobip.requests(on: .createInstallation).count == 2)
            #expect(world.infobip.requests(on: .personalize).count == 2)
        }
    }

    @Test func row45ADepersonalizeForgetsThePersonHereAndThere() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann, setDeviceAsPrimary: true)
            try await profile.saveOwn {
                $0.customAttributes["a"] = .set(1)
                $0.applicationUserID = .set("u")
            }
            #expect(try await profile.depersonalize() == .done)
            #expect(profile.user == InfobipUser())
            #expect(profile.installation.customAttributes.isEmpty)
            #expect(!profile.installation.isPrimary)
            #expect(profile.installation.applicationUserID == "u")
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
            #expect(world.infobip.person(of: id)?.isCustomer == false)
        }
    }

    @Test func row45ADepersonalizeIsRepeatedWhateverTheRefusals() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            for _ in 0..<2 {
                let no = FaultInjector.Fault.refused(status: 400, code: "9", message: "no")
                world.emulator.faults.inject(no, on: .depersonalize, times: 3)
                #expect(try await it.infobip.depersonalize() == .pending)
                #expect(await code { try await it.infobip.fetchUser() } == .depersonalizationPending)
                try await world.settle(it)
                #expect(!it.infobip.isDepersonalizationPending)
                #expect(world.emulator.faults.remaining == 0)
            }
        }
    }

    @Test func row46WhatIsBlockedWhileADepersonalizeWaitsSaysSo() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            #expect(try await profile.depersonalize() == .pending)
            #expect(await code { try await profile.fetchUser() } == .depersonalizationPending)
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            #expect(await code { _ = try await profile.fetchInstallations() } == .depersonalizationPending)
            // The service would take an event for the person who is to go.
            #expect(await code { try await profile.submit(InfobipEvent("e")) } == .depersonalizationPending)
            #expect(try await profile.submit(InfobipEvent("late"), .queued) == .pending)
            // Not blocked: the installation.
            try await profile.fetchInstallation()
            #expect(try await profile.saveOwn { $0.applicationUserID = .set("u") } == .done)
            // Whoever comes without force waits for it.
            #expect(await code { try await profile.personalize(Self.ann) } == .serverFailure)
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(externalUserID: "ann")?.installations.count == 1)
        }
    }

    @Test func row47ADepersonalizeThatWaitsIsTriedAgainAtTheNextStart() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await profile.depersonalize() == .pending)
        }
        world.emulator.faults.clear()
        let gate = EmulatorGate()
        world.emulator.faults.inject(.held(gate), on: .depersonalize)
        try await world.live { _, it in
            #expect(it.infobip.isDepersonalizationPending)
            await gate.arrived()
            gate.open()
            try await it.infobip.waitUntilIdle()
            #expect(!it.infobip.isDepersonalizationPending)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func row48AnotherInstallationIsLoggedOutFromHere() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none).infobip
            let id = try await other.register("BB")
            try await other.personalize(Self.ann)
            let own = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            #expect(it.infobip.user.installations.count == 2)
            let left = try await it.infobip.depersonalizeInstallation(id)
            #expect(left.map(\.pushRegistrationID) == [own])
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [own])
            #expect(await code { try await it.infobip.depersonalizeInstallation(own) } == .invalidArgument)
        }
    }

    @Test func row49PersonalizeGoesBeforeFetchesThatWait() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let gate = EmulatorGate()
            world.emulator.faults.inject(.held(gate), on: .fetchInstallation)
            async let first = profile.fetchInstallation()
            await gate.arrived()
            async let second = profile.fetchUser()
            async let third = profile.personalize(Self.ann)
            let manager = try profile.manager()
            await until("two calls wait behind the first") {
                let machine = await manager.machine
                return machine.callers.waiting.count >= 3
            }
            gate.open()
            _ = try await (first, second, third)
            #expect(world.routes.suffix(3) == [.fetchInstallation, .personalize, .fetchPerson])
        }
    }

    @Test func rows50And52WhatTheServiceSaysReachesTheCallerWhateverTheStatus() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            for status in [200, 400, 503] {
                let fault = FaultInjector.Fault.refused(
                    status: status,
                    code: "USER_DATA_RESTRICTED",
                    message: "Restricted"
                )
                world.emulator.faults.inject(fault, on: .updatePerson)
                let error = await #expect(throws: SignetError.self) {
                    try await profile.save { $0.firstName = .set("A\(status)") }
                }
                #expect(error?.errors.map(\.code) == ["USER_DATA_RESTRICTED"])
                #expect(error?.errors.map(\.message) == ["Restricted"])
                // What can never be taken is not sent for ever.
                #expect(!profile.hasPendingChanges)
            }
            world.emulator.faults.inject(.status(418), on: .fetchPerson)
            let error = await #expect(throws: SignetError.self) { try await profile.fetchUser() }
            #expect(error?.httpStatus == 418)
        }
    }

    @Test func row51AnEmptyAnswerIsNoData() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            for route in [EmulatorRoute.fetchPerson, .personalize, .fetchInstallation] {
                world.emulator.faults.inject(.answer(TransportResponse(status: 204)), on: route)
            }
            #expect(await code { try await profile.fetchUser() } == .unexpectedAnswer)
            #expect(await code { try await profile.fetchInstallation() } == .unexpectedAnswer)
            #expect(await code { try await profile.personalize(Self.ann) } == .unexpectedAnswer)
            #expect(profile.user.externalUserID == "ann")
        }
    }

    @Test func row53EventsGoAtOnceOrTogetherAfterTwoQuietSeconds() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            // Before there is a registration, too.
            #expect(try await it.infobip.submit(InfobipEvent("early"), .queued) == .pending)
            #expect(await code { try await it.infobip.submit(InfobipEvent("now")) } == .notRegistered)
            try await it.infobip.register()
            let day = try #require(CalendarDay("2024-05-01"))
            #expect(try await it.infobip.submit(InfobipEvent("now", properties: ["d": .date(day)])) == .done)
            try await it.infobip.submit(InfobipEvent("late"), .queued)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.events().map(\.definitionID) == ["now"])
            world.emulator.faults.inject(.status(503), on: .customEvents)
            try await world.settle(it)
            #expect(world.infobip.events().map(\.definitionID) == ["now", "early", "late"])
            #expect(world.infobip.requests(on: .customEvents).count == 2)
            #expect(world.infobip.requests(on: .customEvents).first?.bodyJSON.contains("2024-05-01T00:00:00Z") == true)
        }
    }

    @Test func row54SessionsAreCountedWhileTheAppIsInUseAndReported() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.installation(id)?.sessions.count == 1)
            try await it.infobip.setActive(false)
            world.clock.advance(by: .seconds(60))
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            let sessions = try #require(world.infobip.installation(id)?.sessions)
            #expect(sessions.count == 2)
            #expect(sessions.first?.end.map { $0.timeIntervalSince(sessions[0].start) } == 5)
            try await it.infobip.setActive(false)
        }
    }

    @Test func row55WhatHappensIsTold() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let changes = try it.infobip.changes
            let id = try await it.infobip.register()
            try await it.infobip.save { $0.firstName = .set("A") }
            try await it.infobip.personalize(Self.ann)
            try await it.infobip.depersonalize()
            world.emulator.faults.inject(.status(503))
            _ = await code { try await it.infobip.fetchUser() }
            var told: [String] = []
            for await change in changes {
                switch change.kind {
                case .registrationUpdated(let told_): told.append(told_ == id ? "registered" : "?")
                case .pushTokenReceived: told.append("token")
                case .installationSynced: told.append("installation")
                case .userSynced(let user): told.append("user \(user.firstName ?? "")")
                case .personalized: told.append("personalized")
                case .depersonalized: told.append("depersonalized")
                case .failed: told.append("failed")
                }
                if told.last == "failed" { break }
            }
            #expect(
                told == [
                    "token", "registered", "installation", "user A", "personalized", "depersonalized", "failed",
                ]
            )
        }
    }

    @Test func row58AnAddressThatTheServiceNamesIsCheckedAndRemembered() async throws {
        let world = try InfobipWorld()
        func hosts(_ signet: EmulatedSignet) -> [String] {
            signet.transport.exchanges.map {
                $0.request.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            }
        }
        try await world.live { signet, it in
            try await it.infobip.register()
            for address in ["http://mobile-2.infobip.com", "https://example.com", "https://mobile-2.infobip.com"] {
                world.infobip.configure { $0.newBaseURL = address }
                try await it.infobip.fetchUser()
            }
            #expect(Set(hosts(signet)) == ["mobile.infobip.com"])
            try await it.infobip.fetchUser()
            #expect(hosts(signet).last == "mobile-2.infobip.com")
        }
        try await world.live { signet, it in
            world.infobip.configure { $0.newBaseURL = nil }
            try await it.infobip.fetchUser()
            #expect(hosts(signet) == ["mobile-2.infobip.com"])
            world.emulator.faults.inject(.connectionRefused)
            _ = await code { try await it.infobip.fetchUser() }
            try await it.infobip.fetchUser()
            #expect(hosts(signet).last == "mobile.infobip.com")
        }
        // Asked for once a day, and again after the named host could not be reached.
        #expect(world.infobip.requests(on: .baseURL).count == 2)
    }

    @Test func row59NothingIsLostOfflineAndTriedAgainWithGrowingPauses() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            world.emulator.faults.injectAlways(.status(500), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("A") } == .pending)
            for _ in 0..<3 {
                try await it.infobip.waitUntilIdle()
                let paused = await (try it.infobip.manager()).machine.backOff.pausedUntil
                world.clock.advance(to: .init(offset: try #require(paused)))
            }
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(world.infobip.person(of: id)?.firstName == "A")
        }
    }

    @Test func row60EveryCallEndsOnceAndNothingIsWrittenLate() async throws {
        let world = try InfobipWorld()
        let signet = try world.start()
        let it = try await signet.runtime.open("p", identify: .none)
        let gate = EmulatorGate()
        try await signet.run { _ in
            try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.emulator.faults.inject(.replyHeld(gate), on: .fetchPerson)
            async let fetched = it.infobip.fetchUser()
            await gate.arrived()
            async let left = it.infobip.depersonalize()
            let manager = try it.infobip.manager()
            await until("depersonalization is requested") { await manager.machine.isDepersonalizationPending }
            gate.open()
            // The old person's answer comes late: it says nothing of whoever comes after.
            do {
                _ = try await fetched
                Issue.record("fetched")
            } catch let error as SignetError {
                #expect(error.code == .depersonalizationPending)
            }
            let outcome = try await left
            #expect(outcome == .done)
            #expect(it.infobip.user == InfobipUser())
        }
        #expect(await code { try await it.infobip.fetchUser() } == .notRunning)
    }
}
