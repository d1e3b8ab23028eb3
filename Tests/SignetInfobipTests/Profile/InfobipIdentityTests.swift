// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 42 and 43: parts of an identity, and identities that are another person's.
@Suite struct InfobipIdentityTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func row42APartOfAnIdentityIsSentAlone() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(InfobipIdentity(emails: ["a@example.com"], externalUserID: "ann"))
            let part = InfobipIdentity(phones: ["385910000000"], externalUserID: "ann")
            world.emulator.faults.inject(.status(503), on: .personalize)
            #expect(await code { try await profile.personalize(part) } == .serverFailure)
            #expect(profile.user.emails == ["a@example.com"])
            #expect(profile.user.phones.isEmpty)
            try await profile.personalize(part)
            let body = #"{"userIdentity":{"externalUserId":"ann","phones":[{"number":"385910000000"}]}}"#
            #expect(world.lastBody(on: .personalize) == body)
            #expect(profile.user.emails == ["a@example.com"])
        }
    }

    @Test func row43WhatIsAnotherPersonsOnPersonalizeChangesNothing() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "ann", phones: ["385910000000"])
        try await world.liveRegistered { profile, id in
            try await profile.save { $0.emails = .set(["mine@example.com"]) }
            let before = try await profile.fetchUser()
            let carl = InfobipIdentity(phones: ["385910000000"], externalUserID: "carl")
            let error = await #expect(throws: SignetError.self) { try await profile.personalize(carl) }
            #expect(error?.code == .rejected)
            #expect(error?.errors.map(\.code) == ["USER_MERGE_INTERRUPTED"])
            #expect(profile.user == before)
            #expect(!profile.hasPendingChanges)
            try await profile.save { $0.firstName = .set("A") }
            #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"A"}"#)
            #expect(world.infobip.person(of: id)?.emails == ["mine@example.com"])
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        }
    }

    @Test func row43PhonesAndAddressesGoBackToWhatTheServiceHas() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "ann", phones: ["385910000000"], emails: ["ann@example.com"])
        try await world.liveRegistered { profile, id in
            try await profile.save {
                $0.phones = .set(["385910000001"])
                $0.emails = .set(["mine@example.com"])
            }
            let error = await #expect(throws: SignetError.self) {
                try await profile.save {
                    $0.phones = .set(["385910000000"])
                    $0.emails = .set(["ann@example.com"])
                    $0.firstName = .set("A")
                }
            }
            #expect(error?.errors.map(\.code) == ["USER_MERGE_INTERRUPTED"])
            try await profile.waitUntilIdle()
            #expect(profile.user.phones == ["385910000001"])
            #expect(profile.user.emails == ["mine@example.com"])
            #expect(profile.user.firstName == "A")
            let person = try #require(world.infobip.person(of: id))
            #expect((person.phones, person.emails) == (["385910000001"], ["mine@example.com"]))
            #expect(person.firstName == "A")
        }
    }

    @Test func row43SeveralCandidatesLeaveACustomerAlsoWhenForced() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "carl")
        world.infobip.makePerson(emails: ["bob@example.com"])
        try await world.liveRegistered { profile, id in
            var attributes = InfobipAttributes()
            attributes.firstName = "Ann"
            let before = try await profile.personalize(Self.ann, attributes: attributes, setDeviceAsPrimary: true)
            let both = InfobipIdentity(emails: ["bob@example.com"], externalUserID: "carl")
            let error = await #expect(throws: SignetError.self) {
                try await profile.personalize(both, forceDepersonalize: true)
            }
            #expect(error?.errors.map(\.code) == ["AMBIGUOUS_PERSONALIZE_CANDIDATES"])
            #expect(profile.user == before)
            #expect(profile.installation.isPrimary)
            #expect(!profile.isDepersonalizationPending && !profile.hasPendingChanges)
            try await profile.save { $0.lastName = .set("B") }
            let person = try #require(world.infobip.person(of: id))
            #expect((person.externalUserID, person.firstName, person.lastName) == ("ann", "Ann", "B"))
        }
    }

    @Test func row43SeveralCandidatesSayNothingOfADepersonalizeThatWaits() async throws {
        let world = try InfobipWorld()
        world.infobip.makePerson(externalUserID: "carl")
        world.infobip.makePerson(emails: ["bob@example.com"])
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.emulator.faults.inject(.refused(status: 400, code: "9", message: "no"), on: .depersonalize)
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            #expect(try await profile.depersonalize() == .pending)
            #expect(profile.isDepersonalizationPending)
            let both = InfobipIdentity(emails: ["bob@example.com"], externalUserID: "carl")
            let error = await #expect(throws: SignetError.self) { try await profile.personalize(both) }
            #expect(error?.code == .serverFailure)
            try await profile.waitUntilIdle()
            #expect(profile.isDepersonalizationPending)
            #expect(profile.user == InfobipUser())
            #expect(world.infobip.person(of: id)?.externalUserID == "ann")
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(!profile.isDepersonalizationPending)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [])
        }
    }
}
