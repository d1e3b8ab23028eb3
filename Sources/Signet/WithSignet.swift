// SPDX-License-Identifier: Apache-2.0

public import SignetTransport

/// Makes a runtime, runs it during a body, and shuts it down in order: the scoped entry point.
///
/// The shutdown takes at most ``SignetConfiguration/shutdownLimit``; call ``SignetRuntime/shutdown(within:)`` in the
/// body for another limit or the report. A task of the body that reads a stream must end with the body, because the
/// streams end only after the body. Make it an `async let` or a child task that is cancelled. An `UpdatesService` of a group
/// that the body runs ends with the group; what the shutdown still does is read before this returns.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The services that follow the users and events, such as `IterableService`.
///   - transport: The transport to the platform.
///   - observer: The receiver of reports; nil for none.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``SignetError`` of the start.
public func withSignet<Result>(
    _ configuration: SignetConfiguration,
    services: [any SignetService] = [],
    transport: any Transport,
    observer: (any SignetObserver)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignetRuntime) async throws -> Result
) async throws -> Result {
    let runtime = try SignetRuntime(configuration, services: services, transport: transport, observer: observer)
    return try await runtime.runs(isolation: isolation) { try await body(runtime) }
}

extension SignetRuntime {
    /// Runs during a body, then shuts down in order, also when the body throws.
    package func runs<Result>(
        isolation: isolated (any Actor)? = #isolation,
        while body: () async throws -> Result
    ) async throws -> Result {
        // Before the body: one that ends immediately must not end a runtime that its child task has yet to start.
        try self.running.begin()
        return try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            group.addTask { await self.running.serve() }
            do {
                let result = try await body()
                await self.shutdown(within: self.context.configuration.shutdownLimit)
                try await group.waitForAll()
                return result
            } catch {
                await self.shutdown(within: self.context.configuration.shutdownLimit)
                throw error
            }
        }
    }
}
