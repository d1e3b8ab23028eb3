// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire

import struct SignetModel.Secret

/// Builds a request to Iterable from a body: URL, key, token, headers.
struct IterableRequestBuilder: Sendable {
    /// The time of sending: at the call, or later from a queue (`SDK-Request-Processor`).
    enum Processor: String, Sendable, Hashable {
        /// At the call.
        case online = "Online"
        /// From a queue.
        case offline = "Offline"
    }

    private let apiKey: String
    private let server: IterableServer
    private let client: IterableClient

    init(apiKey: String, server: IterableServer = .unitedStates, client: IterableClient = .signet) {
        self.apiKey = apiKey
        self.server = server
        self.client = client
    }

    /// Builds a request that is ready to go.
    ///
    /// - Parameters:
    ///   - route: The route of the request.
    ///   - body: The JSON text of a POST; empty for a GET.
    ///   - query: Names and values of a GET; escaped here.
    ///   - token: The token that is held now, whatever the route; nil for none. A queued request takes the token of its
    ///     sending, not of its creation.
    ///   - processor: The time of sending.
    ///   - milliseconds: The wall clock, milliseconds since 1970; becomes `Sent-At`, in seconds.
    ///   - timeout: The time limit for the exchange.
    ///   - responseLimit: The most bytes of an answer.
    /// - Returns: The request.
    /// - Throws: `invalidAPIKey` for an empty key, `invalidHeader` for a key or token that no header can hold.
    func request(
        for route: IterableRoute,
        body: [UInt8] = [],
        query: [(name: String, value: String)] = [],
        token: Secret?,
        processor: Processor = .online,
        at milliseconds: Int64,
        timeout: Duration,
        responseLimit: Int
    ) throws(WireError) -> TransportRequest {
        guard !self.apiKey.isEmpty else { throw WireError(.invalidAPIKey, "The API key is empty.") }
        var headers = HTTPHeaders()
        try Self.append("Content-Type", "application/json", to: &headers)
        try Self.append("Api-Key", self.apiKey, to: &headers)
        try Self.append("SDK-Platform", self.client.platform, to: &headers)
        try Self.append("SDK-Version", self.client.version, to: &headers)
        try Self.append("Sent-At", String(Self.seconds(milliseconds)), to: &headers)
        try Self.append("SDK-Request-Processor", processor.rawValue, to: &headers)
        if let token {
            try Self.append("Authorization", token.withExposed { "Bearer " + $0 }, to: &headers)
        }
        let items = query.map { Self.escaped($0.name) + "=" + Self.escaped($0.value) }
        return TransportRequest(
            method: route.method,
            url: self.server.url(for: route) + (items.isEmpty ? "" : "?" + items.joined(separator: "&")),
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

    // All but the unreserved characters of RFC 3986, 2.3.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += Hexadecimal.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
