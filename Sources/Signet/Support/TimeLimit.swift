// SPDX-License-Identifier: Apache-2.0

/// Runs a body within a time limit.
///
/// - Parameters:
///   - limit: The maximum duration.
///   - time: The clock.
///   - body: The work, which is cancelled at the limit and must then return soon.
/// - Returns: The value of the body; nil if the time was over or the task was cancelled first.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    on time: TimeSource,
    _ body: @escaping @Sendable () async -> Value?
) async -> Value? {
    // Before the body begins: a test that sees its request may move the clock before the second task sleeps.
    let end = time.uptime(after: limit)
    return await withTaskGroup(of: Value?.self) { group in
        group.addTask { await body() }
        group.addTask {
            // Cancelled because the body was first: its value is already taken.
            do { try await time.sleep(until: end) } catch { return nil }
            return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        return first
    }
}
