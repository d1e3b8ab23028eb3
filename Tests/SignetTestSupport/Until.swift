//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Dispatch
package import Testing

/// Waits until a condition holds, and says what it waits for if that never happens.
///
/// The first turns only let other tasks run. Later turns pause for a millisecond, so that a test that waits for a thread, a
/// file or another process leaves the processor to it. No number of turns fails a test: ``Watchdog`` does, when the whole
/// process has come to rest. Returns early when the task is cancelled.
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
    let wait = Watchdog.shared.beginWait(for: what, at: sourceLocation)
    defer { Watchdog.shared.endWait(wait) }
    var turns = 0
    while try await !condition(), !Task.isCancelled {
        turns += 1
        if turns < 5000 {
            await Task.yield()
        } else {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
            }
        }
    }
}
