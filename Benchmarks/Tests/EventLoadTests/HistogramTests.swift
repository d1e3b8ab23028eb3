// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct HistogramTests {
    @Test func aQuantileIsAtMostThreePercentTooHigh() {
        var histogram = Histogram()
        for value in 1...100_000 { histogram.record(UInt64(value)) }
        for share in [0.5, 0.9, 0.99, 0.999] {
            let exact = share * 100_000
            let found = Double(histogram.quantile(share))
            #expect(found >= exact && found <= exact * 1.032, "\(share): \(found) instead of \(exact)")
        }
        #expect(histogram.quantile(1) == 100_000)
    }

    @Test func smallDurationsAreExact() {
        var histogram = Histogram()
        for value in 0..<32 { histogram.record(UInt64(value)) }
        #expect(histogram.quantile(0.5) == 15)
    }

    @Test func mergedHistogramsCountAsOne() {
        var (all, even, odd) = (Histogram(), Histogram(), Histogram())
        for value in 0..<10_000 {
            all.record(UInt64(value * 7))
            if value.isMultiple(of: 2) { even.record(UInt64(value * 7)) } else { odd.record(UInt64(value * 7)) }
        }
        even.merge(odd)
        #expect(even.total == all.total && even.maximum == all.maximum)
        for share in [0.1, 0.5, 0.99] { #expect(even.quantile(share) == all.quantile(share)) }
    }
}
