// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// An installation that is reset.
@Suite(.watched) struct ResetTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func code(_ body: () async throws -> Void) async -> SignetError.Code? {
        await #expect(throws: SignetError.self) { try await body() }?.code
    }

    @Test func theIDIsOfANewInstallationAndNothingOfItsOwnIsLeft() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let runtime = signet.runtime
            let visitor = try await runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c"]).user.mpid
            try await visitor.setAttribute("gold", for: "tier")
            try await visitor.setDeviceIdentity("token", for: .pushToken)
            try await visitor.setAttribution(
                Attribution(serviceProvider: "s", publisher: "p", campaign: "c")
            )
            try await visitor.setInstallationConsent(ConsentState())
            try visitor.beginTimedEvent(.custom("t"))
            try visitor.log(.custom("waits"))
            let number = visitor.core.identityState.number
            let stamp = visitor.deviceApplicationStamp
            try await visitor.reset()

            for key in try runtime.context.store.keys(withPrefix: []) {
                let name = Array("v".utf8)
                #expect(
                    ![StateKey.identity("v"), StateKey.session("v"), StateKey.launch("v")].contains(key)
                )
                #expect(Array(key.dropFirst()) != name && key != StateKey.number(number))
            }
            let again = try await runtime.open("v", identify: .none)
            #expect(again.deviceApplicationStamp != stamp)
            #expect(again.currentUser == nil && again.allUsers.isEmpty && again.user(mpid) == nil)
            #expect(again.installationConsent == nil && again.timedEventNames.isEmpty)
            #expect(again.core.identityState.number != number)
            let user = try await again.login([.email: "new@example.com"]).user
            #expect(user.mpid != mpid && user.attributes.isEmpty)
            try await runtime.upload()
            #expect(!signet.emulator.events(of: mpid).compactMap(\.name).contains("waits"))
            #expect(!signet.emulator.events(of: user.mpid).compactMap(\.name).contains("waits"))
            #expect(runtime.statistics.eventsLost == 0)
            #expect((runtime.statistics.eventsDropped[.reset] ?? 0) >= 1)
        }
    }

    @Test func recordsOfOtherServicesGoAndThoseOfOtherInstallationsStay() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let (v, w) = (
            try await signet.runtime.open("v", identify: .none), try await signet.runtime.open("w", identify: .none)
        )
        let store = signet.runtime.context.store
        func keys(_ installation: Installation) -> [[UInt8]] {
            let (number, id) = (installation.core.identityState.number, installation.id)
            return [
                ServiceRecords(store, tag: 1, installation: number).memoryKey,
                ServiceRecords(store, tag: 1, installation: number).key(1),
                StateKey.outbox(id), StateKey.launch(id),

                StateKey.dueOptOut(number), StateKey.number(number), StateKey.identity(id),
                StateKey.session(id),
            ]
        }
        for key in keys(v) + keys(w) where !store.contains(key) { try store.put([1], for: key) }
        // That of the other is done with as soon as somebody looks.
        let optOut = StateKey.optOut(v.core.identityState.number, upTo: 1)
        try store.put([1], for: optOut)
        try await v.reset()
        #expect(!store.contains(optOut))
        #expect(keys(v).filter { store.contains($0) }.isEmpty)
        #expect(keys(w).filter { !store.contains($0) }.isEmpty)
    }

    @Test func otherInstallationsGoOn() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let mpid = try await signet.run { signet in
            let (v, w) = (
                try await signet.runtime.open("v", identify: .none), try await signet.runtime.open("w", identify: .none)
            )
            _ = try await v.login([.customerID: "1"])
            let mpid = try await w.login([.customerID: "2"]).user.mpid
            let session = try #require(w.currentSession)
            for index in 0..<30 {
                try v.log(.custom("v\(index)"))
                try w.log(.custom("w\(index)"))
            }
            try await v.reset()
            #expect(w.currentUser?.mpid == mpid && w.currentSession == session)
            try w.log(.custom("after"))
            return mpid
        }
        let names = signet.emulator.events(of: mpid).compactMap(\.name)
        #expect(names == (0..<30).map { "w\($0)" } + ["after"])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aHandleOfBeforeIsClosed() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.openKnown()
            let other = try await signet.runtime.open("v", identify: .none)
            try await visitor.reset()
            for handle in [visitor, other] {
                #expect(await self.code { try handle.log(.custom("x")) } == .closed)
                #expect(await self.code { _ = try await handle.login([.customerID: "c"]) } == .closed)
                #expect(await self.code { try await handle.setAttribute(1, for: "a") } == .closed)
                #expect(
                    await self.code { try await handle.setDeviceIdentity("t", for: .pushToken) } == .closed
                )
                #expect(await self.code { try await handle.beginSession() } == .closed)
                #expect(await self.code { try await handle.reset() } == .closed)
            }
            let closed = try await signet.runtime.open("v", identify: .none)
            closed.endLaunch()
            #expect(await self.code { try await closed.reset() } == .closed)
        }
    }

    @Test func whoeverListensIsToldThatNobodyIsCurrent() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c"]).user.mpid
            var changes = visitor.userChanges().makeAsyncIterator()
            try await visitor.reset()
            let change = await changes.next()
            #expect(change?.previous?.mpid == mpid)
            #expect(change != nil && change?.current == nil)
        }
    }

    @Test func aCallUnderWayIsAnsweredAndItsAnswerChangesNothing() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        signet.emulator.faults.inject(.held(gate), on: .login)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            async let login = self.code { _ = try await visitor.login([.customerID: "c"]) }
            await gate.arrived()
            try await visitor.reset()
            #expect(await login == .closed)
            let again = try await signet.runtime.open("v", identify: .none)
            gate.open()
            await signet.transport.idle()
            #expect(again.currentUser == nil)
            #expect(try await again.login([.customerID: "d"]).user.mpid != visitor.currentUser?.mpid)
        }
    }

    /// Before the platform has it, and after.
    @Test(arguments: [false, true]) func aBatchOnTheWireIsForgottenWhateverItsAnswer(isTaken: Bool) async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let gate = EmulatorGate()
        let user = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            _ = try await visitor.login([.customerID: "c"])
            signet.emulator.faults.inject(isTaken ? .replyHeld(gate) : .held(gate), on: .events)
            for _ in 0..<100 { try visitor.log(.custom("x")) }
            await gate.arrived()
            try await visitor.reset()
            gate.open()
            await signet.transport.idle()
            #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.batches).isEmpty)
            let again = try await signet.runtime.open("v", identify: .none)
            let user = try await again.login([.customerID: "d"]).user.mpid
            try again.log(.custom("new"))
            return user
        }
        #expect(signet.emulator.events(of: user).compactMap(\.name) == ["new"])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whereTheDiskDoesNotLetItFinishNothingIsSentAllTheSame() async throws {
        let isBroken = Locked(false)
        let signet = try EmulatedSignet(in: self.folder.path) {
            $0.disk = Disk(fault: { call, _ in
                isBroken.withLock { $0 } && call == .sync ? .failure(5) : nil
            })
        }
        let mpid = try await signet.run { signet in
            let (v, w) = (
                try await signet.runtime.open("v", identify: .none), try await signet.runtime.open("w", identify: .none)
            )
            let mpid = try await v.login([.customerID: "1"]).user.mpid
            _ = try await w.login([.customerID: "2"])
            try await signet.runtime.upload()
            try v.log(.custom("waits"))
            isBroken.withLock { $0 = true }
            #expect(await self.code { try await v.reset() } == .diskFailed)
            isBroken.withLock { $0 = false }
            try w.log(.custom("goes"))
            try await signet.runtime.upload()
            return mpid
        }
        #expect(!signet.emulator.events(of: mpid).compactMap(\.name).contains("waits"))
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// What a reset could not remove at once is not taken from the installation that has the id now.
    @Test func aResetThatIsFinishedLaterLeavesANewerInstallationAlone() async throws {
        let isBroken = Locked(false)
        let first = try EmulatedSignet(in: self.folder.path) {
            $0.disk = Disk(fault: { call, _ in
                isBroken.withLock { $0 } && call == .sync ? .failure(5) : nil
            })
        }
        let (stamp, mpid) = try await first.run { signet in
            let old = try await signet.runtime.open("v", identify: .none)
            _ = try await old.login([.customerID: "1"])
            isBroken.withLock { $0 = true }
            #expect(await self.code { try await old.reset() } == .diskFailed)
            isBroken.withLock { $0 = false }
            let new = try await signet.runtime.open("v", identify: .none)
            let mpid = try await new.login([.customerID: "2"]).user.mpid
            try new.log(.custom("goes"))
            await signet.runtime.managers.finishResets(signet.runtime.context)
            #expect(signet.runtime.managers.resets.withLock { $0.all }.isEmpty)
            return (new.deviceApplicationStamp, mpid)
        }
        #expect(first.emulator.events(of: mpid).compactMap(\.name) == ["goes"])
        let second = try EmulatedSignet(in: self.folder.path, platform: first.emulator, clock: first.clock)
        let again = try await second.runtime.open("v", identify: .none)
        #expect(again.deviceApplicationStamp == stamp && again.currentUser?.mpid == mpid)
        await second.runtime.shutdown()
    }

    @Test func itWorksWithoutRunAndSurvivesTheEnd() async throws {
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let first = try EmulatedSignet(in: self.folder.path, platform: platform, clock: clock)
        let visitor = try await first.runtime.open("v", identify: .none)
        let stamp = visitor.deviceApplicationStamp
        try visitor.log(.custom("x"))
        try await visitor.reset()
        await first.runtime.shutdown()
        #expect(await self.code { try await visitor.reset() } == .notRunning)
        let second = try EmulatedSignet(in: self.folder.path, platform: platform, clock: clock)
        #expect(second.runtime.statistics.eventsRestored == 0)
        #expect(try await second.runtime.open("v", identify: .none).deviceApplicationStamp != stamp)
    }

    @Test func aStampMayBeGivenAgain() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        let stamp = visitor.deviceApplicationStamp
        try await visitor.reset()
        let again = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: stamp)
        #expect(again.deviceApplicationStamp == stamp)
        // A launch, as a first one is.
        #expect(again.currentSession != nil && again.currentSession != visitor.currentSession)
    }
}
