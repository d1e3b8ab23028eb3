//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Where tokens come from: your server, which alone knows the secret of the project.
///
/// ```swift
/// let provider = TokenProvider { subject, reason in
///     try await server.token(for: subject)
/// }
/// ```
///
/// It is asked for one user at a time, once at a time for each, and told for whom to sign: there is no need to look up who
/// is current, and a late answer cannot be taken for another user's. Nil and errors are tried again as the
/// ``TokenRetryPolicy`` says.
public struct TokenProvider: Sendable {
    /// Signs a token for a subject; nil when there is none to be had now.
    public typealias Body = @Sendable (_ subject: IterableUserID, _ reason: TokenReason) async throws -> String?

    /// How long an answer may take.
    public let timeout: Duration
    let body: Body

    /// Wraps a function.
    ///
    /// - Parameters:
    ///   - timeout: How long an answer may take; 30 s by default, at least 1 ms. A later one is not taken.
    ///   - body: Asks your server. It is cancelled when its answer is not wanted any more, and must then return soon: the
    ///     end of the runtime waits for it.
    public init(timeout: Duration = .seconds(30), _ body: @escaping Body) {
        self.timeout = max(timeout, .milliseconds(1))
        self.body = body
    }
}

extension TokenProvider {
    /// Asks; whatever comes is an answer.
    func answer(for subject: IterableUserID, _ reason: TokenReason) async -> TokenStateMachine.ProviderAnswer {
        do {
            return try await self.body(subject, reason).map { .token($0) } ?? .failed(.noToken)
        } catch {
            return .failed(.providerFailed)
        }
    }
}
