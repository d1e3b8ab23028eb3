// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The consent of a user and its time (`unknownuser/consent`).
struct IterableConsentBody: Sendable, Hashable {
    /// The user who gave consent.
    var user: IterableIdentity
    /// The time of the consent, in milliseconds since 1970.
    var consentTimestamp: Int64
    /// False for a user that was made for an unknown visitor.
    var isUserKnown: Bool
    /// The wall clock, seconds since 1970.
    var createdAt: Int64
    /// The device on which consent was given.
    var device: IterableDevice

    init(
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
    func encoded() -> [UInt8] {
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
    var description: String {
        "IterableConsentBody(of \(self.isUserKnown ? "a known" : "an unknown") user)"
    }
}
