// SPDX-License-Identifier: Apache-2.0

public import SignetModel
import SignetTransport

/// The random name of one visitor: 128 bits, as 22 characters of base64url.
///
/// It is no secret: without a key of the server, its owner's cookie cannot be made from it.
public struct VisitorID: Sendable, Hashable {
    /// The length of the text, in bytes.
    static let length = 22

    /// The text that stands in the cookie.
    public let text: String

    /// Takes a text whose signature was verified.
    init(verified text: String) {
        self.text = text
    }

    /// Makes an id from the system's secure random numbers.
    public static func random() -> VisitorID {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return VisitorID(verified: URLText.encode(bytes))
    }

    /// The id of the visitor's installation.
    public var installation: InstallationID {
        InstallationID(self.text)
    }
}

extension VisitorID: CustomStringConvertible {
    /// The text of the id.
    public var description: String {
        self.text
    }
}

/// Base64 with the alphabet for URLs, without padding (RFC 4648, section 5).
enum URLText {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64.encode(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }
}
