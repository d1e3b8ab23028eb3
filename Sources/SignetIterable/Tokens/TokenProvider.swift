//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// The source of tokens: your server, which alone knows the secret of the project.
///
/// ```swift
/// let provider = TokenProvider { subject, reason in
///     try await server.token(for: subject)
/// }
/// ```
///
/// Each call names the one user to sign for, and a user has one call at a time. So the provider need not look up the
/// current user, and a late answer cannot be taken for another user's. Nil and errors are retried as
/// ``TokenRetryPolicy`` says.
public struct TokenProvider: Sendable {
    /// Signs a token for a subject; nil when there is none at the moment.
    public typealias Body = @Sendable (_ subject: IterableUserID, _ reason: TokenReason) async throws -> String?

    /// The time limit for an answer.
    public let timeout: Duration
    let body: Body

    /// Wraps a function.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for an answer; 30 s by default, at least 1 ms. A later answer is ignored.
    ///   - body: Asks your server. It is cancelled when its answer is no longer wanted, and must then return soon: the
    ///     end of the runtime waits for it.
    public init(timeout: Duration = .seconds(30), _ body: @escaping Body) {
        self.timeout = max(timeout, .milliseconds(1))
        self.body = body
    }
}

extension TokenProvider {
    /// Asks the provider.
    ///
    /// Nil and errors become failed answers.
    func answer(for subject: IterableUserID, _ reason: TokenReason) async -> TokenStateMachine.ProviderAnswer {
        do {
            return try await self.body(subject, reason).map { .token($0) } ?? .failed(.noToken)
        } catch {
            return .failed(.providerFailed)
        }
    }
}
