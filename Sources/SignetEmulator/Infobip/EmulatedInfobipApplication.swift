// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.Secret

/// An application of Infobip's API: its code and its portal settings.
///
/// These are the initial settings; ``EmulatedInfobip`` changes them while the platform runs.
public struct EmulatedInfobipApplication: Sendable, Hashable {
    /// The type of an attribute's values.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A text or a date.
        case string
        /// A number.
        case number
        /// True or false.
        case bool
    }

    /// The application code that requests must name.
    public let code: String
    /// The secret that signs tokens.
    public var secret: Secret
    /// The three calls that accept a token (JWT) are refused without one while this is true.
    public var requiresTokens: Bool
    /// The switch "Restrict saving sensitive data from SDK".
    public var restrictsSensitiveData = false
    /// The defined list attributes, each with the members of its objects; nil accepts any.
    public var listAttributes: [String: [String: Kind]]?
    /// The ids of the defined events; nil accepts any.
    public var eventDefinitions: Set<String>?
    /// The URL in the answer to `GET /mobile/1/baseurl`; nil gives an empty answer.
    public var baseURL: String?
    /// The value of the header `New-Base-URL` of every answer; nil omits the header.
    public var newBaseURL: String?

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - code: The application code.
    ///   - secret: The secret that signs tokens.
    ///   - requiresTokens: True if the calls that accept a token require one.
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
