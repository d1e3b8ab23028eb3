// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What becomes of a save when the service does not let the app in.
@Suite struct InfobipAccessTests {
    /// Facts 9, row 4: whoever saves hears what is wrong with the token, and nothing is lost.
    @Test func row4ASaveSaysWhatIsWrongWithTheToken() async throws {
        let world = try InfobipWorld()
        let people = world.infobip
        let expired = people.signToken(for: "ann", lifetime: .zero)
        for (text, id) in [("a.b", "JWT_TOKEN_STRUCTURE_INVALID"), (expired, "JWT_TOKEN_EXPIRED")] {
            let token = Locked(Secret(text))
            let tokens = TokenProvider<InstallationID> { _, _ in token.withLock { $0 } }
            try await world.liveRegistered(configure: { $0.infobip?.tokens = tokens }) { profile, _ in
                let count = world.requests.count
                let error = await #expect(throws: SignetError.self) {
                    try await profile.save { $0.firstName = .set(id) }
                }
                #expect(error?.code == .tokenUnavailable)
                #expect(error?.errors.map(\.code) == [id])
                #expect(error?.errors.first?.message.isEmpty == false)
                #expect(world.requests.count == count)
                #expect(profile.hasPendingChanges)
                #expect(profile.user.firstName == id)
                // With the next one that is good it arrives.
                token.withLock { $0 = Secret(people.signToken(for: "ann")) }
                try await profile.retry()
                try await profile.waitUntilIdle()
                #expect(!profile.hasPendingChanges)
                #expect(world.lastBody(on: .updatePerson) == #"{"firstName":"\#(id)"}"#)
            }
        }
    }

    /// A supplier that caches must know that its token was not accepted.
    @Test func theSupplierIsToldThatItsTokenWasRejected() async throws {
        let world = try InfobipWorld()
        let people = world.infobip
        let reasons = Locked<[TokenReason]>([])
        let tokens = TokenProvider<InstallationID> { _, reason in
            reasons.withLock { $0.append(reason) }
            return Secret(people.signToken(for: "ann"))
        }
        try await world.liveRegistered(configure: { $0.infobip?.tokens = tokens }) { profile, _ in
            try await profile.fetchUser()
            #expect(reasons.withLock { $0 } == [.absent])
            for fault in [FaultInjector.Fault.status(401), .refused(status: 401, code: "UNAUTHORIZED", message: "no")] {
                reasons.withLock { $0 = [] }
                world.emulator.faults.inject(fault, on: .fetchPerson)
                #expect(await code { try await profile.fetchUser() } == .unauthorized)
                try await profile.fetchUser()
                // The next one was accepted.
                try await profile.fetchUser()
                #expect(reasons.withLock { $0 } == [.absent, .rejected, .absent])
            }
        }
    }

    /// A registration that is refused says nothing of a personalize: that goes once there is one.
    @Test func aRefusedRegistrationIsNoRefusedPersonalize() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let no = FaultInjector.Fault.refused(status: 400, code: "REQUEST_FORMAT_INVALID", message: "no")
            world.emulator.faults.injectAlways(no, on: .createInstallation)
            try await it.infobip.setPushToken("AA")
            let error = await #expect(throws: SignetError.self) {
                try await it.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
            }
            #expect(error?.code == .notRegistered)
            #expect(error?.errors.map(\.code) == ["REQUEST_FORMAT_INVALID"])
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(it.infobip.user.externalUserID == "ann")
        }
    }

    @Test func aSaveThatIsNotLetInSaysSoAndIsKept() async throws {
        let faults: [(FaultInjector.Fault, [String])] = [
            (.status(403), ["0"]), (.refused(status: 401, code: "UNAUTHORIZED", message: "no"), ["UNAUTHORIZED"]),
            (.refused(status: 400, code: "APP_CODE_MISSING", message: "no"), ["APP_CODE_MISSING"]),
            (.refused(status: 400, code: "1", message: "no"), ["1"]),
        ]
        for (fault, ids) in faults {
            let world = try InfobipWorld()
            try await world.live { _, it in
                let id = try await it.infobip.register()
                world.emulator.faults.inject(fault, on: .updatePerson)
                var error = await #expect(throws: SignetError.self) {
                    try await it.infobip.save { $0.firstName = .set("A") }
                }
                #expect(error?.code == .unauthorized)
                #expect(error?.errors.map(\.code) == ids)
                world.emulator.faults.inject(fault, on: .updateInstallation)
                error = await #expect(throws: SignetError.self) {
                    try await it.infobip.saveOwn { $0.applicationUserID = .set("u") }
                }
                #expect(error?.code == .unauthorized)
                #expect(it.infobip.hasPendingChanges)
                try await world.settle(it)
                #expect(world.infobip.person(of: id)?.firstName == "A")
                #expect(world.infobip.installation(id)?.applicationUserID == "u")
            }
        }
    }

    /// Facts 2.9, rule 2: what the service says reaches the caller, also where it may be tried again.
    @Test func row50WhatAFailureSaysReachesTheCaller() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            for (status, code) in [(429, SignetError.Code.throttled), (500, .serverFailure), (503, .serverFailure)] {
                world.emulator.faults.inject(.refused(status: status, code: "X", message: "why"), on: .fetchPerson)
                let error = await #expect(throws: SignetError.self) { try await profile.fetchUser() }
                #expect(error?.code == code)
                #expect(error?.httpStatus == status)
                #expect(error?.errors == [PlatformError(code: "X", message: "why")])
            }
        }
    }
}
