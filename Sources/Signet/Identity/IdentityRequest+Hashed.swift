// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension IdentityRequest {
    /// Sets the SHA-256 of an e-mail address, in the slot that the platform reserves for it: `other`.
    ///
    /// - Parameter email: The plain address. It is trimmed and lowercased before hashing.
    /// - Throws: `invalidArgument` if the address is empty, because the hash of an empty string would match all users.
    public mutating func setHashedEmail(_ email: String) throws(SignetError) {
        let scalars = Array(email.lowercased().unicodeScalars)
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { throw SignetError(.invalidArgument, "The e-mail address is empty and cannot be hashed.") }
        self[.other] = Self.hash(scalars[start...end])
    }

    /// Sets the SHA-256 of a mobile number, in the slot that the platform reserves for it: `other2`.
    ///
    /// - Parameter number: The plain number with country code. Everything but ASCII digits and a leading plus is removed
    ///   before hashing.
    /// - Throws: `invalidArgument` if there are no digits, because the hash of an empty string would match all users.
    public mutating func setHashedMobileNumber(_ number: String) throws(SignetError) {
        let digits = number.unicodeScalars.filter { ("0"..."9").contains($0) }
        guard !digits.isEmpty else {
            throw SignetError(.invalidArgument, "The mobile number has no digits and cannot be hashed.")
        }
        let isInternational = number.unicodeScalars.first { !$0.properties.isWhitespace } == "+"
        self[.other2] = Self.hash((isInternational ? ["+"] : []) + digits)
    }

    private static func hash(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return Hexadecimal.encode(SHA256.hash(Array(String(text).utf8)))
    }
}
