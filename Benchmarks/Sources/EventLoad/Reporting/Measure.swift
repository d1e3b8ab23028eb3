// SPDX-License-Identifier: Apache-2.0

/// One figure of one run.
struct Measure: Sendable {
    let name: String
    let unit: String
    let value: Double
    let goal: Goal?

    init(_ name: String, _ unit: String, _ value: Double, goal: Goal? = nil) {
        self.name = name
        self.unit = unit
        self.value = value
        self.goal = goal
    }
}

extension [Measure] {
    /// The quantiles of the calls that a histogram has counted, in microseconds and as ratios to p50.
    ///
    /// - Parameters:
    ///   - histogram: The calls.
    ///   - goals: For the ratios.
    /// - Returns: A figure for each.
    static func latency(_ histogram: Histogram, goals: (p99: Double, p999: Double)? = nil) -> [Measure] {
        func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 }
        let p50 = microseconds(histogram.quantile(0.5))
        let p99 = microseconds(histogram.quantile(0.99))
        let p999 = microseconds(histogram.quantile(0.999))
        return [
            Measure("call p50", "us", p50),
            Measure("call p99", "us", p99),
            Measure("call p99.9", "us", p999),
            Measure("call max", "us", microseconds(histogram.maximum)),
            Measure("p99 / p50", "x", p99 / p50, goal: goals.map { .atMost($0.p99) }),
            Measure("p99.9 / p50", "x", p999 / p50, goal: goals.map { .atMost($0.p999) }),
        ]
    }

    /// Throughput and processor time of some events.
    static func work(_ events: Int, _ span: Span, goal: Goal? = nil) -> [Measure] {
        [
            Measure("throughput", "events/s", Double(events) / span.wall, goal: goal),
            Measure("CPU per million events", "s", span.processor / Double(events) * 1e6),
        ]
    }

    /// What the process kept in memory beyond what it had at the begin.
    ///
    /// - Parameters:
    ///   - begin: Bytes at the begin.
    ///   - peak: The most that was seen.
    ///   - end: Bytes at the end.
    ///   - mapped: The mapped segments when they were of interest; those of now when nil.
    ///   - goal: For the peak's growth.
    /// - Returns: A figure for each.
    /// - Throws: When /proc cannot be read.
    static func memory(
        begin: Int,
        peak: Int,
        end: Int,
        mapped: (count: Int, bytes: Int)? = nil,
        goal: Goal? = nil
    ) throws -> [Measure] {
        let mapped = try mapped ?? Memory.mappedSegments()
        func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }
        return [
            Measure("memory at the begin (RssAnon)", "MiB", mebibytes(begin)),
            Measure("memory growth, peak (RssAnon)", "MiB", mebibytes(peak - begin), goal: goal),
            Measure("memory growth, final (RssAnon)", "MiB", mebibytes(end - begin)),
            Measure("mapped segments", "", Double(mapped.count), goal: .atMost(2)),
            Measure("mapped segments in memory", "MiB", mebibytes(mapped.bytes)),
        ]
    }
}
