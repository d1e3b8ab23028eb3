// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct OptOutTests {
    private static func types(_ signet: EmulatedSignet, of mpid: MPID) -> [String] {
        signet.emulator.events(of: mpid).map(\.type)
    }

    @Test func whatWaitsIsDroppedAndTheOptOutGoesAlone() async throws {
        let known = try await KnownInstallation()
        let observer = RecordingObserver()
        let signet = try known.next(observer: observer)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let other = try await signet.runtime.open("two", identify: .none)
            try visitor.log(.custom("a"))
            try other.log(.custom("of two"))
            try visitor.log(.custom("b"))
            try await visitor.setOptedOut(true)
            try await signet.runtime.upload(within: .seconds(10))
            try await other.login([.customerID: "c-2"])
            return try #require(visitor.currentUser).mpid
        }
        let batch = try #require(signet.emulator.batches().last { $0.mpid == mpid })
        #expect(batch.json["events"]?.array?.map { $0["event_type"]?.string } == ["opt_out"])
        #expect(signet.emulator.user(mpid)?.isOptedOut == true)
        #expect(batch.json["events"]?.array?.first?["data"]?["is_opted_out"]?.bool == true)
        // Two events in the session of the life before, which goes on; those of the other stay.
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 2])
        #expect(
            signet.emulator.users().flatMap { signet.emulator.events(of: $0.mpid) }.contains { $0.name == "of two" }
        )
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whatIsInABatchOnItsWayIsDelivered() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            try visitor.log(.custom("on its way"))
            known.platform.faults.inject(.held(gate), on: .events)
            async let flushed = signet.runtime.upload(within: .seconds(10))
            await gate.arrived()
            try visitor.log(.custom("waits"))
            try await visitor.setOptedOut(true)
            gate.open()
            _ = try await flushed
            return try #require(visitor.currentUser).mpid
        }
        let names = signet.emulator.events(of: mpid).compactMap(\.name)
        #expect(names == ["on its way"])
        #expect(Self.types(signet, of: mpid).last == "opt_out")
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
    }

    @Test func afterARestartWhatWaitedIsDroppedAndTheOptOutDelivered() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let visitor = try await first.runtime.open("one", identify: .none)
        let mpid = try #require(visitor.currentUser).mpid
        try visitor.log(.custom("a"))
        try await visitor.setOptedOut(true)
        #expect(first.runtime.statistics.fsyncs > 0)
        await first.runtime.shutdown()
        let second = try known.next()
        try await second.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        #expect(second.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(second.emulator.events(of: mpid).compactMap(\.name) == [])
        #expect(Self.types(second, of: mpid).last == "opt_out")
        #expect(second.runtime.statistics.eventsWaiting == 0)
        let third = try known.next()
        let records = StateKey.optOuts(of: visitor.core.identityState.number)
        #expect(try third.runtime.context.store.keys(withPrefix: records).isEmpty)
        await third.runtime.shutdown()
    }

    @Test func killedBeforeTheChoiceWasWrittenNothingIsDropped() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let visitor = try await first.runtime.open("one", identify: .none)
        try visitor.log(.custom("a"))
        let number = visitor.core.identityState.number
        try first.runtime.context.store.put([1], for: StateKey.optOut(number, upTo: 255))
        await first.runtime.shutdown()
        let second = try known.next()
        try await second.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        #expect(second.runtime.statistics.eventsDropped == [:])
        #expect(second.runtime.statistics.eventsDelivered > 0)
    }

    /// Said again while the disk flushes what the first one dropped, and killed right after.
    @Test func asASecondOptOutComesTheRecordOfTheFirstGoesAndItsOwnStays() async throws {
        let known = try await KnownInstallation()
        let interrupts = Locked<(@Sendable () -> Void)?>(nil)
        let first = try known.next {
            // The directory is copied below: another thread would change it meanwhile, and sync at another moment.
            $0.diskWork = .callingTask
            $0.disk = Disk(asking: { request in
                guard request.call == .sync, request.path.contains("journal") else { return nil }
                interrupts.withLock { interrupt in
                    defer { interrupt = nil }
                    return interrupt
                }?()
                return nil
            })
        }
        let visitor = try await first.runtime.open("one", identify: .none)
        let core = visitor.core
        let mpid = try #require(visitor.currentUser).mpid
        try visitor.log(.custom("before the first"))
        @Sendable func set(_ isOptedOut: Bool) throws {
            _ = try core.transact { machine, transaction throws(SignetError) in
                try machine.setOptedOut(isOptedOut, named: .random(), &transaction)
            }
        }
        try set(true)
        let failure = Locked<(any Error)?>(nil)
        interrupts.withLock {
            $0 = {
                do {
                    try set(false)
                    try visitor.log(.custom("before the second"))
                    try set(true)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        // It takes in what was logged, and drops what an opt-out drops.
        _ = try await first.runtime.managers.events.aim()
        await first.runtime.managers.events.endOptOuts()
        #expect(interrupts.withLock { $0 == nil } && failure.withLock { $0 == nil })
        let image = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: known.folder.path, toPath: image.path + "/killed")
        let second = try EmulatedSignet(in: image.path + "/killed", platform: known.platform, clock: known.clock)
        try await second.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        #expect(second.emulator.events(of: mpid).compactMap(\.name) == [])
        #expect(Self.types(second, of: mpid).last == "opt_out")
        await first.runtime.shutdown()
    }

    @Test func whileOutOnlyTheOptOutItselfIsLogged() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let mpid = try #require(visitor.currentUser).mpid
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(true)
            #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
            let refused: [SignetError.Code?] = [
                await code { () async throws(SignetError) in try await visitor.setAttribute(1, for: "a") },
                await code { () async throws(SignetError) in try await visitor.setAttributes([:]) },
                await code { () async throws(SignetError) in try await visitor.incrementAttribute("a") },
                await NetworkCall.login.code(on: visitor), await NetworkCall.modify.code(on: visitor),
            ]
            #expect(refused == Array(repeating: .optedOut, count: 5))
            #expect(visitor.currentSession == nil)
            signet.clock.advance(by: .seconds(3600))
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try await visitor.setOptedOut(false)
            #expect(visitor.currentSession == nil)
            try visitor.log(.custom("again"))
            #expect(visitor.currentSession != nil)
            return mpid
        }
        let types = Self.types(signet, of: mpid)
        #expect(Array(types.suffix(5)) == ["opt_out", "opt_out", "opt_out", "session_start", "custom_event"])
        #expect(!types.contains("session_end"))
        let flags = signet.emulator.events(of: mpid).compactMap { $0.data["is_opted_out"]?.bool }
        #expect(flags == [true, true, false])
        #expect(signet.emulator.user(mpid)?.isOptedOut == false)
    }

    @Test func whoeverOptsOutBeforeAnybodyIsKnownIsDroppedToo() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("a"))
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(false)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await signet.runtime.upload(within: .seconds(10))
            #expect(signet.emulator.events(of: mpid).compactMap(\.name) == [])
            #expect(Self.types(signet, of: mpid).filter { $0 == "opt_out" }.count == 2)
            #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 2])
        }
    }
}
