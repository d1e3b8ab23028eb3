// SPDX-License-Identifier: Apache-2.0

/// What became of the requests of a server.
struct ServedRequests: Sendable {
    let span: Span
    let outcome: ServerLoad.Outcome
    /// Events that were delivered when the last request had been served, and those that waited then.
    let delivered: Int
    let waiting: Int
    let tally: ServerTally.Counts
    /// At the end.
    let platform: UnsteadyPlatform.Counts
    let left: Int
    let lost: Int

    /// Tells of events that did not arrive.
    func judge(_ results: inout Results) {
        if self.platform.events < self.outcome.requests {
            results.fail("\(self.platform.events) of \(self.outcome.requests) page views arrived")
        }
        if self.left > 0 { results.fail("\(self.left) events were left") }
        if self.lost != 0 { results.fail("\(self.lost) events are lost, as the statistics say") }
    }

    /// The figures.
    var measures: [Measure] {
        let requests = Double(max(1, self.outcome.requests))
        return [
            Measure("CPU a request", "us", self.span.processor / requests * 1e6),
            Measure("processor", "%", self.span.processor / self.span.wall * 100),
        ] + Self.quantiles("open", self.tally.opens) + Self.quantiles("log", self.tally.logs) + [
            Measure("delivery lag p50", "s", Self.seconds(self.platform.lags.quantile(0.5))),
            Measure("delivery lag p99", "s", Self.seconds(self.platform.lags.quantile(0.99))),
            Measure("delivery lag max", "s", Self.seconds(self.platform.lags.maximum)),
            Measure("events waiting at the end", "", Double(self.waiting)),
            Measure("requests to the platform", "", Double(self.platform.requests)),
            Measure("of these slow or refused", "%", self.faultShare),
            Measure("logins and logouts", "", Double(self.tally.calls)),
            Measure("of these beside another call", "", Double(self.tally.busyCalls)),
            Measure("of these refused", "", Double(self.tally.failedCalls)),
        ] + self.memory
    }

    private var faultShare: Double {
        Double(self.platform.faults) / Double(max(1, self.platform.requests)) * 100
    }

    private var memory: [Measure] {
        let looks = self.outcome.memory
        guard let last = looks.last else { return [] }
        let tenth = looks[looks.count / 10]
        func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }
        return [
            Measure("memory after a tenth (RssAnon)", "MiB", mebibytes(tenth.anonymous)),
            Measure("memory at most (RssAnon)", "MiB", mebibytes(looks.map(\.anonymous).max() ?? 0)),
            Measure("growth from a tenth to the end", "MiB", mebibytes(last.anonymous - tenth.anonymous)),
            Measure("growth of what is allocated", "MiB", mebibytes(last.inUse - tenth.inUse)),
        ]
    }

    private static func quantiles(_ name: String, _ histogram: Histogram) -> [Measure] {
        [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)].map { quantile, share in
            Measure("\(name) \(quantile)", "us", Double(histogram.quantile(share)) / 1000)
        } + [Measure("\(name) max", "us", Double(histogram.maximum) / 1000)]
    }

    private static func seconds(_ nanoseconds: UInt64) -> Double {
        Double(nanoseconds) / 1e9
    }
}
