// SPDX-License-Identifier: Apache-2.0

/// A measurement of one of the app's own requests (Events API v2, `network_performance`).
public struct NetworkPerformance: Sendable, Hashable {
    /// The URL of the request; leave out parts that identify a person.
    public var url: String
    /// The HTTP status.
    public var responseCode: Int64
    /// The HTTP method.
    public var method: String?
    /// The duration in milliseconds.
    public var elapsedMilliseconds: Int64?
    /// Bytes received.
    public var bytesIn: Int64?
    /// Bytes sent.
    public var bytesOut: Int64?

    /// Makes a measurement.
    public init(
        url: String,
        responseCode: Int64,
        method: String? = nil,
        elapsedMilliseconds: Int64? = nil,
        bytesIn: Int64? = nil,
        bytesOut: Int64? = nil
    ) {
        self.url = url
        self.responseCode = responseCode
        self.method = method
        self.elapsedMilliseconds = elapsedMilliseconds
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
    }
}

extension NetworkPerformance: CustomStringConvertible, CustomReflectable {
    /// The status, without the URL.
    public var description: String {
        "NetworkPerformance(\(self.responseCode))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": self.description])
    }
}
