// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// What happens while an identity call pauses between two tries.
@Suite(.watched) struct PauseTests {
    private let folder: TemporaryFolder
    private let policy = RetryPolicy(totalTime: .seconds(300), initialDelay: .seconds(20), jitter: 0)

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func nothingIsRepeatedForWhoOptedOutInThePause() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.injectAlways(.status(500), on: .login)
            let visitor = try await signet.runtime.open("v", identify: .none)
            async let code = self.code(of: visitor)
            await self.untilPaused(signet)
            try await visitor.setOptedOut(true)
            signet.clock.advance(by: .seconds(20))
            #expect(await code == .optedOut)
            #expect(signet.transport.exchanges.map(\.endpoint) == ["login"])
        }
    }

    @Test func aCallThatPausesDoesNotCostTheLastUpload() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signet.runtime.run() }
            let known = try await signet.runtime.open("known")
            let mpid = try await known.initialIdentifyResult().user.mpid
            try known.log(.screen("Home"))
            signet.emulator.faults.injectAlways(.status(500), on: .login)
            let visitor = try await signet.runtime.open("v", identify: .none)
            async let code = self.code(of: visitor)
            await self.untilPaused(signet)
            async let report = signet.runtime.shutdown(within: .seconds(30))
            // The half of the time that calls have, and no more: the other half is the upload's.
            await signet.clock.untilNextSleeper(isDueIn: .seconds(15))
            signet.clock.advance(by: .seconds(15))
            await until("two events at the platform") { signet.emulator.events(of: mpid).count >= 2 }
            _ = await (code, report)
            try await group.waitForAll()
        }
    }

    @Test func aWrongStampAtTheNextOpenLeavesTheClosedInstallationItsAnswer() async throws {
        let gate = EmulatorGate()
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.held(gate), on: .login)
            let visitor = try await signet.runtime.open("v", identify: .none)
            async let code = self.code(of: visitor)
            await gate.arrived()
            visitor.endLaunch()
            let other = try await signet.runtime.open("w", identify: .none).deviceApplicationStamp
            await #expect(throws: SignetError.self) {
                try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: other)
            }
            gate.open()
            #expect(await code == nil)
            #expect(try await signet.runtime.open("v", identify: .none).currentUser?.isLoggedIn == true)
        }
    }

    @Test func aDroppedRuntimeLetsItsObserverGo() async throws {
        weak var observer: QuietObserver?
        do {
            let strong = QuietObserver()
            observer = strong
            let signet = try EmulatedSignet(in: self.folder.path, observer: strong)
            _ = try await signet.runtime.open("v")
        }
        #expect(observer == nil)
    }

    private final class QuietObserver: SignetObserver {}

    private func code(of visitor: Installation) async -> SignetError.Code? {
        do throws(SignetError) {
            try await visitor.login([.customerID: "c-1"], retry: self.policy)
            return nil
        } catch {
            return error.code
        }
    }

    /// Waits until the first try has failed and the pause has begun.
    private func untilPaused(_ signet: EmulatedSignet) async {
        await until("an answered login") {
            signet.transport.exchanges.last?.endpoint == "login" && signet.transport.inFlight == 0
        }
        await until("the pause of 20 s") {
            signet.clock.nextDeadline.map { signet.clock.now.duration(to: $0) == .seconds(20) } == true
        }
    }
}
