// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

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
