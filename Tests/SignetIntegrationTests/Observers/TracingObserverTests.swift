// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TRACING
import InMemoryTracing
import Signet
import SignetEmulator
import SignetTestSupport
import SignetTesting
import Testing
import Tracing

@Suite(.watched) struct TracingObserverTests {
    private let tracer = InMemoryTracer()

    @Test func aRequestIsASpanOfItsTimeWithItsOutcome() throws {
        ObserverCalls.makeAll(on: TracingObserver(tracer: self.tracer))
        let span = try #require(self.tracer.finishedSpans.first)
        #expect(self.tracer.finishedSpans.count == 1)
        #expect(span.operationName == "POST /v1/login")
        #expect(span.kind == .client)
        #expect(span.attributes.get("signet.endpoint") == "login")
        #expect(span.attributes.get("http.response.status_code") == 500)
        #expect(span.attributes.get("http.request.method") == "POST")
        #expect(span.attributes.get("server.address") == "identity.example.com")
        #expect(span.attributes.get("url.template") == "/v1/login")
        #expect(span.attributes.get("error.type") == "500")
        #expect(span.attributes.get("signet.error") == "serverFailure")
        #expect(span.status?.code == .error)
        #expect(span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch == 250_000_000)
    }

    @Test func aCallThatWaitedForItsTurnIsInItsOwnTrace() async throws {
        let folder = try TemporaryFolder()
        let gate = EmulatorGate()
        let observer = TracingObserver(tracer: self.tracer)
        try await withEmulatedSignet(in: folder.path, observer: observer) { signet in
            let visitor = try await signet.runtime.open("a", identify: IdentifyPolicy.none)
            signet.emulator.faults.inject(.held(gate), on: .login)
            async let first: Void = self.span("first") { _ = try await visitor.login([.customerID: "c-1"]) }
            await gate.arrived()
            async let second: Void = self.span("second") {
                _ = try await visitor.login([.customerID: "c-2"], whenBusy: .wait(upTo: .seconds(60)))
            }
            gate.open()
            _ = try await (first, second)
        }
        let spans = self.tracer.finishedSpans
        for name in ["first", "second"] {
            let caller = try #require(spans.first { $0.operationName == name })
            #expect(spans.count { $0.operationName == "POST /v1/login" && $0.parentSpanID == caller.spanID } == 1)
        }
    }

    private func span(_ name: String, _ body: () async throws -> Void) async throws {
        try await self.tracer.withSpan(name) { _ in try await body() }
    }

    @Test func aRequestBelongsToTheSpanOfWhoAskedForIt() async throws {
        let folder = try TemporaryFolder()
        let observer = TracingObserver(tracer: self.tracer)
        try await withEmulatedSignet(in: folder.path, observer: observer) { signet in
            let visitor = try await signet.runtime.open("a", identify: IdentifyPolicy.none)
            try await self.tracer.withSpan("shop") { _ in
                _ = try await visitor.login([.customerID: "c-1"])
            }
            try visitor.log(.custom("after"))
        }
        let spans = self.tracer.finishedSpans
        let shop = try #require(spans.first { $0.operationName == "shop" })
        let login = try #require(spans.first { $0.operationName == "POST /v1/login" })
        #expect(login.parentSpanID == shop.spanID)
        let events = try #require(spans.first { $0.operationName == "POST /v2/events" })
        #expect(events.parentSpanID == nil)
    }
}
#endif
