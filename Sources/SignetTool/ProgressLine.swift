// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import SignetServer
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Decides when a line about progress is written: not in the first second, and then five times a second at most.
struct ProgressPace: Sendable {
    /// The time before the first line: most commands are done by then.
    static let delay = Duration.seconds(1)
    /// The time between two lines.
    static let interval = Duration.milliseconds(200)
    /// The most characters of a line: one that a terminal breaks could not be replaced.
    static let width = 79

    private var due = Self.delay
    /// The bytes that erase the line; nil if there is none.
    private var eraser: String?

    /// Returns the bytes that replace the line; nil while it is too early.
    mutating func line(_ text: () -> String, at elapsed: Duration) -> String? {
        guard elapsed >= self.due else { return nil }
        self.due = elapsed + Self.interval
        let eraser = "\r\u{1B}[K"
        self.eraser = eraser
        return eraser + text().prefix(Self.width)
    }

    /// Returns the bytes that erase the line; nil if there is none.
    mutating func end() -> String? {
        defer { self.eraser = nil }
        return self.eraser
    }
}

/// A line about progress on standard error, if that is a terminal; results and complaints stay as they are.
final class ProgressLine: Sendable {
    private let pace = Mutex(ProgressPace())
    private let elapsed: @Sendable () -> Duration
    private let write: (@Sendable (String) -> Void)?

    /// - Parameters:
    ///   - clock: The clock of the pace.
    ///   - write: Writes to the terminal; nil for no terminal, where nothing is shown.
    init(
        clock: any Clock<Duration> = SystemTime.clock(),
        write: (@Sendable (String) -> Void)? = ProgressLine.terminal
    ) {
        self.elapsed = Self.stopwatch(clock)
        self.write = write
    }

    /// Writes to standard error; nil if it is no terminal.
    static var terminal: (@Sendable (String) -> Void)? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return { _ = Terminal.write($0, to: STDERR_FILENO) }
    }

    /// Shows a text, if it is time; cheap enough for each step of a loop.
    func show(_ text: () -> String) {
        guard let write = self.write else { return }
        let elapsed = self.elapsed()
        if let line = self.pace.withLock({ $0.line(text, at: elapsed) }) { write(line) }
    }

    /// Erases the line, before a result is printed.
    func end() {
        guard let write = self.write, let line = self.pace.withLock({ $0.end() }) else { return }
        write(line)
    }

    /// Shows a text again and again while a body works, and erases it at the end.
    ///
    /// - Parameters:
    ///   - clock: The clock of the repetitions.
    ///   - text: The text, made anew each time.
    ///   - isolation: The isolation of the body; the caller's by default.
    ///   - body: The work.
    /// - Returns: The result of the body.
    /// - Throws: The errors of the body.
    func during<Result: Sendable>(
        clock: any Clock<Duration> = SystemTime.clock(),
        _ text: @escaping @Sendable () -> String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        defer { self.end() }
        guard self.write != nil else { return try await body() }
        return try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            group.addTask {
                do {
                    while true {
                        try await clock.sleep(for: ProgressPace.interval)
                        self.show(text)
                    }
                } catch {
                    // Cancelled: the work is done.
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
#endif
