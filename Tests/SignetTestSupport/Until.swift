// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Testing

/// Waits until a condition holds, and says what it waits for if that never happens.
///
/// The first turns only let other tasks run. Later turns pause, at first for a millisecond, then for a tenth of a second, so that
/// a test that waits for a thread, a file or another process leaves the processor to it. No number of turns fails a test:
/// ``Watchdog`` does, when all tests have come to rest. Returns early when the task is cancelled.
///
/// - Parameters:
///   - what: What is awaited, as a noun phrase or a short sentence.
///   - sourceLocation: Where it is awaited.
///   - condition: Is asked again and again.
package func until(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows {
    guard try await !condition() else { return }
    let wait = Watchdog.shared.beginWait(for: what, at: sourceLocation)
    var isMet = false
    defer { Watchdog.shared.endWait(wait, isMet: isMet) }
    var turns = 0
    while !isMet, !Task.isCancelled {
        turns += 1
        switch turns {
        case ..<5000: await Task.yield()
        case ..<6000: await pause(milliseconds: 1)
        default: await pause(milliseconds: 100)
        }
        isMet = try await condition()
    }
}

private func pause(milliseconds: Int) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
    }
}
