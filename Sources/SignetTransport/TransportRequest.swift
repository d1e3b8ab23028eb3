// SPDX-License-Identifier: Apache-2.0

/// One HTTP request, complete with its headers.
public struct TransportRequest: Sendable, Hashable {
    /// The methods that the services use.
    public enum Method: String, Sendable, Hashable {
        /// Reads.
        case get = "GET"
        /// Everything that carries a body.
        case post = "POST"
        /// Changes a part.
        case patch = "PATCH"
        /// Replaces.
        case put = "PUT"
        /// Removes.
        case delete = "DELETE"
    }

    /// The method.
    public var method: Method
    /// The absolute URL, percent-encoded, `https` or, to a loopback address only, `http`.
    public var url: String
    /// The header fields, checked when they were added.
    public var headers: HTTPHeaders
    /// The body; empty for none.
    public var body: [UInt8]
    /// The maximum duration of the whole exchange.
    ///
    /// The runtime also enforces it, on its own clock: it cancels the transport, and waits a second at most until that returns.
    public var timeout: Duration
    /// The maximum length of the response body, in bytes; a longer one fails with `responseTooLarge`.
    public var responseLimit: Int
    /// True if the server may receive the request twice without harm.
    ///
    /// A transport may then repeat it once when a connection ends before an answer begins; see ``Transport``. The runtime
    /// sets it for look-ups and for records with an id by which the service drops duplicates.
    public var isRepeatable: Bool

    /// Makes a request.
    public init(
        method: Method,
        url: String,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [],
        timeout: Duration = .seconds(30),
        responseLimit: Int = 1 << 20,
        isRepeatable: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.responseLimit = responseLimit
        self.isRepeatable = isRepeatable
    }
}

extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and sizes: no URL (it may hold a key), no header values, no body.
    public var description: String {
        "TransportRequest(\(self.method.rawValue), \(self.headers.count) headers, \(self.body.count) bytes)"
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
