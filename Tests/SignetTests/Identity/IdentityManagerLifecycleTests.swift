// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// Calls before, after and at the end of `run()`: each returns.
@Suite(.watched) struct IdentityManagerLifecycleTests {
    @Test(arguments: NetworkCall.allCases)
    func beforeRunACallWaitsAtMostItsOwnTimeout(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        async let code = call.code(on: installation)
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        known.clock.advance(by: .milliseconds(9999))
        #expect(known.clock.sleepers == 1)
        known.clock.advance(by: .milliseconds(1))
        #expect(await code == .notRunning)
        #expect(signet.transport.exchanges.isEmpty)
        await signet.runtime.shutdown()
    }

    @Test(arguments: NetworkCall.allCases)
    func aCallBeforeRunIsPerformedWhenSomebodyRuns(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        let task = Task { await call.code(on: installation) }
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        known.clock.advance(by: .seconds(9))
        let code = try await signet.run { _ in await task.value }
        #expect(code == nil)
        #expect(signet.transport.identityEndpoints.count == 1)
    }

    @Test func theSlotIsFreeAfterACallThatNobodyRan() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: .none)
        async let code = NetworkCall.login.code(on: installation)
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        known.clock.advance(by: .seconds(10))
        #expect(await code == .notRunning)
        try await signet.run { _ in
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
        #expect(signet.transport.identityEndpoints == ["login"])
    }

    @Test func aCallThatWaitsBehindTheStartBeforeRunGivesUpToo() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one")
        async let code = NetworkCall.login.code(on: installation)
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        known.clock.advance(by: .seconds(10))
        #expect(await code == .notRunning)
        await signet.runtime.shutdown()
    }

    @Test(arguments: NetworkCall.allCases)
    func afterRunACallEndsAtOnce(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.run { try await $0.runtime.open("one", identify: .none) }
        // Without a start, `identified` needs no platform.
        #expect(await call.code(on: installation) == (call == .identified ? nil : .notRunning))
        #expect(known.clock.sleepers == 0)
    }

    @Test func afterRunTheStartIsStillTold() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.run { try await $0.runtime.open("one") }
        #expect(try await installation.initialIdentifyResult().user.identities[.customerID]?.value == "c-1")
    }

    @Test(arguments: NetworkCall.allCases)
    func afterAShutdownWithoutRunACallEndsAtOnce(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        await signet.runtime.shutdown()
        #expect(await call.code(on: installation) == .notRunning)
        #expect(signet.transport.exchanges.isEmpty)
    }

    @Test(arguments: NetworkCall.allCases)
    func aShutdownWithoutRunAnswersWhoWaits(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: call.start)
        async let code = call.code(on: installation)
        await known.clock.untilNextSleeper(isDueIn: .seconds(10))
        await signet.runtime.shutdown()
        #expect(await code == .notRunning)
    }

    @Test(arguments: NetworkCall.allCases)
    func duringAShutdownACallIsRefusedAndTheOneUnderWayIsFinished(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            async let report = signet.runtime.shutdown(within: .seconds(14))
            await known.clock.untilNextSleeper(isDueIn: .seconds(7))
            #expect(await call.code(on: installation) == (call == .identified ? nil : .notRunning))
            gate.open()
            #expect(await login == nil)
            #expect(await report.isComplete)
        }
        #expect(known.platform.faults.remaining == 0)
        #expect(signet.transport.identityEndpoints.count == 1)
    }

    @Test func aShutdownThatRunsOutOfTimeAnswersWhoWaits() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate), on: .login)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await gate.arrived()
            async let waiting = NetworkCall.identify.code(on: installation, whenBusy: .wait(upTo: .seconds(6)))
            await known.clock.untilNextSleeper(isDueIn: .seconds(6))
            async let report = signet.runtime.shutdown(within: .seconds(10))
            await known.clock.untilNextSleeper(isDueIn: .seconds(5))
            known.clock.advance(by: .seconds(5))
            #expect(await !report.isComplete)
            #expect(await login == .notRunning)
            #expect(await waiting == .notRunning)
        }
    }

    @Test(arguments: NetworkCall.allCases)
    func cancellingRunAnswersWhoIsUnderWay(call: NetworkCall) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let gate = EmulatorGate()
        known.platform.faults.inject(.held(gate))
        let run = Task { await code { () async throws(SignetError) in try await signet.runtime.run() } }
        let installation = try await signet.runtime.open("one", identify: call.start)
        async let underWay = call.code(on: installation)
        await gate.arrived()
        run.cancel()
        #expect(await underWay == .notRunning)
        #expect(await run.value == nil)
        #expect(await NetworkCall.login.code(on: installation) == .notRunning)
    }

    @Test func localCallsWorkBeforeRunAndEndAtOnceAfterIt() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let installation = try await signet.runtime.open("one", identify: .none)
        try await Self.changeEverything(of: installation)
        #expect(installation.currentUser?.attributes == ["plan": .string("gold")])
        await signet.runtime.shutdown()
        #expect(
            await code { () async throws(SignetError) in try await Self.changeEverything(of: installation) }
                == .notRunning
        )
        let alias = AliasRequest(
            source: IdentityFixture.mpid(1),
            destination: IdentityFixture.mpid(2),
            start: known.clock.date.addingTimeInterval(-60),
            end: known.clock.date
        )
        let aliasCode = await code { () async throws(SignetError) in _ = try await installation.alias(alias) }
        #expect(aliasCode == .notRunning)
        #expect(await installation.aliasOutcome(of: IdentityFixture.stamp) == nil)
    }

    private static func changeEverything(of installation: Installation) async throws(SignetError) {
        try await installation.setAttribute(.string("gold"), for: "plan")
        try await installation.setDeviceIdentity("vendor", for: .iosVendorID)
        try await installation.setOptedOut(true)
        try await installation.setOptedOut(false)
    }
}
