// SPDX-License-Identifier: Apache-2.0

extension ServerURL {
    /// A fault in the address of a server.
    public struct ParsingError: Error, Sendable, Hashable {
        /// The kinds of fault.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            private enum Kind: String {
                case unsupportedScheme, insecure, userInfo, invalidHost, invalidPort, invalidPath, queryOrFragment
                case forbiddenCharacter, tooLong
            }

            private let kind: Kind

            /// Neither `https://` nor `http://`.
            public static let unsupportedScheme = Code(kind: .unsupportedScheme)
            /// Plain `http` to another machine.
            public static let insecure = Code(kind: .insecure)
            /// A user name or a password before the host.
            public static let userInfo = Code(kind: .userInfo)
            /// No host, or none that is allowed.
            public static let invalidHost = Code(kind: .invalidHost)
            /// No whole number from 1 to 65535.
            public static let invalidPort = Code(kind: .invalidPort)
            /// A path with escapes, empty segments, or steps upwards.
            public static let invalidPath = Code(kind: .invalidPath)
            /// A question mark or a number sign.
            public static let queryOrFragment = Code(kind: .queryOrFragment)
            /// A space, a backslash, a control character, or one beyond ASCII.
            public static let forbiddenCharacter = Code(kind: .forbiddenCharacter)
            /// More than 2048 characters.
            public static let tooLong = Code(kind: .tooLong)

            /// The name of the code.
            public var description: String {
                self.kind.rawValue
            }
        }

        /// The kind of fault.
        public let code: Code
        /// The fault and what is allowed; never the text itself, which may hold a password.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }
    }
}

extension ServerURL.ParsingError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(self.code): \(self.message)"
    }
}
