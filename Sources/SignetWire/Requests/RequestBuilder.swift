// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

/// Builds a request from a body: URL, authentication, headers.
package struct RequestBuilder: Sendable {
    private let credentials: WorkspaceCredentials
    private let authentication: Authentication
    private let hosts: ServiceHosts
    private let encoder: BodyEncoder

    package init(
        credentials: WorkspaceCredentials,
        authentication: Authentication,
        hosts: ServiceHosts,
        encoder: BodyEncoder = .identity
    ) {
        self.credentials = credentials
        self.authentication = authentication
        self.hosts = hosts
        self.encoder = encoder
    }

    /// Builds a request that is ready to send.
    ///
    /// - Parameters:
    ///   - route: The route of the request.
    ///   - body: The JSON text, as it is signed and sent.
    ///   - milliseconds: The wall clock, milliseconds since 1970; becomes the `Date` header of a signed request.
    ///   - timeout: The maximum duration of the exchange.
    ///   - responseLimit: The maximum size of an answer, in bytes.
    /// - Returns: The request.
    /// - Throws: `invalidAPIKey`, `emptySecret` or `invalidHeader`; the message has no part of the key.
    package func request(
        for route: Route,
        body: [UInt8],
        at milliseconds: Int64,
        timeout: Duration,
        responseLimit: Int
    ) throws(WireError) -> TransportRequest {
        let authentication = route.authentication(configured: self.authentication)
        try self.credentials.check(for: authentication)

        let apiKey = self.credentials.apiKey
        var headers = HTTPHeaders()
        try headers.add("Content-Type", "application/json")
        var body = body
        if route.service == .events, let coding = self.encoder.contentEncoding {
            let encoded = self.encoder.encode(body)
            if !encoded.isEmpty {
                try headers.add("Content-Encoding", coding)
                body = encoded
            }
        }
        switch authentication {
        case .hmac:
            let date = HTTPDate.rfc1123(milliseconds: milliseconds)
            // The default path: the platform rebuilds the signed text from the path it serves, not from an override.
            let signature = RequestSignature.sign(
                method: route.method,
                date: date,
                path: route.path(apiKey: apiKey),
                body: body,
                secret: self.credentials.secret
            )
            try headers.add("x-mp-key", apiKey)
            try headers.add("Date", date)
            try headers.add("x-mp-signature", signature)
        case .basic:
            let pair = self.credentials.secret.withExposed { Base64.encode(Array("\(apiKey):\($0)".utf8)) }
            try headers.add("Authorization", "Basic \(pair)")
        case .keyOnly:
            try headers.add("x-mp-key", apiKey)
        }
        return TransportRequest(
            method: route.method,
            url: self.hosts.url(for: route, apiKey: apiKey),
            headers: headers,
            body: body,
            timeout: timeout,
            responseLimit: responseLimit,
            isRepeatable: route.isRepeatable
        )
    }
}

/// Encodes the JSON of an upload for sending, such as by compression.
///
/// Only the events services get encoded bodies; those of identity are signed unchanged.
package struct BodyEncoder: Sendable {
    /// The value of the `Content-Encoding` header; nil sends the JSON unchanged, without that header.
    package let contentEncoding: String?
    /// Encodes a body, the same for every try of the same body; returns no bytes on failure, and the body is sent unchanged.
    package let encode: @Sendable ([UInt8]) -> [UInt8]

    package init(contentEncoding: String?, encode: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.contentEncoding = contentEncoding
        self.encode = encode
    }

    /// Sends every body unchanged.
    package static let identity = BodyEncoder(contentEncoding: nil, encode: { $0 })
}

/// The digest that proves that the sender of a request has the secret (IDSync HTTP API, "HMAC").
package enum RequestSignature {
    /// Signs a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - date: The text of the `Date` header, as it is sent.
    ///   - path: The documented path, even when the request goes to another URL.
    ///   - body: The body as it is sent.
    ///   - secret: The workspace's secret.
    /// - Returns: 64 lower-case hexadecimal digits.
    package static func sign(
        method: TransportRequest.Method,
        date: String,
        path: String,
        body: [UInt8],
        secret: Secret
    ) -> String {
        var message: [UInt8] = []
        message.reserveCapacity(method.rawValue.utf8.count + date.utf8.count + path.utf8.count + body.count + 2)
        message += method.rawValue.utf8
        message.append(UInt8(ascii: "\n"))
        message += date.utf8
        message.append(UInt8(ascii: "\n"))
        // No line break between path and body.
        message += path.utf8
        message += body
        let code = secret.withExposed { HMACSHA256.authenticationCode(for: message, key: Array($0.utf8)) }
        return Hexadecimal.encode(code)
    }
}
