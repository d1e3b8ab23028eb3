// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A caller who goes away gets `cancelled`; the installation still takes the answer, and the slot comes free.
@Suite(.watched) struct IdentityManagerCancellationTests {
    @Test(arguments: NetworkCall.allCases)
    func aTaskThatWasCancelledBeforeSendsNothing(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await call.code(on: installation)
        }
        #expect(await task.value == .cancelled)
        try await signet.run { _ in
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
        let sent = signet.transport.identityEndpoints
        #expect(sent == (call == .identified ? ["identify", "login"] : ["login"]))
    }

    @Test(arguments: NetworkCall.allCases)
    func cancelledBeforeRunTheCallIsNeverSent(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        let task = Task { await call.code(on: installation) }
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        task.cancel()
        #expect(await task.value == .cancelled)
        try await signet.run { _ in
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
        let sent = signet.transport.identityEndpoints
        #expect(sent == (call == .identified ? ["identify", "login"] : ["login"]))
    }

    @Test(arguments: NetworkCall.allCases)
    func cancelledInFlightTheAnswerIsTakenAndTheSlotComesFree(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate))
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: call.start)
            let task = Task { await call.code(on: installation) }
            await gate.arrived()
            task.cancel()
            #expect(await task.value == .cancelled)
            // Still at the platform: the slot is taken, by the app or by Signet's own call, which refuses nobody.
            if call != .identified {
                #expect(await NetworkCall.login.code(on: installation) == .requestInProgress)
            }
            gate.open()
            let end = await NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .seconds(5)))
            #expect(end == nil)
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    @Test func theAnswerToACancelledLoginMakesTheUserCurrentAndIsNews() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var changes = installation.userChanges().makeAsyncIterator()
            let task = Task { await NetworkCall.login.code(on: installation) }
            await gate.arrived()
            task.cancel()
            #expect(await task.value == .cancelled)
            gate.open()
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(change.current?.identities[.customerID]?.value == "c-2")
            #expect(installation.currentUser?.mpid == change.current?.mpid)
        }
    }

    @Test func cancelledWhileWaitingForItsTurnTheCallIsNeverSentAndTheNextOneKeepsItsPlace() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            let first = Task { await NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .seconds(4))) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            let second = Task { await NetworkCall.search.code(on: installation, whenBusy: .wait(upTo: .seconds(3))) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(3))
            first.cancel()
            #expect(await first.value == .cancelled)
            gate.open()
            #expect(await login == nil)
            #expect(await second.value == nil)
            #expect(signet.transport.identityEndpoints == ["login", "search"])
        }
    }

    @Test func cancelledWhileSignetsOwnCallIsUnderWayTheCallIsNeverSent() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .identify)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one")
            await gate.arrived()
            let task = Task { await NetworkCall.login.code(on: installation, whenBusy: .wait(upTo: .seconds(4))) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            task.cancel()
            #expect(await task.value == .cancelled)
            gate.open()
            _ = try await installation.initialIdentifyResult()
            #expect(await NetworkCall.search.code(on: installation) == nil)
            #expect(signet.transport.identityEndpoints == ["identify", "search"])
        }
    }

    @Test func cancelledDuringABackOffTheTriesGoOnForTheInstallation() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        known.platform.faults.inject(.status(503), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var changes = installation.userChanges().makeAsyncIterator()
            let task = Task {
                await code { () async throws(SignetError) in
                    _ = try await installation.login(
                        [.customerID: "c-2"],
                        retry: RetryPolicy(totalTime: .seconds(60), initialDelay: .seconds(2), jitter: 0)
                    )
                }
            }
            await known.clock.untilNextSleeper(isDueIn: .seconds(2))
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(await NetworkCall.login.code(on: installation) == .requestInProgress)
            known.clock.advance(by: .seconds(2))
            let change = await changes.next(isolation: #isolation)
            #expect(change?.current?.identities[.customerID]?.value == "c-2")
        }
    }

    @Test func aWaitForTheStartThatIsCancelledLeavesTheStartAlone() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .identify)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one")
            await gate.arrived()
            let task = Task { await NetworkCall.identified.code(on: installation) }
            task.cancel()
            #expect(await task.value == .cancelled)
            gate.open()
            #expect(try await installation.initialIdentifyResult().user.isLoggedIn)
        }
    }
}
