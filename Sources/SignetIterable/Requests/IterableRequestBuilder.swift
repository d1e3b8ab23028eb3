// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire

import struct SignetModel.Secret

/// Builds a request to Iterable from a body: URL, key, token, headers.
struct IterableRequestBuilder: Sendable {
    private let apiKey: String
    private let server: IterableServer

    init(apiKey: String, server: IterableServer = .unitedStates) {
        self.apiKey = apiKey
        self.server = server
    }

    /// Builds a request that is ready to go.
    ///
    /// - Parameters:
    ///   - route: The route of the request.
    ///   - body: The JSON text of a POST; empty for a GET.
    ///   - token: The token that is held now, whatever the route; nil for none. A request that waited takes the token of its
    ///     sending, not of its creation.
    ///   - milliseconds: The wall clock, milliseconds since 1970; becomes `Sent-At`, in seconds.
    ///   - timeout: The time limit for the exchange.
    ///   - responseLimit: The most bytes of an answer.
    /// - Returns: The request.
    /// - Throws: `invalidAPIKey` for an empty key, `invalidHeader` for a key or token that no header can hold.
    func request(
        for route: IterableRoute,
        body: [UInt8],
        token: Secret?,
        at milliseconds: Int64,
        timeout: Duration,
        responseLimit: Int
    ) throws(WireError) -> TransportRequest {
        guard !self.apiKey.isEmpty else { throw WireError(.invalidAPIKey, "The API key is empty.") }
        var headers = HTTPHeaders()
        try Self.append("Content-Type", "application/json", to: &headers)
        try Self.append("Api-Key", self.apiKey, to: &headers)
        // A name of its own rather than that of the vendor's clients.
        try Self.append("SDK-Platform", "Signet", to: &headers)
        try Self.append("SDK-Version", ClientInfo.signet.version, to: &headers)
        try Self.append("Sent-At", String(Self.seconds(milliseconds)), to: &headers)
        // Every request comes from a queue.
        try Self.append("SDK-Request-Processor", "Offline", to: &headers)
        if let token {
            try Self.append("Authorization", token.withExposed { "Bearer " + $0 }, to: &headers)
        }
        return TransportRequest(
            method: route.method,
            url: self.server.url(for: route),
            headers: headers,
            body: body,
            timeout: timeout,
            responseLimit: responseLimit
        )
    }

    private static func append(_ name: String, _ value: String, to headers: inout HTTPHeaders) throws(WireError) {
        guard headers.append(name: name, value: value) else {
            throw WireError(.invalidHeader, "The value of header \(name) has a character that is not allowed.")
        }
    }

    // Rounded down, before 1970 too.
    private static func seconds(_ milliseconds: Int64) -> Int64 {
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }
}
