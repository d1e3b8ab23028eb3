// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
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

    /// The pause is the caller's policy, or what the platform asked for.
    @Test(arguments: [503, 429]) func aCancelledCallSendsNothingNew(status: Int) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let pause: Duration? = status == 429 ? .seconds(12) : nil
        known.platform.faults.inject(.status(status, retryAfter: pause), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let task = Task { await Self.repeatedLogin(on: installation, pause: .seconds(12)) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(12))
            task.cancel()
            #expect(await task.value == .cancelled)
            // The slot is free at once.
            #expect(await NetworkCall.logout.code(on: installation) == nil)
            let user = installation.currentUser
            known.clock.advance(by: .seconds(120))
            for _ in 0..<500 { await Task.yield() }
            #expect(signet.transport.identityEndpoints == ["login", "logout"])
            #expect(installation.currentUser?.mpid == user?.mpid)
            #expect(await NetworkCall.login.code(on: installation) == nil)
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    /// The next call had to wait for the one that was cancelled: its turn comes at once.
    @Test func cancelledInAPauseTheCallGivesItsTurnToTheNextOne() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        known.platform.faults.inject(.status(503), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let task = Task { await Self.repeatedLogin(on: installation, pause: .seconds(12)) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(12))
            let next = Task { await NetworkCall.search.code(on: installation, whenBusy: .wait(upTo: .seconds(4))) }
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(await next.value == nil)
            #expect(signet.transport.identityEndpoints == ["login", "search"])
        }
    }

    /// As many requests as may be are on the wire: those of other installations.
    @Test func cancelledWhileItWaitsForThePlacesOfOthersTheCallIsNeverSent() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        let signet = try known.next { $0.identity.maximumInFlight = 1 }
        try await signet.run { signet in
            let other = try await signet.runtime.open("two", identify: .none)
            let installation = try await signet.runtime.open("one", identify: .none)
            known.platform.faults.inject(.held(gate), on: .identify)
            async let first = NetworkCall.identify.code(on: other)
            await gate.arrived()
            let task = Task { await NetworkCall.login.code(on: installation) }
            for _ in 0..<500 { await Task.yield() }
            task.cancel()
            #expect(await task.value == .cancelled)
            async let next = NetworkCall.logout.code(on: installation)
            for _ in 0..<500 { await Task.yield() }
            gate.open()
            #expect(await first == nil)
            #expect(await next == nil)
            #expect(signet.transport.identityEndpoints == ["identify", "logout"])
        }
    }

    /// The identify of an open is Signet's own: whoever waits for it has not ordered it.
    @Test func aWaitForTheStartThatIsCancelledInItsPauseLeavesTheStartAlone() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        known.platform.faults.inject(.status(503), on: .identify)
        try await signet.run { signet in
            let policy = RetryPolicy(totalTime: .seconds(60), initialDelay: .seconds(12), jitter: 0)
            let installation = try await signet.runtime.open("one", identify: .oncePerProcess, retry: policy)
            await known.clock.untilNextSleeper(isDueIn: .seconds(12))
            let task = Task { await NetworkCall.identified.code(on: installation) }
            for _ in 0..<100 { await Task.yield() }
            task.cancel()
            #expect(await task.value == .cancelled)
            known.clock.advance(by: .seconds(12))
            #expect(try await installation.initialIdentifyResult().user.isLoggedIn)
            #expect(signet.transport.identityEndpoints == ["identify", "identify"])
        }
    }

    private static func repeatedLogin(on installation: Installation, pause: Duration) async -> SignetError.Code? {
        await code { () async throws(SignetError) in
            _ = try await installation.login(
                [.customerID: "left"],
                retry: RetryPolicy(totalTime: .seconds(60), initialDelay: pause, jitter: 0)
            )
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
