// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// Defects that are in the shipping SDK's code today and must not be in ours: those of identity (facts of the vendor, 8.2).
@Suite(.watched) struct KnownIdentityDefectsTests {
    private static func modifies(_ transport: RecordingTransport) throws -> [(path: String, changes: [JSONValue])] {
        try transport.exchanges.filter { $0.endpoint == "modify" }.map { exchange in
            let changes = try JSONReader.read(exchange.request.body)["identity_changes"]?.array ?? []
            return (exchange.request.url.split(separator: "/").dropLast().last.map(String.init) ?? "", changes)
        }
    }

    @Test func defectOf32BitsUsersEqualInTheLowerHalfAreTwoUsers() async throws {
        let folder = try TemporaryFolder()
        let configuration = EmulatorConfiguration(mpids: .listed([77, 77 + (1 << 32)]))
        try await withEmulatedSignet(in: folder.path, emulator: configuration) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.login([.customerID: "c-1"])
            var changes = installation.userChanges().makeAsyncIterator()
            let result = try await installation.login([.customerID: "c-2"])
            #expect(result.previousUser?.mpid.rawValue == 77)
            try #require(signet.runtime.statistics.userChanges == 2)
            #expect(await changes.next(isolation: #isolation)?.current?.mpid.rawValue == 77 + (1 << 32))
            #expect(installation.allUsers.count == 2)
        }
    }

    @Test func defectOfErrorsATimeOutAndALostConnectionAreNotCalledTLSAndTheBodyIsRead() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.failure(TransportError(.timedOut, "")), on: .login)
        known.platform.faults.inject(.connectionRefused, on: .login)
        let body = #"{"errors":[{"code":"LOOKUP_ERROR","message":"m"}]}"#
        known.platform.faults.inject(.answer(TransportResponse(status: 400, body: Array(body.utf8))), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(await NetworkCall.login.code(on: installation) == .timedOut)
            #expect(await NetworkCall.login.code(on: installation) == .notConnected)
            let error = await NetworkCall.login.failure(on: installation)
            #expect(error?.httpStatus == 400)
            #expect(error?.errors.map(\.code) == ["LOOKUP_ERROR"])
        }
    }

    @Test func defectOfNullDeltasRemovingWhatTheUserDoesNotHaveSendsNothing() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(try await !installation.modify([.email: nil]).isSent)
            #expect(signet.transport.identityEndpoints.isEmpty)
            #expect(try await installation.modify([.email: nil, .other: "o"]).isSent)
        }
        let modifies = try Self.modifies(signet.transport)
        #expect(modifies.map(\.changes.count) == [1])
        #expect(modifies.first?.changes.first?["old_value"]?.isNull == true)
        #expect(modifies.first?.changes.first?["new_value"]?.string == "o")
    }

    @Test func defectOfModifyItBelongsToTheUserOfItsRequestWhoeverIsCurrent() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let one = try #require(installation.currentUser)
            known.platform.faults.inject(.held(gate), on: .login)
            async let login = installation.login([.customerID: "c-2"])
            await gate.arrived()
            // Called while c-1 is current, sent when c-2 is.
            let late = Task {
                await failure { () async throws(SignetError) in
                    try await installation.modify([.email: "one@x"], whenBusy: .wait(upTo: .seconds(3)))
                }
            }
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            gate.open()
            let two = try await login.user
            #expect(await late.value == nil)
            var request = IdentityRequest(user: one)
            request[.other] = "one's"
            #expect(try await installation.modify(request).user.mpid == one.mpid)
            #expect(installation.currentUser?.mpid == two.mpid)
            #expect(installation.currentUser?.identities.mapValues(\.value) == [.customerID: "c-2"])
            #expect(installation.user(one.mpid)?.identities[.email]?.value == "one@x")
            #expect(try Self.modifies(signet.transport).map(\.path) == [one.mpid.description, one.mpid.description])
            #expect(signet.emulator.user(one.mpid)?.identities[.email] == ["one@x"])
            #expect(signet.emulator.user(two.mpid)?.identities[.email] == nil)
        }
    }

    @Test func defectOfPushTokensAChangeDuringACallIsToldAfterIt() async throws {
        let known = try await KnownInstallation()
        let (login, token) = (EmulatorGate(), EmulatorGate())
        known.platform.faults.inject(.held(login), on: .login)
        known.platform.faults.inject(.replyHeld(token), on: .modify)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let code = NetworkCall.login.code(on: installation)
            await login.arrived()
            try await installation.setDeviceIdentity("t-1", for: .pushToken)
            try await installation.setDeviceIdentity("t-2", for: .pushToken)
            login.open()
            #expect(await code == nil)
            await token.arrived()
            let user = try #require(installation.currentUser)
            #expect(signet.emulator.user(user.mpid)?.identities[.pushToken] == ["t-2"])
            token.open()
            #expect(await NetworkCall.search.code(on: installation) == nil)
            #expect(try Self.modifies(signet.transport).count == 1)
        }
    }

    @Test func defectOfPushTokensATokenThatComesDuringTheFirstIdentifyIsToldAfterIt() async throws {
        let folder = try TemporaryFolder()
        let (start, token) = (EmulatorGate(), EmulatorGate())
        try await withEmulatedSignet(in: folder.path) { signet in
            signet.emulator.faults.inject(.held(start), on: .identify)
            signet.emulator.faults.inject(.replyHeld(token), on: .modify)
            let installation = try await signet.runtime.open("one")
            await start.arrived()
            try await installation.setDeviceIdentity("t-1", for: .pushToken)
            start.open()
            let user = try await installation.initialIdentifyResult().user
            await token.arrived()
            #expect(signet.emulator.user(user.mpid)?.identities[.pushToken] == ["t-1"])
            token.open()
        }
    }

    @Test func defectOfPushTokensTheEndOfThatCallFreesNobodyElsesSlot() async throws {
        let known = try await KnownInstallation()
        let (token, login) = (EmulatorGate(), EmulatorGate())
        known.platform.faults.inject(.held(token), on: .modify)
        known.platform.faults.inject(.held(login), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.setDeviceIdentity("t-1", for: .pushToken)
            await token.arrived()
            async let code = NetworkCall.login.code(on: installation, whenBusy: .wait(upTo: .seconds(3)))
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            token.open()
            await login.arrived()
            #expect(await NetworkCall.identify.code(on: installation) == .requestInProgress)
            login.open()
            #expect(await code == nil)
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    @Test func defectOfAttributesTheyGoToTheAddressedUser() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let one = try #require(installation.currentUser).mpid
            let two = try await installation.login([.customerID: "c-2"]).user.mpid
            try await installation.setAttribute(.string("of one"), for: "plan", of: one)
            #expect(installation.user(one)?.attributes == ["plan": .string("of one")])
            #expect(installation.user(two)?.attributes == [:])
            try await installation.setAttribute(.string("of two"), for: "plan")
            #expect(installation.user(one)?.attributes == ["plan": .string("of one")])
            #expect(installation.user(two)?.attributes == ["plan": .string("of two")])
            let stranger = await code { () async throws(SignetError) in
                try await installation.setAttribute(.bool(true), for: "a", of: IdentityFixture.mpid(404))
            }
            #expect(stranger == .noUser)
        }
    }

    @Test func defectOfAllUsersEveryoneOnceNobodyWithoutANumberTheLastSeenFirst() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.setAttribute(.string("for nobody yet"), for: "early")
            #expect(installation.allUsers.isEmpty)
            var seen: [String: MPID] = [:]
            for name in ["c-1", "c-2", "c-3", "c-2", "c-1", "c-3"] {
                seen[name] = try await installation.login([.customerID: name]).user.mpid
                try await installation.setAttribute(.string(name), for: "name")
                signet.clock.advance(by: .seconds(1))
            }
            #expect(installation.allUsers.map(\.mpid) == ["c-3", "c-1", "c-2"].compactMap { seen[$0] })
            #expect(installation.allUsers.map(\.lastSeen) == installation.allUsers.map(\.lastSeen).sorted(by: >))
            signet.runtime.evict("one")
            let restored = try await signet.runtime.open("one", identify: .none)
            #expect(restored.allUsers.map(\.mpid) == ["c-3", "c-1", "c-2"].compactMap { seen[$0] })
        }
    }

    @Test func defectOfIsLoggedInItSurvivesARestart() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        #expect(try await signet.runtime.open("one", identify: .none).currentUser?.isLoggedIn == true)
        await signet.runtime.shutdown()
    }

    @Test func defectOfDatesAChangedIdentityKeepsTheDateItWasFirstSetAlsoAcrossARestart() async throws {
        let known = try await KnownInstallation()
        let firstSet = known.clock.date
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.modify([.email: "a@x"])
            known.clock.advance(by: .seconds(86_400))
            try await installation.modify([.email: "b@x"])
        }
        let signet = try known.next()
        let user = try await signet.runtime.open("one", identify: .none).currentUser
        #expect(user?.identities[.email] == User.Identity(value: "b@x", firstSet: firstSet))
        #expect(user?.identities[.customerID]?.firstSet == firstSet)
        await signet.runtime.shutdown()
    }

    @Test func defectOfContextWhatThePlatformGaveIsSentBackAlsoAcrossARestart() async throws {
        let known = try await KnownInstallation()
        let body = #"{"context":"opaque-17","mpid":"5","is_logged_in":true,"is_ephemeral":false}"#
        known.platform.faults.inject(.answer(TransportResponse(status: 200, body: Array(body.utf8))), on: .identify)
        try await known.next().run { signet in
            _ = try await signet.runtime.open("one").initialIdentifyResult()
        }
        let signet = try known.next()
        try await signet.run { signet in
            _ = try await signet.runtime.open("one", identify: .none).login([.customerID: "c-2"])
        }
        let login = try #require(signet.transport.exchanges.first { $0.endpoint == "login" })
        #expect(try JSONReader.read(login.request.body)["context"]?.string == "opaque-17")
    }
}
