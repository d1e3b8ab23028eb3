// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct RunTests {
    private func code(_ body: () async throws -> Void) async -> SignetError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SignetError)?.code
        }
    }

    @Test func aSecondRunIsRefusedAndTheFirstGoesOn() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            #expect(await self.code { try await signet.runtime.run() } == .alreadyRunning)
            _ = try await signet.openKnown()
        }
    }

    @Test func afterTheEndNothingIsTakenAndEverythingReturns() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.run { try await $0.openKnown() }
        let runtime = signet.runtime
        #expect(await self.code { try await runtime.run() } == .notRunning)
        #expect(await self.code { try visitor.log(.custom("x")) } == .notRunning)
        #expect(await self.code { _ = try await runtime.open("w") } == .notRunning)
        #expect(await self.code { _ = try await runtime.open("v") } == .notRunning)
        #expect(await self.code { try await visitor.setAttribute("x", for: "a") } == .notRunning)
        #expect(await self.code { try await visitor.setOptedOut(true) } == .notRunning)
        #expect(await self.code { _ = try await visitor.login([.customerID: "1"]) } == .notRunning)
        #expect(visitor.currentUser != nil)
        #expect(!visitor.isOptedOut)
        let report = await runtime.shutdown()
        #expect(report.eventsLeft == 0 && report.isComplete)
        #expect(runtime.statistics.eventsLost == 0)
    }

    @Test func aShutdownWithoutARunSyncsAndSaysWhatIsLeft() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.runtime.open("v").log(.custom("x"))
        let report = ShutdownReport(eventsDelivered: 0, eventsLeft: 2, isComplete: false)
        #expect(await signet.runtime.shutdown() == report)
        #expect(await self.code { try await signet.runtime.run() } == .notRunning)
        #expect(signet.transport.exchanges.isEmpty)
    }

    @Test func concurrentShutdownsWaitForOneEndAndSayTheSame() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            let reports = await withTaskGroup(of: ShutdownReport.self) { group in
                for _ in 0..<10 { group.addTask { await signet.runtime.shutdown() } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(reports == [ShutdownReport(eventsDelivered: 2, eventsLeft: 0, isComplete: true)])
        }
    }

    @Test func aCancelledShutdownReturnsAndTheRuntimeEnds() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let gate = EmulatorGate()
        signet.emulator.faults.injectAlways(.held(gate), on: .events)
        let run = Task { try await signet.runtime.run() }
        let visitor = try await signet.openKnown()
        try visitor.log(.custom("x"))
        let shutdown = Task { await signet.runtime.shutdown() }
        await gate.arrived()
        shutdown.cancel()
        #expect(await shutdown.value.isComplete == false)
        try await run.value
        let report = ShutdownReport(eventsDelivered: 0, eventsLeft: 2, isComplete: false)
        #expect(await signet.runtime.shutdown() == report)
    }

    @Test func aCancelledRunAnswersEverybodyAndIsNoCompleteShutdown() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let gate = EmulatorGate()
        signet.emulator.faults.injectAlways(.held(gate))
        let run = Task { try await signet.runtime.run() }
        let visitor = try await signet.runtime.open("v", identify: .none)
        let changes = visitor.userChanges()
        async let login = self.code { _ = try await visitor.login([.customerID: "1"]) }
        await gate.arrived()
        async let shutdown = signet.runtime.shutdown()
        run.cancel()
        #expect(await login == .notRunning)
        #expect(await shutdown == ShutdownReport(eventsDelivered: 0, eventsLeft: 1, isComplete: false))
        try await run.value
        for await _ in changes { #expect(Bool(false), "Nobody has come.") }
    }

    @Test func theScopedFormEndsInOrderWhateverItsBodyDoes() async throws {
        struct Failure: Error {}
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        await #expect(throws: Failure.self) {
            try await signet.run { signet in
                let visitor = try await signet.openKnown()
                try visitor.log(.custom("x"))
                throw Failure()
            }
        }
        let report = ShutdownReport(eventsDelivered: 2, eventsLeft: 0, isComplete: true)
        #expect(signet.runtime.context.lifecycle.report == report)
        let second = try EmulatedSignet(in: folder.path)
        try await second.run { #expect(await $0.runtime.shutdown().isComplete) }
        let third = try EmulatedSignet(in: folder.path)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await third.run { _ in }
        }
        try await cancelled.value
        #expect(third.runtime.context.lifecycle.report != nil)
    }

    @Test func aBodyThatIsDoneAtOnceHasItsEventsDelivered() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<20 {
            let signet = try EmulatedSignet(in: folder.path + "/\(round)")
            try await signet.run { signet in
                try await signet.runtime.open("v").log(.custom("x"))
            }
            #expect(signet.emulator.batches().map(\.eventCount) == [2])
        }
    }

    @Test func eventsLoggedDuringAShutdownAreDeliveredOrLeftAndNeverLost() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<10 {
            let signet = try EmulatedSignet(in: folder.path + "/\(round)")
            try await signet.run { signet in
                let visitor = try await signet.openKnown()
                let loggers = (0..<4).map { _ in
                    Task {
                        var count = 0
                        while (try? visitor.log(.custom("x"))) != nil {
                            count += 1
                            await Task.yield()
                        }
                        return count
                    }
                }
                await until("twenty accepted events") { signet.runtime.statistics.eventsAccepted >= 20 }
                let report = await signet.runtime.shutdown()
                var logged = 1
                for logger in loggers { logged += await logger.value }
                let statistics = signet.runtime.statistics
                #expect(statistics.eventsAccepted == logged)
                #expect(statistics.eventsDelivered + report.eventsLeft == logged)
                #expect(statistics.eventsLost == 0)
            }
        }
    }
}
