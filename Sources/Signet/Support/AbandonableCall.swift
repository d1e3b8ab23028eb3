// SPDX-License-Identifier: Apache-2.0

/// A call of the app's code that is left behind if it does not end.
///
/// Structured tasks wait for their children. A callback or a transport of the app that never returns and does not hear
/// its cancellation would hold up a caller, and the end of the runtime, for ever. So it runs in a task of its own, the
/// only unstructured ones of the library.
package enum AbandonableCall {
    /// Runs a body; when the calling task is cancelled, the body is, too, and its end is not awaited.
    ///
    /// In a task with a task executor it is a child: nothing leaves the executor, and its end is awaited.
    ///
    /// - Parameter body: The call.
    /// - Returns: Its value; nil if the calling task was cancelled first.
    package static func value<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
        if Self.hasTaskExecutor { return await body() }
        return await Self.value(of: Promise(), body)
    }

    /// Runs a body; when the calling task is cancelled, the body is, too, and has some time to end.
    ///
    /// One that hears its cancellation has ended when this returns, as a child of the task would have.
    ///
    /// - Parameters:
    ///   - grace: The time from the cancellation on.
    ///   - time: The clock of that time.
    ///   - body: The call.
    /// - Returns: Its value; nil if it did not end in that time.
    package static func value<Value: Sendable>(
        within grace: Duration,
        on time: TimeSource,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        if Self.hasTaskExecutor { return await body() }
        let promise = Promise<Value>()
        if let value = await Self.value(of: promise, body) { return value }
        // This task is cancelled and cannot wait; one of its own can.
        return await Task { await withTimeLimit(grace, on: time) { await promise.value() } }.value
    }

    private static func value<Value: Sendable>(
        of promise: Promise<Value>,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let task = Task { _ = promise.resolve(await body()) }
        return await withTaskCancellationHandler {
            await promise.value()
        } onCancel: {
            task.cancel()
        }
    }

    private static var hasTaskExecutor: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }
}
