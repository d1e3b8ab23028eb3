// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct GoalTests {
    @Test func slowCallsAreJudgedAgainstTheUsualOne() {
        var histogram = Histogram()
        for duration in 1...100 { histogram.record(duration > 98 ? 30 : 10) }
        let measures: [Measure] = .latency(histogram, goals: (p99: 2, p999: 20))
        let ratios = measures.filter { $0.unit == "x" }
        #expect(ratios.map(\.name) == ["p99 / p50", "p99.9 / p50"])
        #expect(ratios.map(\.value) == [3, 3])
        #expect(ratios.map { $0.goal?.isMet(by: $0.value) } == [false, true])
        #expect(measures.filter { $0.unit == "us" }.allSatisfy { $0.goal == nil })
    }

    @Test func aBacklogOverHTTPHasGoalsOfItsOwn() {
        #expect(Delivery.bulk.throughputGoal(at: .inProcess)?.bound == 500_000)
        #expect(Delivery.single.throughputGoal(at: .http)?.bound == 200_000)
        #expect(Delivery.bulk.throughputGoal(at: .http)?.bound == nil)
        #expect(Delivery.single.throughputGoal(at: .inProcess)?.bound == nil)
        #expect(Delivery.bulk.timeGoal?.bound == 4)
        #expect(Delivery.single.timeGoal?.bound == nil)
    }
}
