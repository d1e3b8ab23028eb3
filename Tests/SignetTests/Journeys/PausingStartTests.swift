// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The app's calls beside an identify at the start that does not get through (design, law 3).
@Suite(.watched) struct PausingStartTests {
    private static let policy = RetryPolicy(
        totalTime: .seconds(3600),
        initialDelay: .seconds(30),
        maximumDelay: .seconds(300),
        jitter: 0,
        maximumAttempts: 100
    )

    @Test func aLoginTakesTheSlotFromAStartThatPauses() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.connectionRefused, on: .identify)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", retry: Self.policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(30))
            // It refuses to wait, and need not: nothing is on the wire.
            let user = try await installation.login([.customerID: "c-2"], whenBusy: .refuse).user
            #expect(signet.transport.identityEndpoints == ["identify", "login"])
            // The start, when its pause is over, has nothing left to ask, and does not bring c-1 back.
            known.clock.advance(by: .seconds(30))
            #expect(try await installation.initialIdentifyResult().user.mpid == user.mpid)
            #expect(installation.currentUser?.mpid == user.mpid)
            #expect(signet.transport.identityEndpoints == ["identify", "login"])
        }
    }

    @Test func aLoginWaitsForTheTryOnTheWireAndNoLonger() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.timeout, on: .identify)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", retry: Self.policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(10))
            await until("the request meets its faults") { known.platform.faults.remaining == 0 }
            async let login = NetworkCall.login.code(on: installation)
            await until("the login waits") { installation.core.store.read { !$0.identity.waiting.isEmpty } }
            #expect(await NetworkCall.logout.code(on: installation) == .requestInProgress)
            known.clock.advance(by: .seconds(10))
            #expect(await login == nil)
            #expect(signet.transport.identityEndpoints == ["identify", "login"])
            #expect(signet.transport.maximumInFlight == 1)
            // The pause of the start runs; a shutdown would wait for it.
            known.clock.advance(by: .seconds(30))
            #expect(await NetworkCall.identified.code(on: installation) == nil)
        }
    }

    @Test func theStartGoesOnAfterALoginThatFailed() async throws {
        let known = try await KnownInstallation()
        for _ in 0..<2 { known.platform.faults.inject(.connectionRefused, on: .identify) }
        known.platform.faults.inject(.connectionRefused, on: .login)
        try await known.next().run { signet in
            var policy = Self.policy
            policy.initialDelay = .seconds(12)
            let installation = try await signet.runtime.open("one", retry: policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(12))
            #expect(await NetworkCall.login.code(on: installation) == .notConnected)
            // Its pauses go on growing as if nobody had come between.
            known.clock.advance(by: .seconds(12))
            await known.clock.untilNextSleeper(isDueIn: .seconds(24))
            known.clock.advance(by: .seconds(24))
            #expect(try await installation.initialIdentifyResult().user.identities[.customerID]?.value == "c-1")
            #expect(signet.transport.identityEndpoints == ["identify", "login", "identify", "identify"])
        }
    }

    @Test func aStartWhoseTimeIsOverWhenItsTurnComesEndsWithItsLastError() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.connectionRefused, on: .identify)
        known.platform.faults.inject(.held(gate), on: .search)
        var policy = Self.policy
        policy.totalTime = .seconds(31)
        try await known.next { $0.identity.requestTimeout = .seconds(600) }.run { signet in
            let installation = try await signet.runtime.open("one", retry: policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(30))
            async let search = NetworkCall.search.code(on: installation)
            await gate.arrived()
            known.clock.advance(by: .seconds(32))
            await until("the start waits for its turn") {
                installation.core.store.read { !$0.identity.waiting.isEmpty }
            }
            gate.open()
            #expect(await search == nil)
            #expect(await NetworkCall.identified.code(on: installation) == .notConnected)
            #expect(signet.transport.identityEndpoints == ["identify", "search"])
        }
    }

    @Test func theEndOfTheRuntimeAnswersAStartThatLostItsSlot() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.connectionRefused, on: .identify)
        known.platform.faults.inject(.connectionRefused, on: .login)
        let signet = try known.next { $0.shutdownLimit = .zero }
        let installation = try await signet.run { signet in
            let installation = try await signet.runtime.open("one", retry: Self.policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(30))
            #expect(await NetworkCall.login.code(on: installation) == .notConnected)
            return installation
        }
        #expect(await NetworkCall.identified.code(on: installation) != nil)
    }
}
