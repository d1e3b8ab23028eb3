// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// What was asked for and had no answer: whether it has happened or not, nothing newer gives way to what is older, and
/// nothing is lost.
@Suite struct InfobipUnansweredTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let bob = InfobipIdentity(externalUserID: "bob")

    private static let new: InfobipAttributes = {
        var attributes = InfobipAttributes()
        attributes.firstName = "new"
        attributes.customAttributes["day"] = CalendarDay("2020-01-15").map { .set(.date($0)) }
        return attributes
    }()

    private static func saveOld(_ profile: InfobipProfile, _ world: InfobipWorld) async throws {
        world.emulator.faults.inject(.status(503), on: .updatePerson)
        let outcome = try await profile.save {
            $0.firstName = .set("old")
            $0.lastName = .set("kept")
            $0.customAttributes["day"] = .set("old")
        }
        #expect(outcome == .pending)
    }

    // MARK: - A personalize

    @Test func whatItHasSaidIsNewerThanWhatWaited() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await Self.saveOld(profile, world)
            world.emulator.faults.inject(.replyLost, on: .personalize)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            #expect(await code { _ = try await profile.personalize(Self.ann, attributes: Self.new) } == .notConnected)
            // What is saved later is not old, even if it is the same.
            #expect(try await profile.save { $0.customAttributes["day"] = .set("old") } == .pending)
        }
        // Found out by the next life, too.
        world.emulator.faults.clear()
        try await world.live { _, it in
            try await world.settle(it)
            #expect(it.infobip.user.firstName == "new")
        }
        let person = try #require(world.infobip.person(externalUserID: "ann"))
        #expect((person.firstName, person.lastName) == ("new", "kept"))
        #expect(person.attributes == ["day": "old"])
    }

    @Test func whatHasNotHappenedHappensLater() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await Self.saveOld(it.infobip, world)
            world.emulator.faults.inject(.connectionRefused, on: .personalize)
            let error = await code { _ = try await it.infobip.personalize(Self.ann, attributes: Self.new) }
            #expect(error == .notConnected)
            try await world.settle(it)
            let person = try #require(world.infobip.person(of: id))
            #expect((person.firstName, person.lastName, person.externalUserID) == ("new", "kept", "ann"))
        }
    }

    @Test func whoeverSaysItAgainSaysWhatIsNewer() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await Self.saveOld(profile, world)
            world.emulator.faults.inject(.replyLost, on: .personalize)
            _ = await code { _ = try await profile.personalize(Self.ann, attributes: Self.new) }
            // Without the attributes: the answer shows that they were taken before.
            try await profile.personalize(Self.ann)
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "new")
        }
    }

    /// A login of which the service hears only later, and what is saved meanwhile.
    @Test func whatIsSavedAfterALoginIsNotOld() async throws {
        let world = try InfobipWorld()
        try await world.live { configuration in
            configuration.infobip?.followsLogin = true
        } _: { _, it in
            try await it.infobip.register()
            world.emulator.faults.injectAlways(.connectionRefused, on: .personalize)
            try await it.login([.customerID: "ann", .email: "ann@people.example"])
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.inject(.status(503), on: .updatePerson)
            _ = try await it.infobip.save { $0.emails = .set(["later@people.example"]) }
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "ann")?.emails == ["later@people.example"])
        }
    }

    // MARK: - A save

    @Test func whatWasTakenWithoutAnAnswerAndRefusedAfterwardsIsKnown() async throws {
        let world = try InfobipWorld()
        let no = FaultInjector.Fault.refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.fetchUser()
            world.emulator.faults.inject(.replyLost, on: .updatePerson)
            world.emulator.faults.inject(.replyLost, on: .updateInstallation)
            #expect(try await it.infobip.save { $0.firstName = .set("X") } == .pending)
            #expect(try await it.infobip.saveOwn { $0.applicationUserID = .set("X") } == .pending)
            world.emulator.faults.inject(no, on: .updatePerson)
            world.emulator.faults.inject(no, on: .updateInstallation)
            try await world.settle(it)
            #expect(world.infobip.person(of: id)?.firstName == "X")
            // The app sees what the service has said last, until it asks.
            #expect(it.infobip.user.firstName == nil)
        }
        try await world.live { _, it in
            let id = try await it.infobip.registration()
            #expect(try await it.infobip.save { $0.firstName = .clear } == .done)
            #expect(try await it.infobip.saveOwn { $0.applicationUserID = .clear } == .done)
            #expect(world.infobip.person(of: id)?.firstName == nil)
            #expect(world.infobip.installation(id)?.applicationUserID == nil)
        }
    }
}
