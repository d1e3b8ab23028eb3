// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetModel
import SignetServer
import SignetTrace
import SignetTransport
import Synchronization

/// `signet replay`.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays a trace of visitors through a real runtime against a server.",
        discussion: """
            The runtime keeps its state in a temporary folder, which it removes at the end, and sends over HTTP. It \
            performs lines as fast as the server answers, with the wall clock of the trace. The format is that of \
            `swift run quickstart TRACE`. Start the emulator with the strategy and the priority that the first line \
            of the trace names.

            EXAMPLES
              signet replay Examples/Quickstart/shop-day.jsonl --url http://127.0.0.1:8765
              signet replay day.jsonl --url http://127.0.0.1:8765 --key us1-mine:my-secret

            EXIT CODES
              0   all events were delivered
              1   some were dropped, became dead letters or still wait
              2   the trace cannot be read or the server cannot be reached
              64  invalid command line
            """
    )

    @Argument(help: "The trace.")
    var trace: String

    @Option(help: "The base URL of the server, such as signet emulator.")
    var url: String

    @Option(help: "The API key and the secret, as KEY:SECRET.")
    var key: String = "us1-emulated:emulated-secret"

    @Option(help: "The most seconds that an identity call may take, and so the last deliveries.")
    var within: Int = 60

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...86400).contains(self.within) else { throw ValidationError("--within must be from 1 to 86400.") }
        guard self.key.split(separator: ":", maxSplits: 1).count == 2 else {
            throw ValidationError("--key must be KEY:SECRET; neither part may be empty.")
        }
        do throws(ServerURL.ParsingError) { _ = try ServerURL(self.url) } catch {
            throw ValidationError("--url: \(error.message)")
        }
    }

    func run() async throws {
        let report: ReplayReport
        do {
            let trace = try TraceReader.read(self.trace)
            report = try await ScratchFolder.using { try await self.replay(trace, in: $0) }
        } catch let error as SignetError {
            Terminal.complain(error.message)
            throw ToolExit.failed
        } catch let fault as ToolFault {
            Terminal.complain(fault.message)
            throw ToolExit.failed
        } catch {
            Terminal.complain("\(error)")
            throw ToolExit.failed
        }
        try self.output.give(report.json, report.text)
        if !report.isWhole { throw ToolExit.no }
    }

    private func replay(_ trace: Trace, in folder: String) async throws -> ReplayReport {
        let parts = self.key.split(separator: ":", maxSplits: 1).map(String.init)
        var configuration = SignetConfiguration.application(
            apiKey: parts[0],
            secret: Secret(parts[1]),
            directory: folder
        )
        configuration.baseURL = try ServerURL(self.url)
        configuration.environment = trace.header.environment
        configuration.identity.requestTimeout = .seconds(self.within)
        configuration.sessions.reportsApplicationState = false
        // The command says itself what becomes of the events.
        configuration.reportsToStandardError = false
        configuration.sessions.timeout = trace.header.sessionTimeout
        let now = TraceTime(trace.header.start)
        configuration.time = TimeSource(clock: SystemTime.clock(), milliseconds: { now.milliseconds })
        return try await withSignet(configuration, transport: URLSessionTransport()) { signet in
            let progress = ProgressLine()
            defer { progress.end() }
            var visitors = Visitors(signet)
            for (number, line) in trace.lines.enumerated() {
                progress.show { "line \(number + 1) of \(trace.lines.count)" }
                now.move(to: trace.header.start + line.at)
                try await visitors.perform(line)
            }
            do {
                try await progress.during {
                    "delivering: " + signet.statistics.eventsWaiting.of("event waits", "events wait")
                } _: {
                    _ = try await signet.upload(within: .seconds(self.within))
                }
            } catch let error as SignetError {
                Terminal.complain(error.message)
            }
            return ReplayReport(lines: trace.lines.count, tally: visitors.tally, statistics: signet.statistics)
        }
    }
}

/// The wall clock of a trace.
private final class TraceTime: Sendable {
    private let now: Atomic<Int64>

    init(_ start: Int64) {
        self.now = Atomic(start)
    }

    var milliseconds: Int64 {
        self.now.load(ordering: .relaxed)
    }

    func move(to milliseconds: Int64) {
        self.now.store(milliseconds, ordering: .relaxed)
    }
}
#endif
