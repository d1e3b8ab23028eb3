// SPDX-License-Identifier: Apache-2.0

/// A setting of the visitors that cannot work, found when it is made.
public struct WebVisitorsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of fault.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case noKey, tooManyKeys, shortKey, keyText, cookieName, insecureName, cookieLifetime, visitorRate
        }

        private let kind: Kind

        /// No key at all.
        public static let noKey = Code(kind: .noKey)
        /// More than ``VisitorKeys/maximumCount`` keys.
        public static let tooManyKeys = Code(kind: .tooManyKeys)
        /// A key of less than ``VisitorKeys/minimumLength`` bytes.
        public static let shortKey = Code(kind: .shortKey)
        /// A key that is not base64.
        public static let keyText = Code(kind: .keyText)
        /// A name that is no token of RFC 9110, or is longer than 64 bytes.
        public static let cookieName = Code(kind: .cookieName)
        /// A name with the prefix `__Host-` or `__Secure-` for a cookie without `Secure`.
        public static let insecureName = Code(kind: .insecureName)
        /// A lifetime below a second or above 400 days.
        public static let cookieLifetime = Code(kind: .cookieLifetime)
        /// A rate or a burst that is not positive and finite.
        public static let visitorRate = Code(kind: .visitorRate)

        /// The name of the code.
        public var description: String {
            self.kind.rawValue
        }
    }

    /// The kind of fault.
    public let code: Code
    /// The fault and the remedy; never a key.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String {
        "\(self.code): \(self.message)"
    }
}
