//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct SignetModel.Secret

/// A project of Iterable's API (Iterable): its key, its criteria, and whether it wants tokens.
///
/// It is how a project begins; ``EmulatedIterable`` changes it while the platform runs.
public struct EmulatedIterableProject: Sendable, Hashable {
    /// The API key that requests must name.
    public let apiKey: String
    /// What tokens of the project are signed with.
    public var secret: Secret
    /// Whether requests for a user must prove it with a token (JWT).
    public var requiresTokens: Bool
    /// Whether a token is checked also where none is needed; if not, it is only noted whose it was.
    public var checksSpareTokens = false
    /// Whether consent of a user that does not exist is refused; no source says what the service does.
    public var requiresUserForConsent = false
    /// The document that clients get, word for word, be it sense or not.
    public var criteria: String
    /// What the remote configuration says of `offlineMode`.
    public var offlineMode = false
    /// What the remote configuration says of `autoRetry`; nil leaves it out.
    public var autoRetry: Bool?

    /// A document without criteria.
    public static let noCriteria = #"{"count":0,"criteriaSets":[]}"#

    /// Describes a project.
    ///
    /// - Parameters:
    ///   - apiKey: The API key.
    ///   - secret: What tokens are signed with.
    ///   - requiresTokens: Whether requests for a user must prove it.
    ///   - criteria: The document that clients get.
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
