// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import HTTPTypes
import Hummingbird
import InMemoryLogging
import Logging
import Signet
import SignetEmulator
import SignetHummingbird
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetWebVisitors
import Testing

/// Keeps the body of an answer.
private struct BodyText: ResponseBodyWriter {
    let text = Locked("")

    mutating func write(_ buffer: ByteBuffer) async throws {
        let part = String(buffer: buffer)
        self.text.withLock { $0 += part }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

@Suite(.watched) struct SignetErrorTests {
    private let folder: TemporaryFolder
    private let lines = InMemoryLogHandler()

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// A browser of a site whose `/login` logs in, and whose `/fails` throws this error.
    private func browser(_ signet: EmulatedSignet, _ error: SignetError? = nil) -> Browser {
        let router = Router(context: VisitorContext.self)
        let visitors = WebVisitors(signet.runtime, WebVisitorsConfiguration(keys: .ofThisProcess()))
        let pages = router.group().add(middleware: SignetMiddleware(visitors))
        pages.post("/login") { _, context in
            let result = try await context.signet.requireInstallation().login([.customerID: "ann"])
            return "\(result.user.mpid)"
        }
        pages.get("/fails") { _, _ -> Response in
            if let error { throw error }
            return Response(status: .ok)
        }
        let lines = self.lines
        return Browser(router, source: VisitorContext.Source(Logger(label: "tests") { _ in lines }))
    }

    private static func text(of response: Response) async throws -> String {
        let body = BodyText()
        try await response.body.write(body)
        return body.text.withLock { $0 }
    }

    @Test func aPlatformThatIsOffIsABadGatewayWithTheCodeAndALogLine() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = self.browser(signet)
            signet.emulator.faults.injectAlways(.connectionRefused)
            let response = try await browser.send(.post, "/login")
            #expect(response.status == .badGateway && response.headers[.retryAfter] == nil)
            #expect(try await Self.text(of: response) == #"{"error":{"code":"notConnected"}}"#)
            #expect(response.headers[.contentType]?.hasPrefix("application/json") == true)
            #expect(browser.setCookie != nil)
            let line = try #require(self.lines.entries.first)
            #expect(self.lines.entries.count == 1 && line.level == .error)
            let error = line.metadata["signet.error"].map { "\($0)" } ?? ""
            #expect(error.hasPrefix("notConnected: ") && error.contains("`baseURL`"), "\(error)")
        }
    }

    @Test func aPlatformThatAsksForAPauseIsServiceUnavailableForThatTime() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = self.browser(signet)
            signet.emulator.faults.inject(.status(429, retryAfter: .seconds(7)), on: .login)
            let response = try await browser.send(.post, "/login")
            #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "7")
            #expect(try await Self.text(of: response) == #"{"error":{"code":"throttled"}}"#)
        }
    }

    @Test func theAnswerHasTheCodeAlone() async throws {
        let error = SignetError(
            .rejected,
            "The platform rejected login.",
            remedy: "Call it a day.",
            httpStatus: 400,
            errors: [PlatformError(code: "LOOKUP_ERROR", message: "ann@example.com is not known")]
        )
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = self.browser(signet, error)
            let response = try await browser.send(.get, "/fails")
            #expect(response.status == .badGateway)
            #expect(try await Self.text(of: response) == #"{"error":{"code":"rejected"}}"#)
            // The log has no texts of the platform either: they may name people.
            let logged = self.lines.entries.map { "\($0.message) \($0.metadata)" }.joined()
            #expect(logged.contains("LOOKUP_ERROR") && !logged.contains("ann@"), "\(logged)")
        }
    }

    private static let statuses: [(SignetError.Code, Int)] = [
        (.requestInProgress, 409), (.superseded, 409), (.invalidArgument, 400), (.optedOut, 403), (.timedOut, 504),
        (.outcomeUnknown, 504), (.throttled, 503), (.storeUnreachable, 503), (.storeBusy, 503), (.storeFailed, 503),
        (.notSent, 503), (.notRunning, 503), (.diskFull, 503), (.diskFailed, 503), (.limitReached, 503),
        (.uploadPaused, 503), (.cancelled, 503), (.unauthorized, 502), (.serverFailure, 502), (.unexpectedAnswer, 502),
        (.noUser, 502), (.closed, 502), (SignetError.Code("ofAService"), 502),
    ]

    @Test(arguments: statuses) func eachCodeHasItsStatusAndAnUnavailableServiceATime(
        code: SignetError.Code,
        status: Int
    ) async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = self.browser(signet, SignetError(code, "It failed."))
            let response = try await browser.send(.get, "/fails")
            #expect(response.status.code == status)
            #expect(response.headers[.retryAfter] == (status == 503 ? "5" : nil))
            #expect(self.lines.entries.map(\.level) == [status >= 500 ? .error : .info])
        }
    }

    @Test(arguments: [(Duration.zero, "1"), (.milliseconds(1500), "2"), (.seconds(60), "60")])
    func theTimeIsInWholeSecondsAndNeverNone(delay: Duration, field: String) async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = self.browser(signet, SignetError(.throttled, "It failed.", retryAfter: delay))
            let response = try await browser.send(.get, "/fails")
            #expect(response.headers[.retryAfter] == field)
        }
    }
}
#endif
