// SPDX-License-Identifier: Apache-2.0

/// The failure of an exchange that got no response.
public struct TransportError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case timedOut, notConnected, secureConnectionFailed, responseTooLarge, badResponse, invalidRequest
            case cancelled, other
        }

        private let kind: Kind

        /// No complete response within the time limit.
        public static let timedOut = Code(kind: .timedOut)
        /// No connection: no network, no such host, refused, or lost during the exchange.
        public static let notConnected = Code(kind: .notConnected)
        /// No trusted TLS connection.
        public static let secureConnectionFailed = Code(kind: .secureConnectionFailed)
        /// The response is longer than the request allows.
        public static let responseTooLarge = Code(kind: .responseTooLarge)
        /// The response is not HTTP, or is incomplete.
        public static let badResponse = Code(kind: .badResponse)
        /// The transport cannot send such a request; nothing was sent.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// Anything else.
        public static let other = Code(kind: .other)

        /// The name of the code.
        public var description: String {
            self.kind.rawValue
        }
    }

    /// The kind of failure.
    public let code: Code
    /// The description of the failure, without keys, identities or bodies.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension TransportError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(self.code): \(self.message)"
    }
}
