// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// What becomes of calls under way when their installation is closed and opened again.
@Suite(.watched) struct ReopeningTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func closedAndOpenedTwiceNeverPutsTwoIdentityRequestsOnTheWire() async throws {
        let gate = EmulatorGate()
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.held(gate), on: .login)
            let first = try await signet.runtime.open("v", identify: .none)
            async let login = first.login([.customerID: "c-1"])
            await gate.arrived()
            first.endLaunch()
            try await signet.runtime.open("v", identify: .none).endLaunch()
            let third = try await signet.runtime.open("v", identify: .none)
            async let identify = third.identify()
            gate.open()
            _ = try? await login
            _ = try await identify
            #expect(signet.transport.maximumInFlight == 1)
        }
    }

    @Test func anAnswerThatNobodyStoresIsNoSuccess() async throws {
        let gate = EmulatorGate()
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.held(gate), on: .login)
            let first = try await signet.runtime.open("v", identify: .none)
            async let login = first.login([.customerID: "c-1"])
            await gate.arrived()
            first.endLaunch()
            let second = try await signet.runtime.open("v", identify: .none)
            gate.open()
            do {
                _ = try await login
                Issue.record("The login of a user whom nobody stored was called a success.")
            } catch let error as SignetError {
                #expect(error.code == .closed)
            }
            #expect(second.currentUser == nil)
        }
    }

    @Test func whoWaitsOnAReplacedInstallationIsAnsweredWhenTheRuntimeEnds() async throws {
        let gate = EmulatorGate()
        let signet = try EmulatedSignet(in: self.folder.path)
        signet.emulator.faults.inject(.held(gate), on: .login)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let running = RunningRuntime(signet.runtime)
            group.addTask { await running.run() }
            let first = try await signet.runtime.open("v", identify: .none)
            async let login = Self.code { try await first.login([.customerID: "c-1"]) }
            await gate.arrived()
            async let waiter = Self.code {
                try await first.login([.customerID: "c-2"], whenBusy: .wait(upTo: .seconds(1)))
            }
            first.endLaunch()
            _ = try await signet.runtime.open("v", identify: .none)
            group.cancelAll()
            let outcomes = [await login, await waiter]
            #expect(!outcomes.contains(nil))
        }
    }

    /// Why a call failed; nil when it succeeded.
    private static func code(_ call: @Sendable () async throws -> IdentityResult) async -> SignetError.Code? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? SignetError)?.code
        }
    }

    @Test func whileNobodyIsKnownAnOpenAsksAgainAfterAPause() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.connectionRefused, on: .identify)
            let first = try await signet.runtime.open("v", identify: .ifUnknown)
            let error = await #expect(throws: SignetError.self) { _ = try await first.initialIdentifyResult() }
            #expect(error?.code == .notConnected)
            _ = try await signet.runtime.open("v", identify: .ifUnknown)
            signet.clock.advance(by: .seconds(5))
            let second = try await signet.runtime.open("v", identify: .ifUnknown)
            let result = try await second.initialIdentifyResult()
            #expect(first.currentUser?.mpid == result.user.mpid)
            _ = try await signet.runtime.open("v", identify: .ifUnknown)
            #expect(signet.emulator.requestCounts()["identify"] == 1)
            #expect(signet.transport.exchanges.count { $0.endpoint == "identify" } == 2)
        }
    }

    @Test func aSessionInTheForegroundKeepsItsInstallationInMemory() async throws {
        let configure: (inout SignetConfiguration) -> Void = { $0.sessions.mode = .application }
        try await withEmulatedSignet(in: self.folder.path, configure: configure) { signet in
            let first = try await signet.runtime.open("v", identify: .none).currentSession
            let second = try await signet.runtime.open("v", identify: .none).currentSession
            #expect(first == second)
            #expect(signet.runtime.statistics.sessionChanges == 1)
        }
    }

    @Test func anAppThatEndsInTheForegroundHasASessionThatTimesOut() async throws {
        let configure: (inout SignetConfiguration) -> Void = { $0.sessions.mode = .application }
        try await withEmulatedSignet(in: self.folder.path, configure: configure) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            visitor.endLaunch()
            signet.clock.advance(by: .seconds(60))
            let change = await changes.nextFact()
            #expect(change.map { if case .ended = $0.kind { true } else { false } } == true)
            #expect(visitor.currentSession == nil)
        }
    }

    @Test func aSessionLeftOpenWhileOptedOutIsRemovedAndTheNextOneBeginsAfterOptingIn() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let first = try await signet.runtime.open("v", identify: .none)
            #expect(first.currentSession != nil)
            try await first.setOptedOut(true)
            first.endLaunch()
            let second = try await signet.runtime.open("v", identify: .none)
            #expect(second.currentSession == nil)
            let changes = second.sessionChanges()
            try await second.setOptedOut(false)
            try second.log(.screen("Home"))
            var iterator = changes.makeAsyncIterator()
            let began = await iterator.nextFact()
            #expect(began?.kind == .began)
            #expect(began?.session == second.currentSession)
        }
    }
}

/// Runs a runtime and swallows the one error that its cancellation can bring.
private struct RunningRuntime {
    let runtime: SignetRuntime

    init(_ runtime: SignetRuntime) {
        self.runtime = runtime
    }

    func run() async {
        do throws(SignetError) {
            try await self.runtime.run()
        } catch {
            #expect(error.code == .notRunning)
        }
    }
}
