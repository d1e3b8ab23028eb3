// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetLock
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Notices that the tests of the process have come to rest, and ends them.
///
/// Tests are at rest when for two minutes none begins or ends, no ``until(_:sourceLocation:_:)`` begins or ends, and the process
/// uses and awaits less than a tenth of one processor all the while. A test that computes is not at rest, however slow the machine
/// is and whatever else it does.
/// Then each watched test fails with what it waits for. If that frees none of them in two more minutes, the process ends.
final class Watchdog: Sendable {
    /// One for the process: all its tests share the processor time by which rest is told.
    static let shared = Watchdog()

    /// A test that hung.
    struct TestHung: Error, CustomStringConvertible {
        let description: String
    }

    private struct Wait {
        let test: String?
        let what: String
        let location: SourceLocation

        var description: String { "\(self.test ?? "a task") waits for \(self.what) (\(self.location))" }
    }

    private struct WatchedTest {
        let name: String
        var alarm: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private struct State {
        /// Grows with each test and each wait that begins or ends.
        var progress = 0
        var waits: [Int: Wait] = [:]
        var tests: [Int: WatchedTest] = [:]
        var isLooking = false
        /// How many looks in a row saw nothing go on.
        var calmLooks = 0
        var hasAlarmed = false

        mutating func next() -> Int {
            self.progress += 1
            return self.progress
        }
    }

    /// What a look at the process saw.
    private struct Look {
        let progress: Int
        let processor: Double
        let time: DispatchTime
    }

    private let millisecondsBetweenLooks: Int
    private let calmLooksOfRest: Int
    private let state = Locked(State())
    /// Of its own: tests may hold all threads of the global ones.
    private let queue = DispatchQueue(label: "watchdog")

    /// Makes one; a test of it has less patience.
    init(millisecondsBetweenLooks: Int = 5000, calmLooksOfRest: Int = 24) {
        self.millisecondsBetweenLooks = millisecondsBetweenLooks
        self.calmLooksOfRest = calmLooksOfRest
    }

    func beginWait(for what: String, at location: SourceLocation) -> Int {
        self.begin { state, id in
            state.waits[id] = Wait(test: Test.current.map { "\($0.id)" }, what: what, location: location)
        }
    }

    /// Ends a wait.
    ///
    /// - Parameters:
    ///   - id: The number of the wait.
    ///   - isMet: Whether its condition was met. A wait that a hung test gave up is an issue.
    func endWait(_ id: Int, isMet: Bool) {
        let (wait, hasAlarmed) = self.state.withLock { state in
            state.progress += 1
            return (state.waits.removeValue(forKey: id), state.hasAlarmed)
        }
        guard let wait, !isMet, hasAlarmed else { return }
        Issue.record("Gave up: \(wait.description)", sourceLocation: wait.location)
    }

    /// Suspends until the task is cancelled because its test has ended.
    ///
    /// - Throws: ``TestHung``.
    func watch(_ name: String) async throws {
        let id = self.begin { state, id in state.tests[id] = WatchedTest(name: name) }
        defer {
            self.state.withLock { state in
                state.progress += 1
                state.tests.removeValue(forKey: id)
            }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = self.state.withLock { state in
                    guard state.tests[id]?.isCancelled == false else { return true }
                    state.tests[id]?.alarm = continuation
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let alarm = self.state.withLock { state in
                state.tests[id]?.isCancelled = true
                defer { state.tests[id]?.alarm = nil }
                return state.tests[id]?.alarm
            }
            alarm?.resume()
        }
    }

    private func begin(_ body: (inout State, Int) -> Void) -> Int {
        let (id, isFirst) = self.state.withLock { state in
            let id = state.next()
            body(&state, id)
            defer { state.isLooking = true }
            return (id, !state.isLooking)
        }
        if isFirst { self.look(after: self.now()) }
        return id
    }

    private func now() -> Look {
        Look(
            progress: self.state.withLock { $0.progress },
            processor: ProcessorTime.usedOrAwaited,
            time: .now()
        )
    }

    private func look(after last: Look) {
        self.queue.asyncAfter(deadline: .now() + .milliseconds(self.millisecondsBetweenLooks)) {
            let now = self.now()
            let seconds = Double(now.time.uptimeNanoseconds - last.time.uptimeNanoseconds) / 1e9
            // A process that was stopped, or a machine that was, has not been at rest.
            let wasStopped = seconds > Double(3 * self.millisecondsBetweenLooks) / 1000
            let isCalm = now.progress == last.progress && now.processor - last.processor < seconds / 10 && !wasStopped
            let isAtRest = self.state.withLock { state in
                state.calmLooks = isCalm && !(state.tests.isEmpty && state.waits.isEmpty) ? state.calmLooks + 1 : 0
                guard state.calmLooks == self.calmLooksOfRest else { return false }
                state.calmLooks = 0
                return true
            }
            if isAtRest { self.alarm() }
            self.look(after: self.now())
        }
    }

    private func alarm() {
        let (waits, alarms, isSecond) = self.state.withLock { state in
            let waits = state.waits.values.map { ($0.test, $0.description) }
            var alarms: [(name: String, alarm: CheckedContinuation<Void, any Error>?)] = []
            for id in state.tests.keys.sorted() {
                guard let test = state.tests[id] else { continue }
                alarms.append((test.name, test.alarm))
                state.tests[id]?.alarm = nil
            }
            defer { state.hasAlarmed = true }
            // Nobody is left who could be told, or who was told has not ended.
            return (waits, alarms, alarms.allSatisfy { $0.alarm == nil })
        }
        for (_, description) in waits { Self.say("HUNG: \(description)") }
        for (name, alarm) in alarms {
            let own = waits.filter { $0.0 == name }.map(\.1)
            let description =
                own.isEmpty ? "\(name) waits for something that it does not name" : own.joined(separator: "; ")
            if own.isEmpty { Self.say("HUNG: \(description)") }
            alarm?.resume(throwing: TestHung(description: description))
        }
        guard isSecond else { return }
        fflush(nil)
        _exit(70)
    }

    /// At once, whatever stands in buffers.
    private static func say(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = write(2, bytes, bytes.count)
    }
}
