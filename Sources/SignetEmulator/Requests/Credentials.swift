// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Secret

/// The authentication of requests by the key and the secret of the workspace.
struct Credentials: Sendable {
    private let workspace: EmulatorConfiguration

    init(_ workspace: EmulatorConfiguration) {
        self.workspace = workspace
    }

    /// Checks identity and alias requests: Basic, or a signature, or the key alone if that is allowed (IDSync HTTP API).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: Its path: the documented one, without a prefix of the host. An alias may name the key there only, as the
    ///     vendor's client for Android does.
    ///   - now: The time, in milliseconds since 1970.
    /// - Throws: The refusal to send to the client: 401, or that of a body that cannot be expanded.
    func checkIdentity(_ request: TransportRequest, target: RequestTarget, now: Int64) throws(Refusal) {
        if request.headers["Authorization"] != nil {
            guard self.isBasic(request.headers) else { throw .unauthorized("The credentials are wrong.") }
            return
        }
        guard let key = Self.key(of: request, target: target) else {
            throw .unauthorized("Authorization, or x-mp-key with x-mp-signature and Date, is missing.")
        }
        guard ConstantTime.isEqual(Array(key.utf8), Array(self.workspace.apiKey.utf8)) else {
            throw .unauthorized("The key is wrong.")
        }
        if request.headers["x-mp-signature"] == nil, self.workspace.allowsKeyOnly {
            return
        }
        guard let signature = Self.only("x-mp-signature", in: request.headers),
            let date = Self.only("Date", in: request.headers)
        else {
            throw .unauthorized("x-mp-signature or Date is missing.")
        }
        try self.check(date: date, now: now)
        // The signature covers the text: the vendor's client for Android compresses after it has signed.
        let limits = self.workspace.limits
        let text = try RequestBody.expanded(request, limit: limits.identityRequestBytes, mayBeGzip: true)
        let head = "\(request.method.rawValue)\n\(date)\n\(target.path)"
        guard ConstantTime.isEqual(Array(signature.utf8), self.signature(of: Array(head.utf8) + text)) else {
            throw .unauthorized("The signature is wrong.")
        }
    }

    /// Checks events requests: Basic only; no header is 401, a wrong one 403 (developers, server, HTTP).
    func checkEvents(_ request: TransportRequest) throws(Refusal) {
        guard request.headers["Authorization"] != nil else {
            throw .unauthorized("Authorization is missing.")
        }
        guard self.isBasic(request.headers) else {
            throw .forbidden("The credentials are wrong.")
        }
    }

    /// Checks requests of the SDK for browsers: they have only the key in their path, as a page cannot hold a secret.
    func checkWeb(_ target: RequestTarget) throws(Refusal) {
        guard let key = target.key, ConstantTime.isEqual(Array(key.utf8), Array(self.workspace.apiKey.utf8)) else {
            throw .unauthorized("The key in the path is wrong. It must be the API key of the workspace.")
        }
    }

    // RFC 7617: the case-insensitive scheme, then base64 of `key:secret` in UTF-8.
    private func isBasic(_ headers: HTTPHeaders) -> Bool {
        guard let value = Self.only("Authorization", in: headers) else { return false }
        let scheme = value.prefix { $0 != " " }
        guard scheme.lowercased() == "basic" else { return false }
        let text = value.dropFirst(scheme.count).drop { $0 == " " }
        guard let given = Base64.decode(String(text)) else { return false }
        let expected = self.workspace.secret.withExposed { Array("\(self.workspace.apiKey):\($0)".utf8) }
        return ConstantTime.isEqual(given, expected)
    }

    // The clients send RFC 1123, the documentation shows basic ISO 8601; both are accepted. The signature covers the text.
    private func check(date: String, now: Int64) throws(Refusal) {
        guard let stamp = HTTPDate.parse(date) else {
            throw .unauthorized("Date is neither RFC 1123 nor basic ISO 8601.")
        }
        guard let tolerance = self.workspace.requestDateTolerance else { return }
        guard Duration.milliseconds(now) - Duration.milliseconds(stamp) <= tolerance,
            Duration.milliseconds(stamp) - Duration.milliseconds(now) <= tolerance
        else {
            throw .unauthorized("Date is too far from the platform's clock.")
        }
    }

    private static func key(of request: TransportRequest, target: RequestTarget) -> String? {
        guard target.route == .alias, request.headers["x-mp-key"] == nil else {
            return Self.only("x-mp-key", in: request.headers)
        }
        return String(target.segments[2])
    }

    // METHOD \n DATE \n PATH BODY: without a line break between path and body, and for POST without query (IDSync HTTP API).
    private func signature(of message: [UInt8]) -> [UInt8] {
        let key = self.workspace.secret.withExposed { Array($0.utf8) }
        return Array(Hexadecimal.encode(HMACSHA256.authenticationCode(for: message, key: key)).utf8)
    }

    // A proxy and the emulator could read a repeated field differently.
    private static func only(_ name: String, in headers: HTTPHeaders) -> String? {
        let values = headers.values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
