// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A changed push token whose call failed is sent again without a call of the app.
@Suite(.watched) struct PushTokenRepeatingTests {
    @Test func aPushTokenWhoseCallFailedIsSentAgain() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        try await signet.run { signet in
            try await Self.set("t-1", signet, failing: 3)
            await until("a try") { Self.tries(signet) == 1 }
            for (count, pause) in [5, 15, 60].enumerated() {
                let passed = await Self.pass(signet, untilTry: count + 2)
                #expect(passed >= .seconds(pause))
            }
            await until("that is noted") { Self.change(signet) == nil }
            signet.clock.advance(by: .seconds(4000))
            for _ in 0..<200 { await Task.yield() }
            #expect(Self.tries(signet) == 4)
        }
    }

    @Test func afterAKillTheNextOpenSendsIt() async throws {
        let known = try await KnownInstallation()
        let image = Locked<TemporaryFolder?>(nil)
        try await known.next().run { signet in
            try await Self.set("t-1", signet, failing: 1)
            await until("a try") { Self.tries(signet) == 1 }
            let copy = try TemporaryFolder(copying: known.folder)
            image.withLock { $0 = copy }
        }
        let folder = try #require(image.withLock { $0 })
        let next = try EmulatedSignet(in: folder.path, platform: known.platform, clock: known.clock)
        try await next.run { next in
            _ = try await next.runtime.open("one", identify: .none)
            await until("it is sent") { Self.tries(next) == 1 }
            await until("that is noted") { Self.change(next) == nil }
        }
    }

    @Test func aTokenThatThePlatformRefusesIsSentAgainAfterALongPause() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        try await signet.run { signet in
            signet.emulator.faults.inject(.status(400), on: .modify)
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setDeviceIdentity("t-1", for: .pushToken)
            await until("a try") { Self.tries(signet) == 1 }
            let passed = await Self.pass(signet, untilTry: 2)
            #expect(passed >= .seconds(300))
        }
    }

    @Test func aVisitSendsItAndSaysHowThePlatformIs() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await Self.set("t-1", signet, failing: 2)
            await until("a try") { Self.tries(signet) == 1 }
            await signet.clock.untilNextSleeper(isDueIn: .seconds(5))
            guard case .again(let until) = await visitor.core.sendDueFacts() else {
                Issue.record("There is a pause.")
                return
            }
            #expect(until == signet.runtime.context.time.uptime + .seconds(5))
            signet.clock.advance(by: .seconds(5))
            await SignetTestSupport.until("another try") { Self.tries(signet) == 2 }
            await signet.clock.untilNextSleeper(isDueIn: .seconds(15))
            signet.clock.advance(by: .seconds(15))
            await SignetTestSupport.until("it is sent") { Self.change(signet) == nil }
            guard case .nothing = await visitor.core.sendDueFacts() else {
                Issue.record("The platform has it.")
                return
            }
        }
    }

    @Test func afterAnOptOutItIsNotSentAgain() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await Self.set("t-1", signet, failing: 1)
            await until("a try") { Self.tries(signet) == 1 }
            try await visitor.setOptedOut(true)
            signet.clock.advance(by: .seconds(600))
            for _ in 0..<200 { await Task.yield() }
            #expect(Self.tries(signet) == 1)
            try await visitor.setOptedOut(false)
            await until("the opt-in sends it") { Self.tries(signet) == 2 }
        }
    }

    // MARK: - The calls

    @Test func eachFailureIsFollowedByOneCallAfterItsPause() {
        var calls = PushTokenCalls()
        #expect(calls.join() == nil)
        #expect(calls.end(1, Self.failure(.serverFailure), now: .zero, jitter: 0) == .nothing, "another call")
        calls.begin(1)
        calls.begin(2)
        #expect(calls.end(1, Self.failure(.serverFailure), now: .zero, jitter: 0) == .repeatAfterPause)
        #expect(calls.pause(at: .zero) == .seconds(5))
        #expect(calls.end(2, Self.failure(.serverFailure), now: .zero, jitter: 0) == .nothing, "a job waits already")
        #expect(calls.pause(at: .zero) == .seconds(15))
        #expect(calls.pause(at: .seconds(15)) == nil)
        calls.endPause()
        calls.begin(3)
        #expect(calls.end(3, Self.failure(.rejected), now: .zero, jitter: 0) == .repeatAfterPause)
        #expect(calls.pause(at: .zero) == .seconds(6 * 3600), "the third failure")
    }

    /// A proxy has answered, not the platform.
    @Test(arguments: [400, 404, 422]) func aPageIsNoRefusalOfTheToken(_ status: Int) {
        var calls = PushTokenCalls()
        calls.begin(1)
        let page = IdentityOutcome.failed(SignetError(.rejected, "", httpStatus: status))
        #expect(calls.end(1, page, now: .zero, jitter: 0) == .repeatAfterPause)
        #expect(calls.pause(at: .zero) == .seconds(5))
    }

    @Test(arguments: [SignetError.Code.optedOut, .noUser, .closed, .notRunning, .cancelled])
    func someFailuresAreNotRepeated(_ code: SignetError.Code) {
        var calls = PushTokenCalls()
        calls.begin(1)
        #expect(calls.end(1, Self.failure(code), now: .zero, jitter: 0) == .nothing)
        #expect(calls.pause(at: .zero) == nil)
    }

    private static func failure(_ code: SignetError.Code) -> IdentityOutcome {
        .failed(SignetError(code, ""))
    }

    // MARK: - Help

    private static func set(_ token: String, _ signet: EmulatedSignet, failing times: Int) async throws {
        signet.emulator.faults.inject(.status(500), on: .modify, times: times)
        try await signet.runtime.open("one", identify: .none).setDeviceIdentity(token, for: .pushToken)
    }

    /// Lets time pass until a try.
    ///
    /// - Returns: The time that has passed.
    private static func pass(_ signet: EmulatedSignet, untilTry number: Int) async -> Duration {
        let before = signet.clock.now
        var turns = 0
        await until("try \(number)") {
            turns += 1
            if turns % 20 == 0 { signet.clock.advance(by: .seconds(1)) }
            return Self.tries(signet) == number
        }
        return before.duration(to: signet.clock.now)
    }

    private static func tries(_ signet: EmulatedSignet) -> Int {
        signet.transport.identityEndpoints.count { $0.hasSuffix("modify") }
    }

    private static func change(_ signet: EmulatedSignet) -> String? {
        guard let bytes = try? signet.runtime.context.store.value(for: StateKey.identity("one")) else { return nil }
        return IdentityState(bytes)?.pushTokenChange?.new
    }
}
