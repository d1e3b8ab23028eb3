// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The removal that `run()` does once a day.
@Suite(.watched) struct RetentionTests {
    private let day = IdleScene.day
    private let hour = Duration.seconds(3600)

    private func start(
        _ scene: IdleScene,
        _ observer: RecordingObserver? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try scene.start(observer: observer) {
            $0.installations.retention = IdleScene.day * 400
            configure(&$0)
        }
    }

    @Test func itRemovesOnceADayWhatIsOlder() async throws {
        let scene = try await IdleScene(["a"])
        scene.clock.advance(by: self.day * 398 + self.hour * 12)
        let signet = try self.start(scene)
        let retention = InstallationRetention(signet.runtime.opening)
        scene.clock.advance(by: self.day)
        await retention.tidy()
        #expect(try signet.stored == ["a"])
        scene.clock.advance(by: self.hour * 13)
        await retention.tidy()
        #expect(try signet.stored == ["a"], "a day has not passed since the last time")
        scene.clock.advance(by: self.hour * 11)
        await retention.tidy()
        #expect(try signet.stored == [])
        await signet.runtime.shutdown()
    }

    @Test func runRemovesThem() async throws {
        let scene = try await IdleScene(["a"])
        scene.clock.advance(by: self.day * 400)
        let observer = RecordingObserver()
        let signet = try self.start(scene, observer)
        try await signet.run { signet in
            scene.clock.advance(by: self.day)
            try await until("it is removed") {
                scene.clock.advance(by: .seconds(61))
                return try observer.installationsRemoved == [1] && signet.stored == []
            }
        }
    }

    @Test func withoutARetentionAllStay() async throws {
        let scene = try await IdleScene(["a"])
        scene.clock.advance(by: self.day * 4000)
        let signet = try scene.start()
        let retention = InstallationRetention(signet.runtime.opening)
        scene.clock.advance(by: self.day * 2)
        await retention.tidy()
        #expect(try signet.stored == ["a"])
        await signet.runtime.shutdown()
    }

    @Test func whereTheDiskFailsHealthSaysSoAndItIsTriedAgainInAnHour() async throws {
        let isBroken = Locked(false)
        let scene = try await IdleScene(["a"])
        scene.clock.advance(by: self.day * 401)
        let observer = RecordingObserver()
        let signet = try self.start(scene, observer) {
            $0.disk = Disk(asking: { request in
                request.call != .read && isBroken.withLock { $0 } ? .failure(28) : nil
            })
        }
        let retention = InstallationRetention(signet.runtime.opening)
        scene.clock.advance(by: self.day)
        isBroken.withLock { $0 = true }
        await retention.tidy()
        #expect(observer.damages == [] && observer.installationsRemoved == [])
        let kinds = signet.runtime.context.reviewHealth().map(\.kind)
        #expect(kinds.contains { if case .diskRefusesWrites = $0 { true } else { false } })
        isBroken.withLock { $0 = false }
        await retention.tidy()
        #expect(try signet.stored == ["a"])
        scene.clock.advance(by: self.hour)
        await retention.tidy()
        #expect(try signet.stored == [] && observer.installationsRemoved == [1])
        await signet.runtime.shutdown()
    }

    // MARK: - A clock that is wrong

    /// A wall clock that is ahead for a moment, and one that was set right.
    @Test(arguments: [true, false]) func aClockThatGoesAheadRemovesNothingForADay(comesBack: Bool) async throws {
        let scene = try await IdleScene(["a"])
        let observer = RecordingObserver()
        let signet = try self.start(scene, observer)
        let retention = InstallationRetention(signet.runtime.opening)
        scene.clock.advance(by: self.day * 2)
        await retention.tidy()
        scene.clock.advance(by: self.day)
        scene.clock.shiftWallClock(by: self.day * 500)
        for _ in 0..<3 { await retention.tidy() }
        #expect(try signet.stored == ["a"])
        #expect(observer.damages.count == 1 && observer.damages[0].contains("clock"))
        if comesBack { scene.clock.shiftWallClock(by: .zero - self.day * 500) }
        for _ in 0..<23 {
            scene.clock.advance(by: self.hour)
            await retention.tidy()
        }
        #expect(try signet.stored == ["a"])
        #expect(observer.damages.count == 1)
        for _ in 0..<48 {
            scene.clock.advance(by: self.hour)
            await retention.tidy()
        }
        // One that stays there is believed.
        #expect(try signet.stored == (comesBack ? ["a"] : []))
        await signet.runtime.shutdown()
    }

    /// Each process lives for an hour, such as with a deployment at each change.
    @Test(arguments: [true, false]) func aProcessBelievesTheClockOfTheOneBeforeButNotOneThatIsFarAhead(
        isAhead: Bool
    ) async throws {
        let scene = try await IdleScene(["a"])
        let observer = RecordingObserver()
        scene.clock.advance(by: self.day * (isAhead ? 300 : 399))
        for index in 0..<27 {
            if index == 26, isAhead { scene.clock.shiftWallClock(by: self.day * 500) }
            let signet = try self.start(scene, observer)
            let retention = InstallationRetention(signet.runtime.opening)
            await retention.tidy()
            scene.clock.advance(by: self.hour)
            await retention.tidy()
            if index < 23 || isAhead { #expect(try signet.stored == ["a"], "\(index)") }
            if index == 26, !isAhead { #expect(try signet.stored == []) }
            await signet.runtime.shutdown()
        }
        #expect(observer.damages == [])
    }

    /// A machine that starts in 1970, or at the time of its system's build, until it has asked for the time.
    @Test(arguments: [true, false]) func aUseWhileTheClockIsBehindIsNoOldOne(startsIn1970: Bool) async throws {
        let scene = try await IdleScene(["a", "b"])
        let first = try self.start(scene)
        let marked = InstallationRetention(first.runtime.opening)
        scene.clock.advance(by: self.day * 2)
        await marked.tidy()
        await first.runtime.shutdown()
        scene.clock.advance(by: self.day * 399)
        let behind = startsIn1970 ? Duration.milliseconds(scene.clock.milliseconds) : self.day * 1000
        scene.clock.shiftWallClock(by: .zero - behind)
        let second = try self.start(scene) { $0.sessions.beginsAtOpen = false }
        _ = try await second.runtime.open("b", identify: .none)
        try await second.runtime.open("new", identify: .none).setDeviceIdentity("t", for: .pushToken)
        await second.runtime.shutdown()
        scene.clock.shiftWallClock(by: behind)
        let third = try scene.start()
        _ = try await third.runtime.removeInstallations(idleFor: self.day * 400)
        #expect(try third.stored == ["b", "new"])
        await third.runtime.shutdown()
    }
}
