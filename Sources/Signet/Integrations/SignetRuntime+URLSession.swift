// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
extension SignetRuntime {
    /// Opens the directory and restores its state, with a ``URLSessionTransport`` to the platform.
    ///
    /// - Parameters:
    ///   - configuration: The settings; checked as a whole.
    ///   - services: The services that follow the users and events, such as `IterableService`; each at most once.
    ///   - observer: The receiver of reports; nil for none.
    /// - Throws: As ``init(_:services:transport:observer:)``.
    public convenience init(
        _ configuration: SignetConfiguration,
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil
    ) throws(SignetError) {
        try self.init(configuration, services: services, transport: URLSessionTransport(), observer: observer)
    }
}

/// Makes a runtime with a ``URLSessionTransport``, runs it during a body, and shuts it down in order.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The services that follow the users and events, such as `IterableService`.
///   - observer: The receiver of reports; nil for none.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``SignetError`` of the start.
public func withSignet<Result>(
    _ configuration: SignetConfiguration,
    services: [any SignetService] = [],
    observer: (any SignetObserver)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignetRuntime) async throws -> Result
) async throws -> Result {
    try await withSignet(
        configuration,
        services: services,
        transport: URLSessionTransport(),
        observer: observer,
        isolation: isolation,
        body
    )
}
#endif
