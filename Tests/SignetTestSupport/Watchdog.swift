//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

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

/// Notices that the process has come to rest while tests run, and ends them.
///
/// The process is at rest when it has used less than a tenth of one processor for two minutes. A test that computes is never
/// at rest, however slow the machine is. The first time, each watched test fails with what it waits for. A test that ignores
/// its cancellation would hang on; the second time, the process ends.
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
    }

    private struct WatchedTest {
        let name: String
        var alarm: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private struct State {
        var nextID = 0
        var waits: [Int: Wait] = [:]
        var tests: [Int: WatchedTest] = [:]
        var isWatching = false
        /// How often in a row the process was found at rest.
        var rests = 0

        mutating func id() -> Int {
            self.nextID += 1
            return self.nextID
        }

        func waits(of test: String) -> String {
            let waits = self.waits.values.filter { $0.test == test }.map { "\($0.what) (\($0.location))" }
            return waits.isEmpty ? "something that it does not name" : waits.sorted().joined(separator: ", ")
        }
    }

    private static let secondsOfRest = 120
    private let state = Locked(State())

    func beginWait(for what: String, at location: SourceLocation) -> Int {
        let wait = Wait(test: Test.current?.name, what: what, location: location)
        return self.state.withLock { state in
            let id = state.id()
            state.waits[id] = wait
            return id
        }
    }

    func endWait(_ id: Int) {
        self.state.withLock { _ = $0.waits.removeValue(forKey: id) }
    }

    /// Suspends until the task is cancelled because its test has ended.
    ///
    /// - Throws: ``TestHung``.
    func watch(_ name: String) async throws {
        let (id, isFirst) = self.state.withLock { state in
            let id = state.id()
            state.tests[id] = WatchedTest(name: name)
            defer { state.isWatching = true }
            return (id, !state.isWatching)
        }
        if isFirst { self.look(again: Self.processorSeconds()) }
        defer { self.state.withLock { _ = $0.tests.removeValue(forKey: id) } }
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

    private func look(again before: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsOfRest)) {
            let now = Self.processorSeconds()
            if now - before < Double(Self.secondsOfRest) / 10 {
                self.end()
            } else {
                self.state.withLock { $0.rests = 0 }
            }
            self.look(again: now)
        }
    }

    private func end() {
        let (rests, hung) = self.state.withLock { state in
            guard !state.tests.isEmpty else { return (0, [(String, CheckedContinuation<Void, any Error>?)]()) }
            state.rests += 1
            let hung = state.tests.keys.sorted().map { id in
                let name = state.tests[id]?.name ?? ""
                defer { state.tests[id]?.alarm = nil }
                return ("\(name) waited for \(state.waits(of: name))", state.tests[id]?.alarm)
            }
            return (state.rests, hung)
        }
        for (description, alarm) in hung {
            print("HUNG: \(description)")
            alarm?.resume(throwing: TestHung(description: description))
        }
        if rests > 1 { exit(70) }
    }

    /// What this process has used so far.
    private static func processorSeconds() -> Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }
}
