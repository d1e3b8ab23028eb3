// SPDX-License-Identifier: Apache-2.0

#if SIGNET_METRICS && SIGNET_SERVICE_LIFECYCLE
import MetricsTestKit
import ServiceLifecycle
import ServiceLifecycleTestKit
import Signet
import SignetTestSupport
import SignetTesting
import Testing

@Suite(.watched) struct GaugeServiceTests {
    private let metrics = TestMetrics()

    private var waiting: [Double] {
        self.metrics.meters(label: "signet.events.waiting").first?.values ?? []
    }

    @Test func theGaugesAreSetAtOnceAtEachIntervalAndAtTheShutdown() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let gauges = try GaugeService(
            signet.runtime,
            observer: MetricsObserver(factory: self.metrics),
            every: .seconds(5)
        )
        let visitor = try await signet.runtime.open("a", identify: .none)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await gauges.run() }
                await until("the gauges are set") { self.waiting.count == 1 }
                await until("the service sleeps") { signet.clock.sleepers == 1 }
                signet.clock.advance(by: .seconds(4))
                #expect(signet.clock.sleepers == 1)
                signet.clock.advance(by: .seconds(1))
                await until("the gauges are set again") { self.waiting.count == 2 }
                try visitor.log(.custom("bought"))
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(self.waiting.prefix(2) == [0, 0])
        // The session's begin, too.
        #expect(self.waiting.count == 3)
        #expect(try #require(self.waiting.last) >= 1)
    }

    @Test func anIntervalIsASecondAtLeast() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let observer = MetricsObserver(factory: self.metrics)
        let error = #expect(throws: SignetError.self) {
            try GaugeService(signet.runtime, observer: observer, every: .milliseconds(999))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func itsNameIsOneWord() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let gauges = try GaugeService(signet.runtime, observer: MetricsObserver(factory: self.metrics))
        #expect(ServiceGroupConfiguration.ServiceConfiguration(service: gauges).serviceName == "GaugeService")
    }
}
#endif
