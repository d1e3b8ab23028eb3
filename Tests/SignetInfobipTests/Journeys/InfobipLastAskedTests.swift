// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A change without effect is not sent; but only what nobody else changes, and what Infobip has taken, is known.
@Suite(.watched) struct InfobipLastAskedTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    /// Another device of the same person has become the primary one since.
    @Test(arguments: [true, false])
    func thePrimaryFlagIsSentThoughItIsBelievedToBeSo(isPrimary: Bool) async throws {
        let world = try InfobipWorld()
        try await world.live { signet, one in
            let two = try await signet.runtime.open("two", identify: .none)
            let ids = [try await one.infobip.register("AA"), try await two.infobip.register("BB")]
            for it in [one, two] { try await it.infobip.personalize(Self.ann) }
            try await one.infobip.setPrimary(ids[0], isPrimary: isPrimary)
            try await two.infobip.fetchUser()
            if isPrimary {
                try await two.infobip.setPrimary(ids[1])
            } else {
                try await two.infobip.setPrimary(ids[0])
            }
            let before = world.infobip.requests(on: .updateInstallation).count
            let list = try await one.infobip.setPrimary(ids[0], isPrimary: isPrimary)
            #expect(world.infobip.requests(on: .updateInstallation).count == before + 1)
            #expect(world.infobip.installation(ids[0])?.isPrimary == isPrimary)
            #expect(list.first { $0.pushRegistrationID == ids[0] }?.isPrimary == isPrimary)
        }
    }

    @Test func noTagsAndNoContactsAreNotSentToAPersonWhoHasNone() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.fetchUser()
            let results = [
                try await profile.save { $0.tags = .set([]) }, try await profile.save { $0.phones = .set([]) },
                try await profile.save { $0.emails = .set([]) }, try await profile.save { $0.tags = .clear },
            ]
            #expect(results == [.done, .done, .done, .done])
            #expect(world.infobip.requests(on: .updatePerson).isEmpty)
            // Who has some loses them.
            try await profile.save { $0.tags = .set(["vip"]) }
            try await profile.save { $0.tags = .set([]) }
            #expect(world.infobip.requests(on: .updatePerson).count == 2)
            #expect(world.infobip.person(of: id)?.tags.isEmpty == true)
        }
    }

    /// What the device runs on, refused for a reason that nobody knows.
    ///
    /// It is not told at each start or visit, but not given up either.
    @Test func systemDataThatWasRefusedIsSentAgainAfterADay() async throws {
        let world = try InfobipWorld()
        var id = ""
        try await world.live { _, it in id = try await it.infobip.register() }
        // The first hour has its own value for notifications.
        world.clock.advance(by: .seconds(7_200))
        let no = FaultInjector.Fault.refused(status: 400, code: "0", message: "unknown")
        world.emulator.faults.injectAlways(no, on: .updateInstallation)
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { signet, it in
            try await world.settle(it)
            // Not again and again.
            #expect(signet.transport.exchanges.count == 1)
        }
        world.clock.advance(by: .seconds(86_000))
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { signet, it in
            try await world.settle(it)
            #expect(signet.transport.exchanges.isEmpty)
        }
        world.emulator.faults.clear()
        world.clock.advance(by: .seconds(400))
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { _, it in
            try await world.settle(it)
            #expect(world.infobip.installation(id)?.system["os"] == "Other")
        }
    }

    /// A new version of the app says something else, which may be taken.
    @Test func otherSystemDataThanWhatWasRefusedIsSentAtOnce() async throws {
        let world = try InfobipWorld()
        var id = ""
        try await world.live { _, it in id = try await it.infobip.register() }
        let no = FaultInjector.Fault.refused(status: 400, code: "0", message: "unknown")
        world.emulator.faults.inject(no, on: .updateInstallation)
        for os in ["Other", "Third"] {
            try await world.live(configure: { $0.infobip?.system.os = os }) { _, it in try await world.settle(it) }
        }
        #expect(world.infobip.installation(id)?.system["os"] == "Third")
    }
}
