// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.Secret

/// A project of Iterable's API: its key, its criteria and its rules for tokens.
///
/// These are the initial settings; ``EmulatedIterable`` changes them while the platform runs.
public struct EmulatedIterableProject: Sendable, Hashable {
    /// The API key that requests must name.
    public let apiKey: String
    /// The secret that signs the project's tokens.
    public var secret: Secret
    /// Requests for a user need the user's token (JWT) while this is true.
    public var requiresTokens: Bool
    /// Tokens on requests that need none are checked too while this is true; otherwise only their owner is recorded.
    public var checksSpareTokens = false
    /// Consent for a user that does not exist is refused while this is true; no source says what the service does.
    public var requiresUserForConsent = false
    /// The criteria document, which clients receive as it is, valid or not.
    public var criteria: String
    /// The value of `offlineMode` in the remote configuration.
    public var offlineMode = false
    /// The value of `autoRetry` in the remote configuration; nil omits it.
    public var autoRetry: Bool?

    /// A document without criteria.
    public static let noCriteria = #"{"count":0,"criteriaSets":[]}"#

    /// Describes a project.
    ///
    /// - Parameters:
    ///   - apiKey: The API key.
    ///   - secret: The secret that signs tokens.
    ///   - requiresTokens: True if requests for a user need the user's token.
    ///   - criteria: The criteria document that clients receive.
    public init(
        apiKey: String = "emulated-project",
        secret: Secret = "emulated-project-secret",
        requiresTokens: Bool = false,
        criteria: String = EmulatedIterableProject.noCriteria
    ) {
        self.apiKey = apiKey
        self.secret = secret
        self.requiresTokens = requiresTokens
        self.criteria = criteria
    }
}
