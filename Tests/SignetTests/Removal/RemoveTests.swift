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

/// An installation that is removed after its data was delivered.
@Suite(.watched) struct RemoveTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func code(_ body: () async throws -> Void) async -> SignetError.Code? {
        await #expect(throws: SignetError.self) { try await body() }?.code
    }

    /// The records of an installation that are on disk.
    private func keys(of id: InstallationID, _ number: UInt32, _ store: StateStore) throws -> [[UInt8]] {
        let name = Array(id.rawValue.utf8)
        let bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
        return try store.keys(withPrefix: []).filter { key in
            Array(key.dropFirst()) == name || Array(key.dropFirst().prefix(4)) == bytes
        }
    }

    @Test func whatWaitsIsDeliveredWithTheEndOfTheSessionAndThenItIsGone() async throws {
        let observer = RecordingObserver()
        let signet = try EmulatedSignet(in: self.folder.path, observer: observer)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c"]).user.mpid
            let (number, stamp) = (visitor.core.number, visitor.deviceApplicationStamp)
            for index in 0..<5 { try visitor.log(.custom("e\(index)")) }
            var changes = visitor.userChanges().makeAsyncIterator()
            try await visitor.remove()

            let kinds = signet.emulator.batches().flatMap { $0.json["events"]?.array ?? [] }
                .compactMap { $0["event_type"]?.string }
            #expect(kinds.filter { $0 == "session_end" }.count == 1 && kinds.last == "session_end")
            #expect(signet.emulator.events(of: mpid).compactMap(\.name) == (0..<5).map { "e\($0)" })
            #expect(try self.keys(of: "v", number, signet.runtime.context.store).isEmpty)
            let change = await changes.next()
            #expect(change?.previous?.mpid == mpid && change != nil && change?.current == nil)
            let statistics = signet.runtime.statistics
            #expect(statistics.installationsRemoved == 1 && observer.installationsRemoved == [1])
            #expect(statistics.eventsWaiting == 0 && statistics.eventsDropped == [:] && statistics.eventsLost == 0)
            let again = try await signet.runtime.open("v", identify: .none)
            #expect(again.deviceApplicationStamp != stamp && again.currentUser == nil && again.core.number != number)
        }
    }

    @Test func allHandlesAreDeadAndASecondCallFindsItClosed() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.openKnown()
            let other = try await signet.runtime.open("v", identify: .none)
            try await visitor.remove()
            for handle in [visitor, other] {
                #expect(await self.code { try handle.log(.custom("x")) } == .closed)
                #expect(await self.code { _ = try await handle.login([.customerID: "c"]) } == .closed)
                #expect(await self.code { try await handle.remove() } == .closed)
                #expect(await self.code { try await handle.reset() } == .closed)
            }
            let ended = try await signet.runtime.open("v", identify: .none)
            ended.endLaunch()
            #expect(await self.code { try await ended.remove() } == .closed)
        }
    }

    @Test func ofTwoCallsAtOnceOneRemovesIt() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            let codes = await withTaskGroup(of: SignetError.Code?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do throws(SignetError) {
                            try await visitor.remove()
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.compactMap(\.self) == [.closed, .closed, .closed])
            #expect(signet.runtime.statistics.installationsRemoved == 1)
        }
    }

    @Test func aBatchOnTheWireIsAnsweredFirst() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            signet.emulator.faults.inject(.replyHeld(gate), on: .events)
            for _ in 0..<100 { try visitor.log(.custom("x")) }
            await gate.arrived()
            async let removal: Void = visitor.remove()
            gate.open()
            try await removal
            #expect(signet.runtime.statistics.eventsDropped == [:])
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
    }

    /// What another handle logs while the delivery is under way.
    @Test func aLateEventOfAnotherHandleIsDeliveredToo() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c"]).user.mpid
            try await signet.runtime.upload()
            try visitor.log(.custom("early"))
            signet.emulator.faults.inject(.held(gate), on: .events)
            async let removal: Void = visitor.remove()
            await gate.arrived()
            // It begins a session, which ends with the removal.
            try visitor.log(.custom("late"))
            gate.open()
            try await removal
            return mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["early", "late"])
        #expect(signet.runtime.statistics.eventsDropped == [:] && signet.runtime.statistics.eventsLost == 0)
    }

    @Test func inAnOutageItStaysAndWorksAndOnlyItsSessionHasEnded() async throws {
        let observer = RecordingObserver()
        let signet = try EmulatedSignet(in: self.folder.path, observer: observer)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c"]).user.mpid
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            try visitor.log(.custom("waits"))
            let session = try #require(visitor.currentSession)
            #expect(await self.code { try await visitor.remove() } == .uploadPaused)
            #expect(visitor.currentSession == nil && visitor.currentUser?.mpid == mpid)
            #expect(signet.runtime.statistics.installationsRemoved == 0)
            signet.emulator.faults.clear()
            await signet.runtime.resumeUploads()
            try visitor.log(.custom("works"))
            #expect(visitor.currentSession != nil && visitor.currentSession != session)
            try await visitor.remove()
            return mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["waits", "works"])
        #expect(observer.installationsRemoved == [1])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func withoutAnAnswerInTimeItStays() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            signet.emulator.faults.inject(.held(gate), on: .events)
            try visitor.log(.custom("x"))
            let isOver = Locked(false)
            let result = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask {
                    defer { isOver.withLock { $0 = true } }
                    return await self.code { try await visitor.remove(within: .seconds(3)) }
                }
                await gate.arrived()
                await until("the limit is over") {
                    signet.clock.advance(by: .milliseconds(100))
                    return isOver.withLock { $0 }
                }
                return await group.next() ?? nil
            }
            #expect(result == .timedOut)
            gate.open()
            try visitor.log(.custom("y"))
            try await visitor.remove()
        }
        #expect(signet.runtime.statistics.eventsDropped == [:] && signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aCancelledCallLeavesIt() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            signet.emulator.faults.inject(.held(gate), on: .events)
            try visitor.log(.custom("x"))
            let result = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask { await self.code { try await visitor.remove() } }
                await gate.arrived()
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(result == .cancelled)
            gate.open()
            try visitor.log(.custom("y"))
            #expect(signet.runtime.statistics.installationsRemoved == 0)
        }
    }

    @Test func aCallUnderWayIsFinishedAndItsUserGetsTheEvents() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        signet.emulator.faults.inject(.held(gate), on: .login)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("of nobody yet"))
            async let login = visitor.login([.customerID: "c"])
            await gate.arrived()
            async let removal: Void = visitor.remove()
            gate.open()
            let mpid = try await login.user.mpid
            try await removal
            return mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["of nobody yet"])
        #expect(signet.runtime.statistics.eventsDropped == [:])
    }

    /// Without `run()`, too: they could be delivered to nobody.
    @Test func eventsOfNobodyAreDroppedAndCounted() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("x"))
        try await visitor.remove()
        let statistics = signet.runtime.statistics
        // The begin and the end of the session are among them.
        #expect(statistics.eventsDropped == [.reset: 3] && statistics.eventsLost == 0)
        #expect(statistics.installationsRemoved == 1)
        await signet.runtime.shutdown()
    }

    @Test func withoutRunWhatWaitsKeepsIt() async throws {
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let first = try EmulatedSignet(in: self.folder.path, platform: platform, clock: clock)
        _ = try await first.run { try await $0.openKnown() }
        let second = try EmulatedSignet(in: self.folder.path, platform: platform, clock: clock)
        let visitor = try await second.runtime.open("v", identify: .none)
        let stamp = visitor.deviceApplicationStamp
        #expect(await self.code { try await visitor.remove(within: .zero) } == .notRunning)
        #expect(try await second.runtime.open("v", identify: .none).deviceApplicationStamp == stamp)
        await second.runtime.shutdown()
        #expect(await self.code { try await visitor.remove() } == .notRunning)
    }

    @Test func oneThatHasOptedOutIsRemovedOnceTheOptOutIsDelivered() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            try await visitor.setOptedOut(true)
            try await visitor.remove()
            let kinds = signet.emulator.batches().flatMap { $0.json["events"]?.array ?? [] }
                .compactMap { $0["event_type"]?.string }
            #expect(kinds.contains("opt_out"))
            let again = try await signet.runtime.open("v", identify: .none)
            #expect(!again.isOptedOut)
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func besideAResetAnEndAndAnErasureItIsGoneOnce() async throws {
        for round in 0..<TestScale.count(quick: 3, full: 30) {
            let folder = try TemporaryFolder()
            let signet = try EmulatedSignet(in: folder.path)
            try await signet.run { signet in
                let visitor = try await signet.openKnown()
                let mpid = try #require(visitor.currentUser?.mpid)
                try visitor.log(.custom("x"))
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { do { try await visitor.remove() } catch {} }
                    switch round % 3 {
                    case 0: group.addTask { do { try await visitor.reset() } catch {} }
                    case 1: group.addTask { visitor.endLaunch() }
                    default: group.addTask { do { _ = try await signet.runtime.eraseUser(mpid) } catch {} }
                    }
                }
                #expect(await self.code { try visitor.log(.custom("y")) } == .closed)
                #expect(signet.runtime.statistics.eventsLost == 0)
            }
        }
    }

    @Test func whereTheDiskRefusesTheRecordNothingIsRemoved() async throws {
        let isBroken = Locked(false)
        let signet = try EmulatedSignet(in: self.folder.path) {
            $0.disk = Disk(asking: { request in
                request.call != .read && isBroken.withLock { $0 } ? .failure(28) : nil
            })
        }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.endSession()
            try await signet.runtime.upload()
            isBroken.withLock { $0 = true }
            #expect(await self.code { try await visitor.remove() } == .diskFull)
            isBroken.withLock { $0 = false }
            try visitor.log(.custom("works"))
            try await visitor.remove()
            #expect(signet.runtime.statistics.installationsRemoved == 1)
        }
    }
}
