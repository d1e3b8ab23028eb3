//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

extension IdentityRequest {
    /// Sets the SHA-256 of an e-mail address, in the slot that the platform reserves for it: `other`.
    ///
    /// - Parameter email: The plain address; surrounding spaces are cut and capitals lowered before hashing.
    public mutating func setHashedEmail(_ email: String) {
        self[.other] = Self.hash(email.lowercased())
    }

    /// Sets the SHA-256 of a mobile number, in the slot that the platform reserves for it: `other2`.
    ///
    /// - Parameter number: The plain number with country code; everything but ASCII digits and a leading plus is cut before
    ///   hashing.
    public mutating func setHashedMobileNumber(_ number: String) {
        let digits = number.unicodeScalars.filter { ("0"..."9").contains($0) }
        let isInternational = number.unicodeScalars.first { $0 != " " } == "+"
        self[.other2] = Self.hash((isInternational ? "+" : "") + String(String.UnicodeScalarView(digits)))
    }

    private static func hash(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? scalars.endIndex
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map { $0 + 1 } ?? start
        var trimmed = String.UnicodeScalarView()
        trimmed.append(contentsOf: scalars[start..<max(start, end)])
        return Hexadecimal.encode(SHA256.hash(Array(String(trimmed).utf8)))
    }
}
