// SPDX-License-Identifier: Apache-2.0

#if MetricsSupport
import CoreMetrics
import MetricsTestKit
import Signet
import Testing

@Suite struct MetricsObserverTests {
    private let metrics = TestMetrics()

    @Test func everythingThatHappensIsCounted() throws {
        ObserverCalls.makeAll(on: MetricsObserver(factory: self.metrics))
        let expected: [String: Int64] = [
            "signet_requests": 1, "signet_events_refused": 1, "signet_events_delivered": 7,
            "signet_batches_delivered": 1,
            "signet_events_dead_lettered": 3, "signet_batches_dead_lettered": 1, "signet_batches_postponed": 1,
            "signet_events_dropped": 5, "signet_corruptions": 1, "signet_states_not_saved": 1,
            "signet_service_data_dropped": 6, "signet_users_dropped": 9, "signet_clock_offsets": 1,
            "signet_identity_syncs_failed": 1,
            "signet_erasures_failed": 1,
        ]
        for (label, count) in expected {
            #expect(self.metrics.counterTotal(label: label) == count, "\(label)")
        }
        let dimensions = [("endpoint", "login"), ("outcome", "serverFailure")]
        #expect(try self.metrics.expectCounter("signet_requests", dimensions).totalValue == 1)
        let timer = try self.metrics.expectTimer("signet_request_duration", [("endpoint", "login")])
        #expect(timer.lastValue == 250_000_000)
    }

    @Test func nothingIsCountedByInstallation() {
        ObserverCalls.makeAll(on: MetricsObserver(factory: self.metrics))
        #expect(!self.metrics.counters.contains { "\($0.dimensions)".contains("cookie-secret") })
    }

    @Test func aClockThatIsRightAgainIsNotCounted() {
        MetricsObserver(factory: self.metrics).clockOffsetChanged(nil)
        #expect(self.metrics.counterTotal(label: "signet_clock_offsets") == 0)
    }

    @Test func whatWaitsIsAGauge() throws {
        var statistics = SignetStatistics()
        statistics.eventsWaiting = 12
        statistics.eventsInMemory = 3
        statistics.oldestEventAge = .milliseconds(1500)
        statistics.bytesOnDisk = 4096
        statistics.clockOffset = .milliseconds(-2500)
        MetricsObserver(factory: self.metrics).updateGauges(from: statistics)
        #expect(try self.metrics.expectMeter("signet_clock_offset_seconds").lastValue == -2.5)
        #expect(try self.metrics.expectMeter("signet_events_waiting").lastValue == 12)
        #expect(try self.metrics.expectMeter("signet_events_in_memory").lastValue == 3)
        #expect(try self.metrics.expectMeter("signet_oldest_event_age_seconds").lastValue == 1.5)
        #expect(try self.metrics.expectMeter("signet_bytes_on_disk").lastValue == 4096)
    }
}
#endif
