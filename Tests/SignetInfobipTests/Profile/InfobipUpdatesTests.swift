// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, row 55: what happens is told, once, and in order.
@Suite struct InfobipUpdatesTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    /// What was told until a token of the test's own, which comes last.
    private static func told(_ changes: Updates<InfobipUpdate>, by profile: InfobipProfile) async throws -> [String] {
        try await profile.waitUntilIdle()
        try await profile.setPushToken(PushToken("EE", service: .hms))
        var told: [String] = []
        for await change in changes {
            switch change.kind {
            case .registrationUpdated: told.append("registered")
            case .pushTokenReceived: return told
            case .installationSynced(let installation): told.append("installation \(installation.isPrimary)")
            case .userSynced(let user): told.append("user \(user.firstName ?? "")")
            case .personalized: told.append("personalized")
            case .depersonalized: told.append("depersonalized")
            case .failed(let error): told.append("failed \(error.errors.first?.code ?? "")")
            }
        }
        return told
    }

    @Test func row55AForcedPersonalizeIsBoth() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            let changes = try profile.changes
            try await profile.personalize(InfobipIdentity(externalUserID: "bob"), forceDepersonalize: true)
            #expect(try await Self.told(changes, by: profile) == ["depersonalized", "personalized"])
        }
    }

    @Test func row55AChangeOfTheInstallationIsTold() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let changes = try profile.changes
            try await profile.saveOwn { $0.isPrimary = true }
            // What changes nothing is not told; the primary flag may be another device's by now.
            try await profile.saveOwn { $0.isPushRegistrationEnabled = true }
            #expect(try await Self.told(changes, by: profile) == ["installation true"])
        }
    }

    @Test func row55ARefusedSaveIsToldOnce() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.fetchUser()
            let changes = try profile.changes
            let no = FaultInjector.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.faults.inject(no, on: .updatePerson)
            #expect(await code { try await profile.save { $0.firstName = .set("A") } } == .rejected)
            try await profile.save { $0.lastName = .set("B") }
            #expect(try await Self.told(changes, by: profile) == ["failed USER_DATA_RESTRICTED", "user "])
        }
    }

    @Test func row55ALostRegistrationIsToldWithTheNextOne() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            let changes = try profile.changes
            world.infobip.expireInstallation(id)
            try await profile.fetchUser()
            let told = try await Self.told(changes, by: profile)
            #expect(told == ["failed NO_REGISTRATION", "registered", "installation false", "personalized"])
        }
    }
}
