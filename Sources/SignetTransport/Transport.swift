// SPDX-License-Identifier: Apache-2.0

/// An HTTP client that sends one request and returns one response.
///
/// Conform to it to bring your own HTTP client. A transport sends each request once, except as below: it follows no
/// redirects, and keeps no cookies and no cache. It returns promptly, with `cancelled`, when its task is cancelled: the
/// runtime leaves one behind that has not returned a second later, and neither its caller nor the shutdown waits. It
/// stops reading a response at ``TransportRequest/responseLimit``. Any status is a response, not an error. Many tasks
/// call it at once.
///
/// A transport may send a request again, at once and within its time limit, in two cases only, once in each. The server
/// has certainly not processed the request, such as a stream that HTTP/2 refused (RFC 9113, 8.7). Or the connection
/// ended before the response began, and ``TransportRequest/isRepeatable`` is true.
public protocol Transport: Sendable {
    /// Sends one request and waits for the whole response.
    ///
    /// - Parameter request: The request, with all headers.
    /// - Returns: The response, with any status.
    /// - Throws: ``TransportError`` when there is no response.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One complete HTTP response.
public struct TransportResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields as received.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension TransportResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size, without the body.
    public var description: String {
        "TransportResponse(\(self.status), \(self.body.count) bytes)"
    }

    /// The same as `description`.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children, so that `dump` shows no more than `description`.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

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
