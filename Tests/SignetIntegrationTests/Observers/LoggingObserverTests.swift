// SPDX-License-Identifier: Apache-2.0

#if SIGNET_LOGGING
import InMemoryLogging
import Logging
import Signet
import SignetModel
import Testing

@Suite struct LoggingObserverTests {
    private static func entries(logsInstallations: Bool = false) -> [InMemoryLogHandler.Entry] {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "signet") { _ in handler }
        logger.logLevel = .trace
        ObserverCalls.makeAll(on: LoggingObserver(logger, logsInstallations: logsInstallations))
        return handler.entries
    }

    @Test func everythingIsLoggedOnceAtItsLevel() {
        let levels = Self.entries().map(\.level)
        #expect(
            levels == [
                .debug, .warning, .debug, .debug, .error, .warning, .debug, .warning, .error, .error, .info,
                .error, .warning, .warning, .warning, .warning, .warning, .warning, .error, .warning,
            ]
        )
        #expect(levels.count == ObserverCalls.names.count)
    }

    @Test func factsAreMetadata() {
        let entries = Self.entries()
        #expect(
            entries[0].metadata == [
                "signet.endpoint": "login", "http.request.method": "POST", "server.address": "identity.example.com",
                "url.template": "/v1/login", "http.response.status_code": "500", "error.type": "500",
                "signet.error": "serverFailure", "signet.duration_ms": "250",
            ]
        )
        #expect(entries[7].metadata == ["signet.events": "5", "signet.cause": "age"])
    }

    @Test func eachFieldIsOneOfTheTable() {
        let used = Set(Self.entries(logsInstallations: true).flatMap(\.metadata.keys))
        #expect(used == Set(SignetLogField.all.map(\.name)))
    }

    @Test func aClockThatIsRightAgainIsANotice() {
        let handler = InMemoryLogHandler()
        LoggingObserver(Logger(label: "signet") { _ in handler }).clockOffsetChanged(nil)
        #expect(handler.entries.map(\.level) == [.notice])
        let entries = Self.entries()
        #expect(entries[13].metadata == ["signet.clock_offset_ms": "-3000"])
    }

    @Test func installationsAreLoggedOnlyWhenAskedFor() {
        #expect(!Self.entries().contains { "\($0.message) \($0.metadata)".contains("cookie-secret") })
        let named = Self.entries(logsInstallations: true).filter { $0.metadata["signet.installation"] != nil }
        #expect(named.count == 7)
    }
}
#endif
