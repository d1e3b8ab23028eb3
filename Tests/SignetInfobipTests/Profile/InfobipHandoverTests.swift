// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What somebody did is told of nobody else, whoever comes next.
@Suite(.watched) struct InfobipHandoverTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let bob = InfobipIdentity(externalUserID: "bob")

    private static func link(_ configuration: inout ServiceSettings) {
        configuration.infobip?.followsLogin = true
    }

    /// The names of the events that a person has.
    private static func events(of id: String, _ world: InfobipWorld) throws -> [String] {
        let number = try #require(world.infobip.person(externalUserID: id)).number
        return world.infobip.events(of: number).map(\.definitionID)
    }

    private final class Dropping: SignetObserver {
        let dropped = Locked<[String]>([])

        func serviceDataDropped(
            _ count: Int,
            of kind: String,
            service: IdentitySyncOutcome.Service,
            installation: InstallationID,
            cause: String?
        ) {
            self.dropped.withLock { $0.append("\(count) \(kind) of \(installation.rawValue)") }
        }
    }

    @Test func queuedEventsAndSessionsAreToldBeforeADepersonalize() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            try await profile.setActive(true)
            try await profile.waitUntilIdle()
            try await profile.submit(InfobipEvent("of-ann"), .queued)
            let count = world.routes.count
            #expect(try await profile.depersonalize() == .done)
            #expect(Array(world.routes.dropFirst(count)) == [.customEvents, .sessionReports, .depersonalize])
            #expect(world.lastBody(on: .sessionReports)?.contains("sessionBounds") == true)
            try await profile.submit(InfobipEvent("of-bob"), .queued)
            try await profile.personalize(Self.bob)
            try await profile.setActive(false)
            #expect(try Self.events(of: "ann", world) == ["of-ann"])
        }
        try await world.live { _, it in
            try await world.settle(it)
            #expect(try Self.events(of: "bob", world) == ["of-bob"])
        }
    }

    @Test func queuedEventsWaitForTheirPerson() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.inject(.status(503), on: .customEvents)
            try await profile.submit(InfobipEvent("of-ann"), .queued)
            // There is one attempt, and who comes next does not wait for it; the event waits for the person it is of.
            try await profile.personalize(Self.bob, forceDepersonalize: true)
            try await profile.waitUntilIdle()
            #expect(try Self.events(of: "bob", world).isEmpty)
            try await profile.personalize(Self.ann, forceDepersonalize: true)
        }
        try await world.live { _, it in
            try await world.settle(it)
            #expect(try Self.events(of: "ann", world) == ["of-ann"])
            #expect(try Self.events(of: "bob", world).isEmpty)
        }
    }

    @Test func anEventThatWaitsItsTurnGoesBeforeTheDepersonalizeThatOvertakesTheRest() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            let gate = EmulatorGate()
            world.emulator.faults.inject(.held(gate), on: .fetchInstallation)
            async let fetched = profile.fetchInstallation()
            await gate.arrived()
            async let told = profile.submit(InfobipEvent("of-ann"))
            let manager = try profile.manager()
            await until("the event is queued") { await manager.machine.callers.waiting.count == 2 }
            async let left = profile.depersonalize()
            await until("depersonalization is requested") { await manager.machine.isDepersonalizationPending }
            gate.open()
            _ = try await (fetched, told, left)
            #expect(try Self.events(of: "ann", world) == ["of-ann"])
        }
    }

    @Test func aDepersonalizeDoesNotWaitForEvents() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.injectAlways(.status(503), on: .customEvents)
            try await profile.submit(InfobipEvent("of-ann"), .queued)
            #expect(try await profile.depersonalize() == .done)
        }
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await world.settle(it)
            #expect(try Self.events(of: "ann", world).isEmpty)
            try await it.infobip.personalize(Self.ann)
            try await world.settle(it)
            #expect(try Self.events(of: "ann", world) == ["of-ann"])
        }
    }

    @Test func eventsOfWhoeverWasOnALostRegistrationWaitForThem() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            world.infobip.expireInstallation(id)
            world.emulator.faults.injectAlways(.status(503), on: .createInstallation)
            _ = await code { try await it.infobip.fetchUser() }
            #expect(try await it.infobip.depersonalize() == .pending)
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(signet.runtime.statistics.infobipEventsDropped == 0)
            #expect(world.infobip.person(of: try await it.infobip.registration())?.externalUserID == nil)
            #expect(world.infobip.events().isEmpty)
        }
    }

    /// A login of which the service has not heard yet, and another one.
    @Test func whatWasSavedForAUserWhoNeverArrivedIsNotForTheNextOne() async throws {
        for isRegistered in [true, false] {
            let world = try InfobipWorld()
            try await world.live(configure: Self.link) { _, it in
                if isRegistered { try await it.infobip.register() }
                world.emulator.faults.injectAlways(.connectionRefused, on: .personalize)
                try await it.login([.customerID: "ann"])
                // For the service it is nobody's yet, who is left behind.
                try await it.infobip.save { $0.firstName = .set("OfAnn") }
                try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
                try await it.login([.customerID: "bob"])
                #expect(it.infobip.user.firstName == nil)
                world.emulator.faults.clear()
                if !isRegistered { try await it.infobip.register() }
                try await world.settle(it)
                #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil, "\(isRegistered)")
                #expect(try Self.events(of: "bob", world).isEmpty)
            }
        }
    }

    @Test func aRestartWithoutAPersonOnDiskKnowsThatItWasSomebody() async throws {
        let world = try InfobipWorld()
        func configure(_ configuration: inout ServiceSettings) {
            Self.link(&configuration)
            configuration.infobip?.persistsUserData = false
        }
        try await world.live(configure: configure) { _, it in
            try await it.infobip.register()
            try await it.login([.customerID: "ann"])
            try await world.settle(it)
        }
        try await world.live(configure: configure) { _, it in
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("OfAnn") } == .pending)
            try await it.login([.customerID: "bob"])
            world.emulator.faults.clear()
            try await world.settle(it)
        }
        #expect(world.infobip.person(externalUserID: "ann")?.firstName == "OfAnn")
        #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil)
    }

    /// Logged out from another installation, the service has it as nobody's: the next one needs no force.
    @Test func whatWaitedForSomebodyWhomAnotherInstallationHasLoggedOutIsNotForTheNextOne() async throws {
        let world = try InfobipWorld()
        let observer = Dropping()
        try await world.live(observer: observer) { signet, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            let other = try await signet.runtime.open("other", identify: .none).infobip
            try await other.register("BB")
            try await other.personalize(Self.ann)
            try await other.depersonalizeInstallation(id)
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("OfAnn") } == .pending)
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            // Unnoticed, the service would merge into bob what was written since.
            #expect(await code { try await it.infobip.personalize(Self.bob) } == .rejected)
            try await it.infobip.fetchUser()
            try await it.infobip.personalize(Self.bob)
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "bob")?.firstName == nil)
            #expect(try Self.events(of: "bob", world).isEmpty)
            // It waits for her.
            try await it.infobip.personalize(Self.ann, forceDepersonalize: true)
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "OfAnn")
            #expect(try Self.events(of: "ann", world) == ["of-ann"])
            #expect(signet.runtime.statistics.infobipChangesDropped == 0)
            #expect(observer.dropped.withLock { $0 }.isEmpty)
        }
    }

    @Test func whatIsFetchedOfTheInstallationWhileItIsLeftIsNotTheNextOnes() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let profile = it.infobip
            let id = try await profile.register()
            try await profile.personalize(Self.ann, setDeviceAsPrimary: true)
            try await profile.saveOwn { $0.customAttributes["a"] = .set(1) }
            world.emulator.faults.inject(.status(503), on: .depersonalize)
            #expect(try await profile.depersonalize() == .pending)
            #expect(try await profile.fetchInstallation().customAttributes.isEmpty)
            try await world.settle(it)
            #expect(profile.installation.customAttributes.isEmpty)
            #expect(!profile.installation.isPrimary)
            // Not taken for known.
            #expect(try await profile.saveOwn { $0.customAttributes["a"] = .set(1) } == .done)
            #expect(world.infobip.installation(id)?.attributes == ["a": 1])
        }
    }

    @Test func aRegistrationThatCarriesWhatSomebodyHadWhoHasGoneIsCleared() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let gate = EmulatorGate()
            try await it.infobip.saveOwn { $0.customAttributes["a"] = .set("of-ann") }
            world.emulator.faults.inject(.held(gate), on: .createInstallation)
            try await it.infobip.setPushToken("AA")
            await gate.arrived()
            async let left = it.infobip.depersonalize()
            await until("depersonalization is requested") { it.infobip.isDepersonalizationPending }
            gate.open()
            #expect(try await left == .done)
            let id = try await it.infobip.registration()
            try await world.settle(it)
            #expect(it.infobip.installation.customAttributes.isEmpty)
            #expect(world.infobip.installation(id)?.attributes == [:])
        }
    }

    /// Another installation has logged them out, and the next fetch shows it.
    @Test func whatWaitsOfSomebodyWhoIsNotThereAnyMoreIsToldOfNobodyElse() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            let other = try await signet.runtime.open("other", identify: .none).infobip
            try await other.register("BB")
            try await other.personalize(Self.ann)
            try await other.depersonalizeInstallation(id)
            world.emulator.faults.inject(.status(503), on: .customEvents)
            try await it.infobip.submit(InfobipEvent("of-ann"), .queued)
            try await it.infobip.fetchUser()
            #expect(it.infobip.user == InfobipUser())
            try await it.infobip.personalize(Self.bob)
            try await it.infobip.submit(InfobipEvent("of-bob"), .queued)
            try await world.settle(it)
            #expect(try Self.events(of: "bob", world) == ["of-bob"])
            #expect(world.infobip.events().count == 1)
            #expect(signet.runtime.statistics.infobipEventsDropped == 0)
        }
    }
}
