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
        try headers.add("Content-Type", "application/json")
        try headers.add("Api-Key", self.apiKey)
        // A name of its own rather than that of the vendor's clients.
        try headers.add("SDK-Platform", "Signet")
        try headers.add("SDK-Version", ClientInfo.signet.version)
        try headers.add("Sent-At", String(Self.seconds(milliseconds)))
        // Every request comes from a queue.
        try headers.add("SDK-Request-Processor", "Offline")
        if let token {
            try headers.add("Authorization", token.withExposed { "Bearer " + $0 })
        }
        return TransportRequest(
            method: route.method,
            url: self.server.url(for: route),
            headers: headers,
            body: body,
            timeout: timeout,
            responseLimit: responseLimit,
            isRepeatable: route.isRepeatable
        )
    }

    // Rounded down, before 1970 too.
    private static func seconds(_ milliseconds: Int64) -> Int64 {
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }
}
