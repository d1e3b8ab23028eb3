// SPDX-License-Identifier: Apache-2.0

#if SIGNET_LOGGING
import InMemoryLogging
import Logging
import SignetEmulator
import SignetLock
import SignetTestSupport
import Testing

@testable import Signet

@Suite struct LoggerTests {
    /// Remembers what could not be read.
    private final class Damages: SignetObserver {
        private let damages = Locked<[String]>([])

        var all: [String] { self.damages.withLock { $0 } }

        func corruptionDetected(_ description: String) { self.damages.withLock { $0.append(description) } }
    }

    private let lines = Locked<[String]>([])
    private let handler = InMemoryLogHandler()
    private let emulator = Emulator()

    private var logger: Logger {
        Logger(label: "signet") { [handler] _ in handler }
    }

    private func configuration(_ folder: TemporaryFolder) -> SignetConfiguration {
        var configuration = SignetConfiguration(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: folder.path
        )
        configuration.standardError = { [lines] line in lines.withLock { $0.append(line) } }
        return configuration
    }

    @Test func aRuntimeWithALoggerLogsAndWritesNoLine() async throws {
        let folder = try TemporaryFolder()
        try await withSignet(
            self.configuration(folder),
            transport: self.emulator.transport,
            logger: self.logger
        ) { signet in
            signet.context.reportDamage("a row")
        }
        #expect(self.lines.withLock { $0 } == [])
        #expect(self.handler.entries.map { "\($0.message)" }.last == "The runtime has ended.")
        #expect(self.handler.entries.contains { $0.metadata["signet.damage"] == "a row" })
    }

    @Test func anObserverBesideTheLoggerGetsTheSame() async throws {
        let folder = try TemporaryFolder()
        let observer = Damages()
        let signet = try SignetRuntime(
            self.configuration(folder),
            transport: self.emulator.transport,
            observer: observer,
            logger: self.logger
        )
        signet.context.reportDamage("a row")
        await signet.shutdown()
        #expect(observer.all == ["a row"])
        #expect(self.handler.entries.contains { $0.metadata["signet.damage"] == "a row" })
        #expect(self.lines.withLock { $0 } == [])
    }

    @Test func withoutEitherTheSameRuntimeWritesLines() async throws {
        let folder = try TemporaryFolder()
        try await withSignet(self.configuration(folder), transport: self.emulator.transport) { signet in
            signet.context.reportDamage("a row")
        }
        #expect(self.lines.withLock { $0.count } == 2)
    }
}
#endif
