// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 26 to 44: one test for each row, which says the row.
@Suite struct InfobipChecklistPersonTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func row26WhatIsFetchedLeavesPendingEdits() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await profile.save { $0.firstName = .set("A") } == .pending)
            let number = try #require(world.infobip.person(of: id)?.number)
            world.infobip.updatePerson(number, #"{"firstName":"portal","lastName":"portal"}"#)
            let user = try await profile.fetchUser()
            #expect((user.firstName, user.lastName) == ("A", "portal"))
            // A success has the save tried again, which fails.
            try await profile.waitUntilIdle()
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(world.infobip.person(number)?.firstName == "A")
        }
    }

    @Test func row27ASaveIsADeltaAndWhatIsClearedIsNull() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save {
                $0.firstName = .set("A")
                $0.lastName = .set("B")
                $0.tags = .set(["t"])
            }
            try await profile.fetchUser()
            try await profile.save {
                $0.firstName = .set("A")
                $0.lastName = .clear
                $0.tags = .clear
            }
            #expect(world.lastBody(on: .updatePerson) == #"{"lastName":null,"tags":null}"#)
            #expect(world.infobip.person(of: id)?.lastName == nil)
        }
    }

    @Test func row28WhatIsSoAlreadyIsNotSent() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.save { $0.customAttributes = ["n": .set(10)] }
            // Known by the save alone, and by what the service says.
            #expect(try await profile.save { $0.customAttributes = ["n": .set(10)] } == .done)
            try await profile.fetchUser()
            #expect(try await profile.save { $0.customAttributes = ["n": .set(10.0), "gone": .clear] } == .done)
            #expect(world.infobip.requests(on: .updatePerson).count == 1)
        }
    }

    @Test func row28WhatIsNotKnownIsSent() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            let number = try #require(world.infobip.person(of: id)?.number)
            world.infobip.updatePerson(number, #"{"firstName":"portal"}"#)
            // Nothing was ever said of it here: it is cleared all the same.
            #expect(try await profile.save { $0.firstName = .clear } == .done)
            #expect(world.infobip.person(number)?.firstName == nil)
        }
    }

    @Test func row29TypeAndInstallationsAreNeverSent() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.fetchUser()
            try await profile.save { $0.firstName = .set("A") }
            #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"A"}"#)
        }
    }

    @Test func row30WhatIsKeptWithoutANetworkIsThereAtOnce() async throws {
        let world = try InfobipWorld()
        let signet = try world.start()
        let it = try await signet.runtime.open("p", identify: .none)
        try await it.infobip.setPushToken("AA")
        async let saved = it.infobip.save { $0.firstName = .set("A") }
        await world.clock.nextSleep()
        // Nobody runs it: what was saved is kept.
        world.clock.advance(by: .seconds(20))
        let outcome = try await saved
        #expect(outcome == .pending)
        #expect(it.infobip.user.firstName == "A")
        await signet.runtime.shutdown()
        try await world.live { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.user.firstName == "A")
        }
    }

    @Test func row31ContactsAreObjectsAndTagsAreAList() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.save {
                $0.phones = .set(["+385910000000"])
                $0.emails = .set(["a@example.com"])
                $0.tags = .set(["b", "a"])
            }
            let body =
                #"{"emails":[{"address":"a@example.com"}],"phones":[{"number":"385910000000"}],"tags":["a","b"]}"#
            #expect(world.lastBody(on: .updatePerson) == body)
        }
    }

    @Test func row32ABirthdayIsADay() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save {
                $0.birthday = .set(CalendarDay(Date(timeIntervalSince1970: 1_483_210_500)))
                $0.gender = .set(.female)
            }
            #expect(world.infobip.person(of: id)?.birthday == "2016-12-31")
            #expect(try await profile.fetchUser().gender == .female)
        }
    }

    @Test func row33LeadOrCustomerIsKnownAfterARestart() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let types = [try await profile.fetchUser().type, try await profile.personalize(Self.ann).type]
            #expect(types == [.lead, .customer])
        }
        try await world.live { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.user.type == .customer)
        }
    }

    @Test func row34AllBrokenLimitsAreReportedTogether() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let count = world.requests.count
            let error = await #expect(throws: SignetError.self) {
                try await profile.save {
                    $0.firstName = .set(String(repeating: "a", count: 256))
                    $0.middleName = .set(String(repeating: "a", count: 51))
                    $0.externalUserID = .set(String(repeating: "a", count: 257))
                    $0.emails = .set(Array(repeating: "a@b", count: 101))
                    $0.phones = .set(["1"])
                }
            }
            #expect(error?.code == .invalidArgument)
            let violations = try #require(error?.cause as? InfobipViolations)
            let fields = Set(violations.all.map(\.field))
            #expect(fields == ["firstName", "middleName", "externalUserID", "emails", "phones[0]"])
            #expect(profile.user == InfobipUser())
            #expect(await code { try await profile.personalize(InfobipIdentity()) } == .invalidArgument)
            #expect(world.requests.count == count)
        }
    }

    @Test func row35NullIsNoExternalID() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            #expect(await code { try await profile.save { $0.externalUserID = .set("NuLL") } } == .invalidArgument)
            let identity = InfobipIdentity(externalUserID: "null")
            #expect(await code { try await profile.personalize(identity) } == .invalidArgument)
        }
    }

    @Test func rows36And37AttributesKeepTheirKindsAndDatesAreTextsThatAreReadWhereTheAppSaysSo() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let moment = Date(timeIntervalSince1970: 1_483_210_500)
            try await profile.save {
                $0.customAttributes = [
                    "s": .set("2020-01-15"), "n": .set(9.5), "b": .set(true), "d": .set(.date(CalendarDay(moment))),
                    "dt": .set(.dateTime(moment)),
                ]
            }
            #expect(world.lastBody(on: .updatePerson)?.contains(#""dt":"2016-12-31T18:55:00Z""#) == true)
            let custom = try await profile.fetchUser().customAttributes
            #expect(custom["s"] == "2020-01-15")
            #expect(custom["d"]?.day?.description == "2016-12-31")
            #expect(custom["dt"]?.moment == moment)
        }
        try await world.live { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.user.customAttributes["n"] == 9.5)
            #expect(it.infobip.user.customAttributes["b"] == true)
        }
    }

    @Test func row38ListsHaveOneShape() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            let wrong: InfobipValue = [["a": 1], ["b": 1]]
            #expect(
                await code { try await profile.save { $0.customAttributes["l"] = .set(wrong) } } == .invalidArgument
            )
            let right: InfobipValue = [["a": 1, "d": .dateTime(Date(timeIntervalSince1970: 0))]]
            try await profile.save { $0.customAttributes["l"] = .set(right) }
            #expect(world.infobip.person(of: id)?.attributesJSON == #"{"l":[{"a":1,"d":"1970-01-01T00:00:00Z"}]}"#)
        }
    }

    @Test func row39AnAttributeIsErasedByClearingItAndWhatIsNotNamedStays() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.save { $0.customAttributes = ["a": .set(1), "b": .set(2)] }
            try await profile.save { $0.customAttributes = ["a": .clear] }
            #expect(world.lastBody(on: .updatePerson) == #"{"customAttributes":{"a":null}}"#)
            #expect(world.infobip.person(of: id)?.attributes == ["b": 2])
            #expect(profile.user.customAttributes == ["b": 2])
        }
    }

    @Test func rows40And41PersonalizeSaysWhatIsGivenAndAllItsSwitches() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            var attributes = InfobipAttributes()
            attributes.firstName = "A"
            attributes.customAttributes = ["gone": .clear]
            try await it.infobip.personalize(Self.ann, attributes: attributes, keepAsLead: true)
            let body =
                #"{"userAttributes":{"customAttributes":{"gone":null},"firstName":"A"},"userIdentity":{"externalUserId":"ann"}}"#
            #expect(world.lastBody(on: .personalize) == body)
            #expect(it.infobip.user.type == .lead)
            let url = signet.transport.exchanges.last { $0.request.url.contains("personalize") }?.request.url
            #expect(url?.hasSuffix("?forceDepersonalize=0&keepAsLead=1&setDeviceAsPrimary=0") == true)
        }
    }

    @Test func row42APartOfAnIdentityLeavesTheRest() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(InfobipIdentity(emails: ["a@example.com"], externalUserID: "ann"))
            let user = try await profile.personalize(InfobipIdentity(phones: ["385910000000"], externalUserID: "ann"))
            #expect(user.emails == ["a@example.com"])
            #expect(user.phones == ["385910000000"])
        }
    }

    @Test func row43WhatIsAnotherPersonsIsRolledBackAndOtherEditsGoOn() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "ann")
        try await world.liveRegistered { profile, id in
            let error = await #expect(throws: SignetError.self) {
                try await profile.save {
                    $0.externalUserID = .set("ann")
                    $0.firstName = .set("A")
                }
            }
            #expect(error?.code == .rejected)
            #expect(error?.errors.map(\.code) == ["USER_MERGE_INTERRUPTED"])
            #expect(error?.errors.first?.message.isEmpty == false)
            try await profile.waitUntilIdle()
            #expect(profile.user.externalUserID == nil)
            #expect(world.infobip.person(of: id)?.firstName == "A")
            #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"A"}"#)
        }
    }

    @Test func row43SeveralCandidatesLeaveEverythingAsItWas() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "ann")
        world.infobip.makePerson(emails: ["bob@example.com"])
        try await world.liveRegistered { profile, _ in
            let both = InfobipIdentity(emails: ["bob@example.com"], externalUserID: "ann")
            let error = await #expect(throws: SignetError.self) { try await profile.personalize(both) }
            #expect(error?.errors.map(\.code) == ["AMBIGUOUS_PERSONALIZE_CANDIDATES"])
            #expect(profile.user.externalUserID == nil)
        }
    }

    @Test func row44AFailedPersonalizeNeverLeaksIntoASave() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            var attributes = InfobipAttributes()
            attributes.firstName = "Ann"
            world.emulator.faults.inject(.connectionRefused, on: .personalize)
            #expect(await code { try await profile.personalize(Self.ann, attributes: attributes) } == .notConnected)
            #expect(world.infobip.person(of: id)?.externalUserID == nil)
            // It stays wanted, and a save waits behind it.
            #expect(try await profile.save { $0.lastName = .set("B") } == .pending)
            #expect(world.infobip.requests(on: .updatePerson).isEmpty)
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(world.lastBody(on: .updatePerson) == #"{"lastName":"B"}"#)
            #expect(world.infobip.person(of: id)?.firstName == "Ann")
        }
    }
}
