// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// One call at a time: who is refused, who waits, who may try again.
@Suite(.watched) struct IdentityManagerTests {
    // MARK: - When busy

    @Test func aBusySlotRefusesAtOnceAndSendsNothing() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .requestInProgress, "\(call)")
            }
            gate.open()
            #expect(await login == nil)
            #expect(signet.transport.identityEndpoints == ["login"])
        }
    }

    @Test func argumentsAreCheckedBeforeTheSlotAndTheSlotBeforeTheOptOut() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            try await installation.setOptedOut(true)
            let invalid = await code { () async throws(SignetError) in _ = try await installation.login([.email: ""]) }
            #expect(invalid == .invalidArgument)
            #expect(await NetworkCall.logout.code(on: installation) == .requestInProgress)
            gate.open()
            #expect(await login == nil)
            // Opted out before the empty delta.
            let unchanged = await code { () async throws(SignetError) in _ = try await installation.modify([:]) }
            #expect(unchanged == .optedOut)
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .optedOut, "\(call)")
            }
            #expect(signet.transport.identityEndpoints == ["login"])
        }
    }

    @Test func thoseWhoWaitGoInTheOrderInWhichTheyCame() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask { await NetworkCall.login.code(on: installation) }
                await gate.arrived()
                for (seconds, call) in [(9, NetworkCall.search), (8, .modify), (7, .logout), (6, .identify)] {
                    let limit = Duration.seconds(seconds)
                    group.addTask { await call.code(on: installation, whenBusy: .wait(upTo: limit)) }
                    await known.clock.untilNextSleeper(isDueIn: limit)
                }
                gate.open()
                for await code in group { #expect(code == nil) }
            }
            #expect(signet.transport.identityEndpoints == ["login", "search", "modify", "logout", "identify"])
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    @Test func whoHasWaitedLongEnoughIsToldThatARequestIsInProgress() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            async let waiting = NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .seconds(3)))
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            known.clock.advance(by: .seconds(3))
            #expect(await waiting == .requestInProgress)
            gate.open()
            #expect(await login == nil)
            #expect(signet.transport.identityEndpoints == ["login"])
        }
    }

    @Test func aWaitOfNoTimeIsARefusalWhenBusyAndACallWhenNot() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            #expect(await NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .zero)) == .requestInProgress)
            gate.open()
            #expect(await login == nil)
            #expect(await NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .zero)) == nil)
        }
    }

    @Test func theTurnThatCameInTimeIsNotTakenAwayByTheLimit() async throws {
        let known = try await KnownInstallation()
        let (first, second) = (EmulatorGate(), EmulatorGate())
        known.platform.faults.inject(.held(first), on: .login)
        known.platform.faults.inject(.held(second), on: .logout)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await first.arrived()
            async let waiting = NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .seconds(3)))
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            first.open()
            await second.arrived()
            known.clock.advance(by: .seconds(4))
            second.open()
            #expect(await login == nil)
            #expect(await waiting == nil)
        }
    }

    @Test func closingAndOpeningAgainNeverPutsTwoRequestsOnTheWire() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let closed = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: closed)
            await gate.arrived()
            closed.endLaunch()
            let opened = try await signet.runtime.open("one")
            let search = Task { await NetworkCall.search.code(on: opened, whenBusy: .wait(upTo: .seconds(4))) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            #expect(signet.transport.identityEndpoints == ["login"])
            gate.open()
            _ = await login
            #expect(await search.value == nil)
            #expect(signet.transport.identityEndpoints == ["login", "identify", "search"])
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    @Test func whoWaitsOnAClosedHandleIsToldSoWhenTheInstallationWasOpenedAgain() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await known.next().run { signet in
            let closed = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: closed)
            await gate.arrived()
            async let waiting = NetworkCall.logout.code(on: closed, whenBusy: .wait(upTo: .seconds(4)))
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            closed.endLaunch()
            let opened = try await signet.runtime.open("one")
            gate.open()
            _ = await login
            #expect(await waiting == .closed)
            #expect(try await opened.initialIdentifyResult().user.identities[.customerID]?.value == "c-1")
            #expect(await NetworkCall.login.code(on: closed) == .closed)
        }
    }

    // MARK: - Retry

    /// Logs in with a policy of 1, 2, 4 and so on seconds without jitter; moves the clock by each pause when it has begun.
    private static func login(
        _ installation: Installation,
        _ clock: ManualClock,
        total: Duration = .seconds(60),
        pauses: [Int]
    ) async -> SignetError? {
        let policy = RetryPolicy(totalTime: total, initialDelay: .seconds(1), jitter: 0)
        async let error = failure { () async throws(SignetError) in
            _ = try await installation.login([.customerID: "c-2"], retry: policy)
        }
        for seconds in pauses {
            await clock.untilNextSleeper(isDueIn: .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        return await error
    }

    @Test func aPolicyBacksOffOnTheClockUntilItSucceeds() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(500), on: .login)
        known.platform.faults.inject(.connectionRefused, on: .login)
        known.platform.faults.inject(.replyLost, on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(await Self.login(installation, known.clock, pauses: [1, 2, 4]) == nil)
            #expect(signet.transport.identityEndpoints.count == 4)
            let bodies = signet.transport.exchanges.filter { $0.endpoint == "login" }.map(\.request.body)
            let ids = try bodies.map { try JSONReader.read($0)["request_id"]?.string }
            #expect(Set(ids).count == 4)
        }
    }

    @Test func aPolicyHonoursWhatThePlatformAsksForAndTheThrottleSparesItTheRequest() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(429, retryAfter: .seconds(20)), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(await Self.login(installation, known.clock, pauses: [20]) == nil)
            #expect(signet.transport.identityEndpoints.count == 2)
        }
    }

    @Test func aPolicyGivesUpAtOnceWhenThePlatformAsksForMoreThanItHas() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(429, retryAfter: .seconds(61)), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let error = await Self.login(installation, known.clock, pauses: [])
            #expect(error?.code == .throttled)
            #expect(error?.retryAfter == .seconds(61))
            #expect(signet.transport.identityEndpoints.count == 1)
        }
    }

    @Test func aPolicyEndsWithItsTotalTimeAndFreesTheSlot() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.injectAlways(.status(503), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            // Tries at 0, 1, 3 and 7 s; the next would be at 15 s.
            let error = await Self.login(installation, known.clock, total: .seconds(14), pauses: [1, 2, 4])
            #expect(error?.code == .serverFailure)
            #expect(error?.httpStatus == 503)
            #expect(signet.transport.identityEndpoints.count == 4)
            #expect(await NetworkCall.identify.code(on: installation) == nil)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 409]) func aRefusalIsNeverRepeated(status: Int) async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(status), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let error = await Self.login(installation, known.clock, pauses: [])
            #expect(error?.httpStatus == status)
            #expect(signet.transport.identityEndpoints.count == 1)
        }
    }

    @Test func withoutAPolicyNothingIsRepeated() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.injectAlways(.status(500))
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one")
            #expect(await NetworkCall.identified.code(on: installation) == .serverFailure)
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .serverFailure)
            }
            #expect(signet.transport.identityEndpoints.count == 6)
            known.platform.faults.clear()
        }
    }

    @Test func thePolicyOfOpenIsThatOfTheStart() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(500), on: .identify)
        try await known.next().run { signet in
            let policy = RetryPolicy(totalTime: .seconds(9), initialDelay: .seconds(3), jitter: 0)
            let installation = try await signet.runtime.open("one", retry: policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            known.clock.advance(by: .seconds(3))
            #expect(try await installation.initialIdentifyResult().user.isLoggedIn)
            #expect(signet.transport.identityEndpoints == ["identify", "identify"])
        }
    }

    @Test func aThrottledEndpointIsLeftAloneUntilItsTimeIsOverAndOthersAreNot() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(429, retryAfter: .seconds(30)), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(await NetworkCall.login.failure(on: installation)?.retryAfter == .seconds(30))
            known.clock.advance(by: .seconds(29))
            let again = await NetworkCall.login.failure(on: installation)
            #expect(again?.code == .throttled)
            #expect(again?.retryAfter == .seconds(1))
            #expect(again?.httpStatus == nil)
            #expect(signet.transport.identityEndpoints == ["login"])
            #expect(await NetworkCall.identify.code(on: installation) == nil)
            known.clock.advance(by: .seconds(1))
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
    }
}
