// SPDX-License-Identifier: Apache-2.0

#if SIGNET_METRICS
import CoreMetrics
import MetricsTestKit
import Testing

@testable import Signet

import struct FoundationEssentials.Date

@Suite struct MetricsObserverTests {
    private let metrics = TestMetrics()

    @Test func everythingThatHappensIsCounted() throws {
        ObserverCalls.makeAll(on: MetricsObserver(factory: self.metrics))
        let expected: [String: Int64] = [
            "signet.events.refused": 1, "signet.events.delivered": 7, "signet.batches.delivered": 1,
            "signet.events.dead_lettered": 3, "signet.batches.dead_lettered": 1, "signet.batches.postponed": 1,
            "signet.events.dropped": 5, "signet.damages": 1, "signet.states.not_saved": 1,
            "signet.service.data.dropped": 6, "signet.users.dropped": 9, "signet.clock.offsets": 1,
            "signet.installations.removed": 10, "signet.store.failures": 1,
            "signet.identity.syncs.failed": 1, "signet.erasures.failed": 1,
            "signet.identity.identifies.failed": 1, "signet.work.postponed": 1,
        ]
        for (label, count) in expected {
            #expect(self.metrics.counterTotal(label: label) == count, "\(label)")
        }
        #expect(Set(expected.keys) == Set(SignetMetric.all.filter { $0.kind == .counter }.map(\.name)))
        let timer = try self.metrics.expectTimer(
            "http.client.request.duration",
            [
                ("http.request.method", "POST"), ("server.address", "identity.example.com"),
                ("url.template", "/v1/login"), ("http.response.status_code", "500"), ("error.type", "500"),
            ]
        )
        #expect(timer.lastValue == 250_000_000)
    }

    @Test func eachMetricIsOneOfTheTableWithItsLabels() {
        let observer = MetricsObserver(factory: self.metrics)
        ObserverCalls.makeAll(on: observer)
        var statistics = SignetStatistics()
        statistics.clockOffset = .zero
        statistics.dueWork = ["identity": 1]
        observer.updateGauges(from: statistics)
        observer.updateGauges(from: SignetHealth.ready)
        let used =
            self.metrics.counters.map { ($0.label, $0.dimensions) }
            + self.metrics.meters.map { ($0.label, $0.dimensions) }
            + self.metrics.timers.map { ($0.label, $0.dimensions) }
        #expect(Set(used.map(\.0)) == Set(SignetMetric.all.map(\.name)))
        for (label, dimensions) in used {
            let metric = SignetMetric.all.first { $0.name == label }
            #expect(dimensions.map(\.0) == metric?.labels, "\(label)")
        }
    }

    @Test func theHealthIsOneGaugeForEachReason() throws {
        let observer = MetricsObserver(factory: self.metrics)
        let reason = HealthReason(kind: .storageFull(bytes: 9, limit: 9), since: Date(timeIntervalSince1970: 0))
        observer.updateGauges(from: .degraded([reason]))
        func gauge(_ name: String) throws -> Double? {
            try self.metrics.expectMeter("signet.health.degraded", [("signet.reason", name)]).lastValue
        }
        #expect(try gauge("storage_full") == 1)
        #expect(try gauge("clock_off") == 0)
        observer.updateGauges(from: SignetHealth.ready)
        #expect(try gauge("storage_full") == 0)
    }

    @Test func nothingIsCountedByInstallation() {
        ObserverCalls.makeAll(on: MetricsObserver(factory: self.metrics))
        #expect(!self.metrics.counters.contains { "\($0.dimensions)".contains("cookie-secret") })
    }

    @Test func aClockThatIsRightAgainIsNotCounted() {
        MetricsObserver(factory: self.metrics).clockOffsetChanged(nil)
        #expect(self.metrics.counterTotal(label: "signet.clock.offsets") == 0)
    }

    @Test func whatWaitsIsAGauge() throws {
        var statistics = SignetStatistics()
        statistics.eventsWaiting = 12
        statistics.eventsInMemory = 3
        statistics.oldestEventAges = ["user": .milliseconds(1500), "app": .seconds(7)]
        statistics.dueWork = ["identity": 4]
        statistics.bytesOnDisk = 4096
        statistics.clockOffset = .milliseconds(-2500)
        MetricsObserver(factory: self.metrics).updateGauges(from: statistics)
        #expect(try self.metrics.expectMeter("signet.clock.offset").lastValue == -2.5)
        #expect(try self.metrics.expectMeter("signet.events.waiting").lastValue == 12)
        #expect(try self.metrics.expectMeter("signet.events.in_memory").lastValue == 3)
        for (cause, age) in [("upload", 0.0), ("user", 1.5), ("app", 7.0)] {
            let meter = try self.metrics.expectMeter("signet.events.oldest_age", [("signet.waits_for", cause)])
            #expect(meter.lastValue == age)
        }
        #expect(try self.metrics.expectMeter("signet.work.due", [("signet.kind", "identity")]).lastValue == 4)
        #expect(try self.metrics.expectMeter("signet.disk.usage").lastValue == 4096)
    }
}
#endif
