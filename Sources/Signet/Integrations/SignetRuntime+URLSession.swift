//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if URLSessionTransport
extension SignetRuntime {
    /// Opens the directory and restores what it holds, with a ``URLSessionTransport`` as the way to the platform.
    ///
    /// - Parameters:
    ///   - configuration: What to do and where; checked as a whole.
    ///   - observer: Is told what goes on inside.
    /// - Throws: As ``init(_:transport:observer:)``.
    public convenience init(
        _ configuration: SignetConfiguration,
        observer: (any SignetObserver)? = nil
    ) throws(SignetError) {
        try self.init(configuration, transport: URLSessionTransport(), observer: observer)
    }
}

/// Makes a runtime with a ``URLSessionTransport``, runs it while a body works with it, and shuts it down in order.
///
/// - Parameters:
///   - configuration: What to do and where.
///   - observer: Is told what goes on inside.
///   - isolation: Where the body runs; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: What the body returned.
/// - Throws: What the body threw, or a ``SignetError`` of the start.
public func withSignet<Result>(
    _ configuration: SignetConfiguration,
    observer: (any SignetObserver)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignetRuntime) async throws -> Result
) async throws -> Result {
    try await withSignet(
        configuration,
        transport: URLSessionTransport(),
        observer: observer,
        isolation: isolation,
        body
    )
}
#endif
