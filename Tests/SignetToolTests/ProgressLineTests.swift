// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import SignetTesting
import Synchronization
import Testing

@testable import SignetTool

/// What a command says of its progress on a terminal.
@Suite struct ProgressLineTests {
    private final class Screen: Sendable {
        let lines = Mutex<[String]>([])
        func write(_ line: String) { self.lines.withLock { $0.append(line) } }
        var all: [String] { self.lines.withLock { $0 } }
    }

    @Test func aSecondPassesBeforeTheFirstLineAndTheLineIsErased() {
        let (clock, screen) = (ManualClock(), Screen())
        let progress = ProgressLine(clock: clock) { screen.write($0) }
        progress.show { "1 event" }
        progress.end()
        #expect(screen.all == [])
        clock.advance(by: .seconds(1))
        progress.show { "2 events" }
        progress.show { "3 events" }
        clock.advance(by: .milliseconds(200))
        progress.show { String(repeating: "x", count: 200) }
        progress.end()
        progress.end()
        let begin = "\r\u{1B}[K"
        #expect(screen.all == [begin + "2 events", begin + String(repeating: "x", count: 79), begin])
    }

    @Test func withoutATerminalNothingIsMadeOrWritten() async throws {
        let clock = ManualClock()
        let progress = ProgressLine(clock: clock, write: nil)
        clock.advance(by: .seconds(5))
        progress.show {
            Issue.record("A text was made that is not shown.")
            return ""
        }
        #expect(try await progress.during(clock: clock, { "waits" }) { 7 } == 7)
        #expect(clock.sleepers == 0)
    }

    @Test func whatIsWaitedForIsShownMeanwhile() async throws {
        let (clock, screen) = (ManualClock(), Screen())
        let progress = ProgressLine(clock: clock) { screen.write($0) }
        let result = try await progress.during(clock: clock, { "waits" }) {
            await clock.nextSleep()
            clock.advance(by: .seconds(1))
            await clock.nextSleep()
            return "done"
        }
        #expect(result == "done")
        #expect(screen.all == ["\r\u{1B}[Kwaits", "\r\u{1B}[K"])
    }
}
#endif
