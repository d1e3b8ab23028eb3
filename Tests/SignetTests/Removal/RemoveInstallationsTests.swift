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

/// Installations that nobody has used for a time.
@Suite(.watched) struct RemoveInstallationsTests {
    private let day = IdleScene.day

    private func code(_ body: () async throws -> Void) async -> SignetError.Code? {
        await #expect(throws: SignetError.self) { try await body() }?.code
    }

    @Test func idleOnesGoWithAllTheirRecordsAndAreCounted() async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let observer = RecordingObserver()
        let signet = try scene.start(observer: observer)
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 11) == 0)
        #expect(try signet.stored == ["a", "b", "c"])
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 3)
        // What is left belongs to no installation.
        let left = try signet.runtime.context.store.keys(withPrefix: []).compactMap(\.first)
        #expect(Set(left).isSubset(of: Set("wNPDcux".utf8)), "\(left.map { UnicodeScalar($0) })")
        #expect(signet.runtime.statistics.installationsRemoved == 3 && observer.installationsRemoved == [3])
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 0)
        #expect(signet.runtime.managers.resets.withLock { $0.all.isEmpty && $0.quiet.isEmpty })
        await signet.runtime.shutdown()
    }

    @Test func theNextOpenIsAFirstOneWithANewNumber() async throws {
        let scene = try await IdleScene(["a"])
        scene.clock.advance(by: self.day * 10)
        let signet = try scene.start()
        let number = try #require(
            try signet.runtime.context.store.value(for: StateKey.identity("a")).map { try IdentityState(decoding: $0) }
        ).number
        _ = try await signet.runtime.removeInstallations(idleFor: self.day)
        let again = try await signet.runtime.open("a", identify: .none)
        #expect(again.currentUser == nil && again.core.number > number)
        await signet.runtime.shutdown()
    }

    @Test(arguments: [0, 86_399, -1]) func lessThanADayIsRefused(seconds: Int) async throws {
        let scene = try await IdleScene([])
        let signet = try scene.start()
        let time = Duration.seconds(seconds)
        #expect(await self.code { _ = try await signet.runtime.removeInstallations(idleFor: time) } == .invalidArgument)
        await signet.runtime.shutdown()
        let code = await self.code { _ = try await signet.runtime.removeInstallations(idleFor: self.day) }
        #expect(code == .notRunning)
    }

    @Test func oneThatIsOpenStaysHoweverLong() async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let signet = try scene.start { $0.sessions.beginsAtOpen = false }
        let visitor = try await signet.runtime.open("b", identify: .none)
        scene.clock.advance(by: self.day * 500)
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 400) == 2)
        #expect(try signet.stored == ["b"])
        #expect(visitor.currentUser?.mpid == scene.users["b"])
        await signet.runtime.shutdown()
    }

    /// With a session and without: then only a note says so.
    @Test(arguments: [true, false]) func anOpenAloneIsAUse(beginsAtOpen: Bool) async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let visited = try scene.start { $0.sessions.beginsAtOpen = beginsAtOpen }
        try await visited.run { signet in
            _ = try await signet.runtime.open("b", identify: .none)
            scene.clock.advance(by: .seconds(3600))
            try await signet.runtime.upload()
        }
        // The end of a session that the open has begun.
        let next = try scene.start()
        try await next.run { signet in
            _ = try await signet.runtime.removeInstallations(idleFor: self.day * 10)
            #expect(try signet.stored == ["b"])
            scene.clock.advance(by: self.day * 4)
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 5) == 0)
            scene.clock.advance(by: self.day * 2)
            _ = try await signet.runtime.removeInstallations(idleFor: self.day * 5)
            try await signet.runtime.upload()
            _ = try await signet.runtime.removeInstallations(idleFor: self.day * 5)
            #expect(try signet.stored == [])
        }
    }

    @Test func anOpenIsNotedOnceADay() async throws {
        let scene = try await IdleScene(["a"])
        let signet = try scene.start { $0.sessions.beginsAtOpen = false }
        let store = signet.runtime.context.store
        var noted: [[UInt8]] = []
        for _ in 0..<6 {
            scene.clock.advance(by: self.day / 3)
            let number = try await signet.runtime.open("a", identify: .none).core.number
            try noted.append(#require(try store.value(for: StateKey.lastUse(number))))
        }
        #expect((2...3).contains(Set(noted).count))
        await signet.runtime.shutdown()
    }

    @Test func oneOfWhichSomethingWaitsStaysUntilItIsDelivered() async throws {
        let scene = try await IdleScene()
        let second = try scene.start()
        scene.platform.faults.injectAlways(.connectionRefused, on: .events)
        try await second.run { signet in
            let visitor = try await signet.runtime.open("a", identify: .none)
            try visitor.log(.custom("waits"))
            try await visitor.endSession()
        }
        scene.clock.advance(by: self.day * 10)
        let third = try scene.start()
        try await third.run { signet in
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 2)
            #expect(try signet.stored == ["a"])
            // After it no refused request is under way, whose answer would begin the pause anew.
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            scene.platform.faults.clear()
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 1)
        }
        let user = try #require(scene.users["a"])
        #expect(scene.platform.events(of: user).compactMap(\.name).contains("waits"))
        #expect(third.runtime.statistics.eventsLost == 0 && third.runtime.statistics.eventsDropped == [:])
    }

    @Test func oneWithADeadLetterStays() async throws {
        let scene = try await IdleScene(["a", "b"])
        let second = try scene.start()
        try await second.run { signet in
            let visitor = try await signet.runtime.open("a", identify: .none)
            scene.platform.faults.injectAlways(.status(400), on: .events)
            try visitor.log(.custom("refused"))
            try await visitor.endSession()
            try await signet.runtime.upload()
            scene.platform.faults.clear()
        }
        scene.clock.advance(by: self.day * 10)
        let third = try scene.start()
        #expect(try await third.runtime.removeInstallations(idleFor: self.day * 9) == 1)
        #expect(try third.stored == ["a"])
        await third.runtime.shutdown()
    }

    /// Each kind of record that says that something is not finished.
    @Test(arguments: ["outbox", "opt-out", "due opt-out", "reset", "service"])
    func oneWithSuchARecordStays(kind: String) async throws {
        let scene = try await IdleScene(["a", "b"])
        scene.clock.advance(by: self.day * 10)
        let signet = try scene.start()
        let store = signet.runtime.context.store
        let number = try #require(
            try store.value(for: StateKey.identity("a")).map { try IdentityState(decoding: $0) }
        ).number
        switch kind {
        case "outbox": try store.put([1], for: StateKey.outbox("a"))
        case "opt-out": try store.put([1], for: StateKey.optOut(number, upTo: 1))
        case "due opt-out": try store.put([1], for: StateKey.dueOptOut(number))
        case "service":
            try store.put([1], for: ServiceRecords(store, tag: 1, installation: number).key(1), isDue: true)
        default:
            let reset = InstallationReset(number: number, id: "a")
            signet.runtime.managers.resets.withLock { $0.begin(reset) }
        }
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 1)
        #expect(try signet.stored == ["a"])
        await signet.runtime.shutdown()
    }

    @Test func aSessionThatWasLeftOpenGetsItsEndFirst() async throws {
        let scene = try await IdleScene(["a"])
        let killed = try scene.start()
        let user = try #require(scene.users["a"])
        try await killed.run { signet in
            let visitor = try await signet.runtime.open("a", identify: .none)
            try visitor.log(.custom("last"))
            try await signet.runtime.upload()
        }
        scene.clock.advance(by: self.day * 10)
        let next = try scene.start()
        try await next.run { signet in
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 0)
            #expect(signet.runtime.statistics.eventsAccepted == 1)
            try await signet.runtime.upload()
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 9) == 1)
        }
        let kinds = scene.platform.batches().filter { $0.mpid == user }.flatMap { $0.json["events"]?.array ?? [] }
            .compactMap { $0["event_type"]?.string }
        #expect(kinds.last == "session_end")
        #expect(kinds.filter { $0 == "session_start" }.count == kinds.filter { $0 == "session_end" }.count)
        #expect(next.runtime.statistics.eventsLost == 0)
    }

    @Test func aDamagedRecordIsKeptAndReported() async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let observer = RecordingObserver()
        let signet = try scene.start(observer: observer)
        try signet.runtime.context.store.put([1, 2, 3], for: StateKey.identity("b"))
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day) == 2)
        #expect(try signet.stored == ["b"])
        #expect(observer.damages.count == 1 && signet.runtime.statistics.damagedRecords == 1)
        await signet.runtime.shutdown()
    }

    /// Whoever comes back meanwhile keeps what they had, or begins anew: never half.
    @Test func opensBesideARemovalFindAllOrNothing() async throws {
        let ids = (0..<TestScale.count(quick: 40, full: 400)).map { InstallationID("v\($0)") }
        let scene = try await IdleScene(ids)
        scene.clock.advance(by: self.day * 10)
        let observer = RecordingObserver()
        let signet = try scene.start(observer: observer) { $0.events.maximumBatchesPerSecond = nil }
        let users = scene.users
        try await signet.run { signet in
            let runtime = signet.runtime
            let half = ids.count / 2
            let (removed, opened) = try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask { try await runtime.removeInstallations(idleFor: .seconds(86_400)) }
                for (index, id) in ids.enumerated() {
                    // The others come when some are gone already.
                    if index == half { await until("some are removed") { !observer.installationsRemoved.isEmpty } }
                    group.addTask {
                        let visitor = try await runtime.open(id, identify: .none)
                        let isKnown = visitor.currentUser != nil
                        #expect(!isKnown || visitor.currentUser?.mpid == users[id])
                        #expect(isKnown || visitor.allUsers.isEmpty)
                        try visitor.log(.custom("back"))
                        return isKnown ? nil : -1
                    }
                }
                return try await group.reduce(into: (0, 0)) { counts, value in
                    if let value, value >= 0 { counts.0 += value }
                    if value == -1 { counts.1 += 1 }
                }
            }
            #expect(removed >= ids.count - half)
            #expect(removed == opened)
            #expect(try signet.stored.count == ids.count)
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    // MARK: - Opting out and damage

    /// Its record alone knows of the opt-out.
    @Test func whoHasOptedOutIsKept() async throws {
        let scene = try await IdleScene()
        try await scene.start().run { signet in
            try await signet.runtime.open("b", identify: .none).setOptedOut(true)
            try await signet.runtime.upload()
        }
        scene.clock.advance(by: self.day * 1000)
        let signet = try scene.start()
        try await signet.run { signet in
            #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 400) == 2)
            #expect(try signet.stored == ["b"])
            let visitor = try await signet.runtime.open("b", identify: .none)
            #expect(visitor.isOptedOut)
            // Asked to, it goes.
            try await visitor.remove()
            #expect(try signet.stored == [])
        }
    }

    /// Nothing says when it was used then.
    @Test(arguments: ["use", "launch", "session"])
    func aDamagedNoteOfTheUseKeepsItAndIsReported(
        kind: String
    ) async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let observer = RecordingObserver()
        let signet = try scene.start(observer: observer)
        let store = signet.runtime.context.store
        let number = try #require(
            try store.value(for: StateKey.identity("b")).map { try IdentityState(decoding: $0) }
        ).number
        let key =
            switch kind {
            case "use": StateKey.lastUse(number)
            case "launch": StateKey.launch("b")
            default: StateKey.session("b")
            }
        try store.put([1, 2, 3], for: key)
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day) == 2)
        #expect(try signet.stored == ["b"])
        #expect(observer.damages.count == 1)
        await signet.runtime.shutdown()
    }

    /// As a shop's session of months, in which only attributes change.
    @Test func aSettingOfAnotherDayIsAUse() async throws {
        let scene = try await IdleScene()
        try await scene.start { $0.sessions.beginsAtOpen = false }.run { signet in
            let visitor = try await signet.runtime.open("b", identify: .none)
            scene.clock.advance(by: self.day * 8)
            try await visitor.setDeviceIdentity("token", for: .pushToken)
        }
        scene.clock.advance(by: self.day * 4)
        let signet = try scene.start()
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day * 6) == 2)
        #expect(try signet.stored == ["b"])
        await signet.runtime.shutdown()
    }
}
