// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The source of a service's tokens: your server, which alone knows the secret that signs them.
///
/// ```swift
/// let provider = TokenProvider<IterableUserID> { user, reason in
///     try await server.token(for: user)
/// }
/// ```
///
/// Each call names the one subject to sign for. Iterable asks for a user, so the provider need not look up the current
/// one, and a late answer cannot be taken for another user's. Infobip asks for an installation before each request, with
/// the reason `absent`, or `rejected` after a rejected token; the provider knows whose it is.
public struct TokenProvider<Subject: Sendable>: Sendable {
    /// Signs a token for a subject; nil when there is none at the moment.
    public typealias Body = @Sendable (_ subject: Subject, _ reason: TokenReason) async throws -> Secret?

    /// The time limit for an answer.
    public let timeout: Duration
    package let body: Body

    /// Wraps a function.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for an answer; 30 s by default, at least 1 ms. A later answer is ignored.
    ///   - body: Asks your server. It is cancelled when its answer is no longer wanted. One that does not return then
    ///     is left behind: neither the end of the runtime nor another user waits for it.
    public init(timeout: Duration = .seconds(30), _ body: @escaping Body) {
        self.timeout = max(timeout, .milliseconds(1))
        self.body = body
    }
}

/// The reason that a token is requested.
public enum TokenReason: Sendable, Hashable, CaseIterable {
    /// There is no token.
    case absent
    /// The previous token has expired, or soon will.
    case expiring
    /// The service rejected the previous token.
    case rejected
}
