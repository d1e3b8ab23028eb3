// SPDX-License-Identifier: Apache-2.0

#if SIGNET_SERVICE_LIFECYCLE
import ServiceLifecycle
import ServiceLifecycleTestKit
import Signet
import SignetEmulator
import SignetLock
import SignetTestSupport
import SignetTesting
import Testing

@Suite(.watched) struct ServiceTests {
    /// Remembers how runtimes ended.
    private final class Reports: SignetObserver {
        private let reports = Locked<[ShutdownReport]>([])

        var all: [ShutdownReport] { self.reports.withLock { $0 } }

        func runtimeEnded(_ report: ShutdownReport) { self.reports.withLock { $0.append(report) } }
    }

    @Test func aGracefulShutdownDeliversWhatWaitsAndTellsWhatIsLeft() async throws {
        let folder = try TemporaryFolder()
        let observer = Reports()
        let signet = try EmulatedSignet(in: folder.path, observer: observer)
        let service: any Service = signet.runtime
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                let visitor = try await signet.runtime.open("a")
                _ = try await visitor.login([.customerID: "c-1"])
                try visitor.log(.custom("bought"))
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(observer.all.map(\.isComplete) == [true])
        #expect(observer.all.map(\.eventsLeft) == [0])
        #expect(signet.runtime.statistics.eventsDelivered > 0)
    }

    @Test func aShutdownThatGetsNoAnswersEndsWithinItsLimit() async throws {
        let folder = try TemporaryFolder()
        let observer = Reports()
        let signet = try EmulatedSignet(in: folder.path, observer: observer) { $0.shutdownLimit = .seconds(7) }
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await signet.runtime.run() }
                let visitor = try await signet.runtime.open("a")
                _ = try await visitor.login([.customerID: "c-1"])
                signet.emulator.faults.injectAlways(.held(EmulatorGate()), on: .events)
                try visitor.log(.custom("bought"))
                trigger.triggerGracefulShutdown()
                group.addTask {
                    while observer.all.isEmpty {
                        signet.clock.advance(by: .seconds(1))
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(observer.all.map(\.isComplete) == [false])
        #expect(observer.all.allSatisfy { $0.eventsLeft > 0 })
    }

    @Test func withoutAGroupNothingButItsOwnShutdownEndsIt() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signet.runtime.run() }
            let visitor = try await signet.runtime.open("a")
            _ = try await visitor.login([.customerID: "c-1"])
            #expect(await signet.runtime.shutdown().isComplete)
            try await group.waitForAll()
        }
    }
}
#endif
