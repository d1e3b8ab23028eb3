// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct FlushTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func code(_ signet: EmulatedSignet, within limit: Duration = .seconds(30)) async -> SignetError.Code? {
        await SignetRuntimeTestSupport.code { () async throws(SignetError) in
            try await signet.runtime.upload(within: limit)
        }
    }

    @Test func whatWasAcceptedBeforeIsThereAfterwards() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.openKnown()
            let mpid = try #require(visitor.currentUser).mpid
            for index in 0..<250 { try visitor.log(.custom("e\(index)")) }
            #expect(try await signet.runtime.upload() == SignetRuntime.UploadReport(eventsWithoutUser: 0))
            #expect(signet.emulator.events(of: mpid).count == 251)
            // Nothing to do is done at once.
            try await signet.runtime.upload()
            #expect(signet.clock.now.offset == .zero)
        }
    }

    @Test func itWaitsForNobodyWhoseUserIsNotKnownAndSaysHowMuchThatIs() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let unknown = try await signet.runtime.open("unknown", identify: .none)
            for _ in 0..<3 { try unknown.log(.custom("x")) }
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("y"))
            #expect(try await signet.runtime.upload().eventsWithoutUser == 4)
            #expect(signet.runtime.statistics.eventsWaiting == 4)
            #expect(signet.runtime.statistics.eventsDelivered == 2)
        }
    }

    @Test func whenTheTimeIsOverTheErrorSaysHowManyAreLeft() async throws {
        let gate = EmulatorGate()
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.held(gate), on: .events)
            let visitor = try await signet.openKnown()
            for _ in 0..<149 { try visitor.log(.custom("x")) }
            async let error = failure { () async throws(SignetError) in
                try await signet.runtime.upload(within: .seconds(7))
            }
            await gate.arrived()
            // A full batch goes by itself: only the limit shows that the call has begun to wait.
            await signet.clock.untilNextDeadline(is: .seconds(7))
            try visitor.log(.custom("after the call"))
            signet.clock.advance(by: .seconds(7))
            let thrown = await error
            #expect(thrown?.code == .timedOut)
            #expect(thrown?.eventsLeft == 150)
            gate.open()
        }
    }

    @Test func aPauseThatBeginsMeanwhileEndsIt() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            signet.emulator.faults.inject(.connectionRefused, on: .events)
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            #expect(await self.code(signet) == .uploadPaused)
            #expect(await self.code(signet) == .uploadPaused)
            signet.clock.advance(by: .seconds(5))
            #expect(await self.code(signet) == nil)
        }
    }

    @Test func withoutRunItWaitsAsLongAsAllowedAndAfterTheEndNotAtAll() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        async let early = self.code(signet, within: .seconds(7))
        await signet.clock.untilNextDeadline(is: .seconds(7))
        signet.clock.advance(by: .seconds(7))
        #expect(await early == .notRunning)
        try await signet.runtime.sync()
        await signet.runtime.shutdown()
        #expect(await self.code(signet) == .notRunning)
        let synced = await SignetRuntimeTestSupport.code { () async throws(SignetError) in
            try await signet.runtime.sync()
        }
        #expect(synced == .notRunning)
    }

    @Test func itIsAnsweredWhenTheRuntimeEndsOrItsTaskIsCancelled() async throws {
        let gate = EmulatorGate()
        let signet = try EmulatedSignet(in: self.folder.path)
        signet.emulator.faults.injectAlways(.held(gate), on: .events)
        await withTaskGroup(of: SignetError.Code?.self) { group in
            await withTaskGroup(of: Void.self) { running in
                running.addTask {
                    let failure = await failure { () async throws(SignetError) in try await signet.runtime.run() }
                    #expect(failure == nil)
                }
                do {
                    let visitor = try await signet.openKnown()
                    try visitor.log(.custom("x"))
                } catch {
                    Issue.record(error)
                }
                group.addTask { await self.code(signet) }
                await gate.arrived()
                await withTaskGroup(of: SignetError.Code?.self) { cancelled in
                    cancelled.addTask { await self.code(signet) }
                    cancelled.cancelAll()
                    for await code in cancelled { #expect(code == .cancelled) }
                }
                running.cancelAll()
            }
            for await code in group { #expect(code == .notRunning) }
        }
    }

    @Test func manyAtOnceAreAllAnswered() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.openKnown()
            await withTaskGroup(of: SignetError.Code?.self) { group in
                for index in 0..<50 {
                    group.addTask {
                        visitor.logIfPossible(.custom("e\(index)"))
                        return await self.code(signet)
                    }
                }
                for await code in group { #expect(code == nil) }
            }
            #expect(signet.runtime.statistics.eventsWaiting == 0)
            #expect(signet.runtime.statistics.eventsDelivered == 51)
        }
    }
}
