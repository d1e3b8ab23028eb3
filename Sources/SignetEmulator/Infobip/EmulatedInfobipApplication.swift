//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct SignetModel.Secret

/// An application of Infobip's API (Infobip): its code, and what its portal says.
///
/// It is how an application begins; ``EmulatedInfobip`` changes it while the platform runs.
public struct EmulatedInfobipApplication: Sendable, Hashable {
    /// What the values of an attribute are.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A text, dates among them.
        case string
        /// A number.
        case number
        /// True or false.
        case bool
    }

    /// The application code that requests must name.
    public let code: String
    /// What tokens are signed with.
    public var secret: Secret
    /// Whether the three calls that take a token (JWT) are refused without one.
    public var requiresTokens: Bool
    /// The switch "Restrict saving sensitive data from SDK".
    public var restrictsSensitiveData = false
    /// The list attributes that there are, each with the members of its objects; nil takes any.
    public var listAttributes: [String: [String: Kind]]?
    /// The ids of the events that there are; nil takes any.
    public var eventDefinitions: Set<String>?
    /// What `GET /mobile/1/baseurl` says; nil is an empty answer.
    public var baseURL: String?
    /// What the header `New-Base-URL` of every answer says; nil is no header.
    public var newBaseURL: String?

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - code: The application code.
    ///   - secret: What tokens are signed with.
    ///   - requiresTokens: Whether the calls that take a token need one.
    public init(
        code: String = "emulated-application",
        secret: Secret = "emulated-application-secret",
        requiresTokens: Bool = false
    ) {
        self.code = code
        self.secret = secret
        self.requiresTokens = requiresTokens
    }
}
