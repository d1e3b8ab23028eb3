// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import HTTPTypes
import Hummingbird
import Signet
import SignetEmulator
import SignetHummingbird
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

/// Keeps the text of a body.
private struct TextWriter: ResponseBodyWriter {
    let text: Locked<String>

    @concurrent func write(_ buffer: ByteBuffer) async throws {
        let part = buffer.getString(at: buffer.readerIndex, length: buffer.readableBytes) ?? ""
        self.text.withLock { $0 += part }
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

@Suite(.watched) struct SignetHealthRoutesTests {
    private static func text(of response: Response) async throws -> String {
        let text = Locked("")
        try await response.body.write(TextWriter(text: text))
        return text.withLock { $0 }
    }

    @Test func aRuntimeThatRunsIsReady() async throws {
        try await withEmulatedSignet { signet in
            let router = Router(context: VisitorContext.self)
            SignetHealthRoutes(signet.runtime).add(to: router)
            var browser = Browser(router)
            let live = try await browser.send(.get, "/healthz")
            #expect(live.status == .ok)
            #expect(try await Self.text(of: live) == "alive\n")
            let ready = try await browser.send(.get, "/readyz")
            #expect(ready.status == .ok && ready.headers[.contentType]?.hasPrefix("application/json") == true)
            let text = try await Self.text(of: ready)
            #expect(text.contains(#""status":"ready""#) && text.contains(#""reasons":[]"#), "\(text)")
            #expect(browser.cookie == nil)
        }
    }

    @Test func aPlatformThatIsDownTakesNoReplicaAway() async throws {
        try await withEmulatedSignet { signet in
            let router = Router(context: VisitorContext.self)
            SignetHealthRoutes(signet.runtime).add(to: router)
            var browser = Browser(router)
            signet.emulator.faults.injectAlways(.status(500), on: .events)
            signet.emulator.faults.injectAlways(.status(500), on: .bulkEvents)
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("a"))
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            let answer = try await browser.send(.get, "/readyz")
            let text = try await Self.text(of: answer)
            #expect(answer.status == .ok)
            #expect(text.contains(#""status":"degraded""#) && text.contains("uploads_paused"), "\(text)")
            #expect(text.contains("HTTP 500") && text.contains(#""since":"2023-11-14T22:13:20Z""#), "\(text)")
            signet.emulator.faults.clear()
        }
    }

    @Test func aRuntimeThatHasEndedLivesAndIsNotReady() async throws {
        let router = Router(context: VisitorContext.self)
        try await withEmulatedSignet { signet in
            SignetHealthRoutes(signet.runtime).add(to: router.group("internal"), live: "live", ready: "ready")
        }
        var browser = Browser(router)
        let live = try await browser.send(.get, "/internal/live")
        #expect(live.status == .ok)
        let answer = try await browser.send(.get, "/internal/ready")
        #expect(answer.status == .serviceUnavailable)
        #expect(try await Self.text(of: answer).contains("not_running"))
    }
}
#endif
