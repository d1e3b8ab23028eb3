// SPDX-License-Identifier: Apache-2.0

#if SIGNET_LOGGING
public import Logging
public import SignetTransport

extension SignetRuntime {
    /// Opens the directory and restores its state, and logs what goes on; nothing goes to the standard error.
    ///
    /// - Parameters:
    ///   - configuration: The settings; checked as a whole.
    ///   - services: The services that follow the users and events, such as `IterableService`; each at most once.
    ///   - transport: The transport to the platform.
    ///   - observer: A receiver of reports beside the log; nil for none.
    ///   - logger: The log, as of ``LoggingObserver``.
    /// - Throws: As ``init(_:services:transport:observer:)``.
    public convenience init(
        _ configuration: SignetConfiguration,
        services: [any SignetService] = [],
        transport: any Transport,
        observer: (any SignetObserver)? = nil,
        logger: Logger
    ) throws(SignetError) {
        let observers = LoggingObserver(logger).beside(observer)
        try self.init(configuration, services: services, transport: transport, observer: observers)
    }
}

/// Makes a runtime that logs what goes on, runs it during a body, and shuts it down in order.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The services that follow the users and events, such as `IterableService`.
///   - transport: The transport to the platform.
///   - observer: A receiver of reports beside the log; nil for none.
///   - logger: The log, as of ``LoggingObserver``.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``SignetError`` of the start.
public func withSignet<Result>(
    _ configuration: SignetConfiguration,
    services: [any SignetService] = [],
    transport: any Transport,
    observer: (any SignetObserver)? = nil,
    logger: Logger,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignetRuntime) async throws -> Result
) async throws -> Result {
    try await withSignet(
        configuration,
        services: services,
        transport: transport,
        observer: LoggingObserver(logger).beside(observer),
        isolation: isolation,
        body
    )
}

extension LoggingObserver {
    /// This observer, and another one after it.
    fileprivate func beside(_ other: (any SignetObserver)?) -> any SignetObserver {
        guard let other else { return self }
        return CombinedObserver(self, other)
    }
}

#if SIGNET_URL_SESSION
extension SignetRuntime {
    /// Opens the directory with a ``URLSessionTransport``, and logs what goes on; nothing goes to the standard error.
    ///
    /// - Parameters:
    ///   - configuration: The settings; checked as a whole.
    ///   - services: The services that follow the users and events, such as `IterableService`; each at most once.
    ///   - observer: A receiver of reports beside the log; nil for none.
    ///   - logger: The log, as of ``LoggingObserver``.
    /// - Throws: As ``init(_:services:transport:observer:)``.
    public convenience init(
        _ configuration: SignetConfiguration,
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        logger: Logger
    ) throws(SignetError) {
        try self.init(
            configuration,
            services: services,
            transport: URLSessionTransport(),
            observer: observer,
            logger: logger
        )
    }
}

/// Makes a runtime with a ``URLSessionTransport`` that logs what goes on, runs it during a body, and shuts it down in order.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The services that follow the users and events, such as `IterableService`.
///   - observer: A receiver of reports beside the log; nil for none.
///   - logger: The log, as of ``LoggingObserver``.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``SignetError`` of the start.
public func withSignet<Result>(
    _ configuration: SignetConfiguration,
    services: [any SignetService] = [],
    observer: (any SignetObserver)? = nil,
    logger: Logger,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignetRuntime) async throws -> Result
) async throws -> Result {
    try await withSignet(
        configuration,
        services: services,
        transport: URLSessionTransport(),
        observer: observer,
        logger: logger,
        isolation: isolation,
        body
    )
}
#endif
#endif
