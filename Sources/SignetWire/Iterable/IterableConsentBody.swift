//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// That somebody agreed, and when (`unknownuser/consent`).
package struct IterableConsentBody: Sendable, Hashable {
    /// Who.
    package var user: IterableIdentity
    /// When, in milliseconds since 1970.
    package var consentTimestamp: Int64
    /// False for a user that was made for an unknown visitor.
    package var isUserKnown: Bool
    /// The wall clock, seconds since 1970.
    package var createdAt: Int64
    /// Where.
    package var device: IterableDevice

    package init(
        user: IterableIdentity,
        consentTimestamp: Int64,
        isUserKnown: Bool,
        createdAt: Int64,
        device: IterableDevice
    ) {
        self.user = user
        self.consentTimestamp = consentTimestamp
        self.isUserKnown = isUserKnown
        self.createdAt = createdAt
        self.device = device
    }

    /// The JSON text.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("consentTimestamp", self.consentTimestamp)
        writer.member("createdAt", self.createdAt)
        self.device.write(to: &writer)
        self.user.writeEmail(to: &writer)
        writer.member("isUserKnown", self.isUserKnown)
        self.user.writeUserID(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension IterableConsentBody: CustomStringConvertible {
    /// The kind of user, without names.
    package var description: String {
        "VisitorConsentBody(of \(self.isUserKnown ? "a known" : "an unknown") user)"
    }
}
