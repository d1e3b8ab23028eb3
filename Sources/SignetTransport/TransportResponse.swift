// SPDX-License-Identifier: Apache-2.0

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
