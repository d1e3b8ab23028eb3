// SPDX-License-Identifier: Apache-2.0

#if Tool
import Logging
import ServiceLifecycle

extension EmulatorServer {
    /// Serves while `body` runs, then shuts down gracefully.
    ///
    /// - Parameter body: Receives the URL of the server.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, and ``EmulatorServerError`` when the address cannot be listened on.
    public func serve<Result: Sendable>(
        _ body: (_ url: String) async throws -> Result
    ) async throws -> Result {
        let group = ServiceGroup(
            services: [self],
            logger: Logger(label: "signet-emulator", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result = try await body(try await self.url())
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }
}
#endif
