// SPDX-License-Identifier: Apache-2.0

#if HTTP
import Signet

/// One way to load a server.
struct HTTPLoad: Sendable {
    let carrier: Carrier
    let delivery: Delivery
    let events: Int
    let installations: Int
    let connections: Int

    /// Delivers to the counting sink, and sends it as many requests of that size with nothing of Signet.
    func measureSink(_ test: LoadTest, _ results: inout Results) async throws -> [Measure] {
        let directory = test.workspace.fresh("http")
        try await Crowd.settle(self.installations, in: directory)
        let sink = try SinkProcess(in: test.workspace)
        defer { sink.end() }
        let url = try ServerURL("http://127.0.0.1:\(sink.port)")
        let transport = self.carrier.make()
        let runtime = try SignetRuntime(self.configuration(directory, url), transport: transport)
        var measures = try await self.deliver(
            try await Crowd.open(self.installations, of: runtime),
            of: runtime,
            &results
        )
        let span = measures.span
        let counts = try await sink.counts()
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: counts.bytes / max(1, counts.requests))
        let bare = TransportFloor(
            transport: transport,
            request: TransportRequest(method: .post, url: url.text + "/floor", body: body),
            connections: self.connections
        )
        let floor = try await Span.of { try await bare.send(counts.requests) }.0
        measures.figures += [
            Measure("bytes of bodies", "MB", Double(counts.bytes) / 1e6),
            Measure("CPU a request", "us", span.processor / Double(counts.requests) * 1e6),
            Measure("floor: same requests by the same transport", "s", floor.wall),
            Measure("floor: their CPU a request", "us", floor.processor / Double(counts.requests) * 1e6),
            Measure("time / same requests", "x", span.wall / floor.wall),
        ]
        try test.workspace.remove(directory)
        return measures.figures
    }

    /// Logs all installations in at once, then delivers.
    func measure(
        against url: ServerURL,
        run: Int,
        _ test: LoadTest,
        _ results: inout Results
    ) async throws -> [Measure] {
        let directory = test.workspace.fresh("http")
        var configuration = self.configuration(directory, url)
        configuration.identity.maximumInFlight = self.installations
        let transport = self.carrier.make()
        let (span, calls) = try await withSignet(configuration, transport: transport) { signet in
            let visitors = try await Crowd.open(self.installations, of: signet)
            return try await Span.of { try await Self.logIn(visitors, run: run) }
        }
        let runtime = try SignetRuntime(configuration, transport: transport)
        let visitors = try await Crowd.open(self.installations, of: runtime)
        var figures = [
            Measure("logins, all at once", "calls/s", Double(calls.total) / span.wall),
            Measure("logins, CPU a call", "us", span.processor / Double(calls.total) * 1e6),
        ]
        figures += [Measure].latency(calls)
        figures += try await self.deliver(visitors, of: runtime, &results).figures
        try test.workspace.remove(directory)
        return figures
    }

    private func configuration(_ directory: String, _ url: ServerURL) -> SignetConfiguration {
        var configuration = Crowd.configuration(directory)
        configuration.baseURL = url
        configuration.events.maximumInFlight = self.connections
        self.delivery.apply(to: &configuration)
        self.carrier.apply(to: &configuration)
        return configuration
    }

    private func deliver(
        _ visitors: [Installation],
        of runtime: SignetRuntime,
        _ results: inout Results
    ) async throws -> (span: Span, figures: [Measure]) {
        let logged = try await Producers(kind: .tasks(1), installations: visitors).run(events: self.events).total
        let (measured, begin, peak, end) = try await MemorySampler.during {
            try await Span.of { try await Drain.all(of: runtime) }
        }
        let (span, report) = measured
        let statistics = runtime.statistics
        if report.eventsLeft > 0 || statistics.eventsDelivered < logged || statistics.eventsLost != 0 {
            results.fail(
                "\(self.carrier.name): \(report.eventsLeft) left, \(statistics.eventsDelivered) of \(logged) delivered"
            )
        }
        var figures: [Measure] = .work(statistics.eventsDelivered, span)
        figures.append(
            Measure("events a batch", "", Double(statistics.eventsDelivered) / Double(statistics.batchesDelivered))
        )
        figures += try .memory(begin: begin, peak: peak, end: end)
        return (span, figures)
    }

    private static func logIn(_ visitors: [Installation], run: Int) async throws -> Histogram {
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for (number, visitor) in visitors.enumerated() {
                group.addTask {
                    let began = Nanoseconds.now
                    _ = try await visitor.login([.customerID: "c-\(run)-\(number)"])
                    return Nanoseconds.now - began
                }
            }
            var calls = Histogram()
            for try await nanoseconds in group { calls.record(nanoseconds) }
            return calls
        }
    }
}
#endif
