// SPDX-License-Identifier: Apache-2.0

public import SignetTransport

/// A report about one request, for an observer.
public struct RequestReport: Sendable {
    /// The endpoint, such as `login` or `events`.
    public let endpoint: String
    /// The HTTP method.
    public let method: TransportRequest.Method
    /// The host that was asked, without its port.
    public let serverAddress: String
    /// The path of the address with names in place of ids and keys, such as `/v1/{mpid}/modify`: one for each endpoint.
    public let urlTemplate: String
    /// The status of the answer; nil when there was none.
    public let status: Int?
    /// The failure's code; nil if the request succeeded.
    public let failure: SignetError.Code?
    /// The time from sending to the end of the answer.
    public let duration: Duration

    /// Makes a report; of the request's URL only the host is kept.
    package init(
        endpoint: String,
        request: TransportRequest,
        urlTemplate: String,
        status: Int?,
        failure: SignetError.Code?,
        duration: Duration
    ) {
        self.endpoint = endpoint
        self.method = request.method
        self.serverAddress = Self.host(of: request.url)
        self.urlTemplate = urlTemplate
        self.status = status
        self.failure = failure
        self.duration = duration
    }

    /// The `error.type` of OpenTelemetry: a status of 400 and above, or the failure's code; nil if the request succeeded.
    public var errorType: String? {
        if let status, status >= 400 { return "\(status)" }
        return self.failure.map { "\($0)" }
    }

    private static func host(of url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }
}
