// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// The limits of a consent state.
///
/// One hundred purposes are documented. The platform documents no limit of texts, so the limits of attributes apply, and
/// the whole state must leave room in a batch of 128 KB.
package enum ConsentLimits {
    /// The maximum number of GDPR purposes.
    package static let purposeCount = 100
    /// The maximum length of a purpose.
    package static let purposeLength = 256
    /// The maximum size of a state, in bytes of JSON.
    package static let bytes = 16 * 1024

    private static let moments = -62_135_596_800.0..<253_402_300_800.0

    /// Finds the first limit that a state breaks; its purposes are in the platform's spelling.
    package static func violation(of state: ConsentState) -> EventViolation? {
        guard state.gdpr.count <= Self.purposeCount else {
            return EventViolation(
                .tooManyPurposes,
                "The consent state has \(state.gdpr.count) GDPR purposes; at most \(Self.purposeCount) are allowed."
            )
        }
        for (purpose, consent) in state.gdpr.sorted(by: { $0.key < $1.key }) {
            let violation =
                FieldLimits.violation(ofText: purpose, "GDPR purpose", mayBeEmpty: false, limit: Self.purposeLength)
                ?? Self.violation(of: consent)
            if let violation { return violation }
        }
        if let violation = state.ccpaDataSaleOptOut.flatMap({ Self.violation(of: $0) }) { return violation }
        var writer = JSONWriter()
        state.write(to: &writer)
        guard writer.bytes.count <= Self.bytes else {
            return EventViolation(
                .consentTooLong,
                "The consent state has \(writer.bytes.count) bytes of JSON; at most \(Self.bytes) are allowed."
            )
        }
        return nil
    }

    private static func violation(of consent: Consent) -> EventViolation? {
        if let timestamp = consent.timestamp, !Self.moments.contains(timestamp.timeIntervalSince1970) {
            return EventViolation(.dateOutOfRange, "The timestamp of a consent is not a date in the years 1 to 9999.")
        }
        return FieldLimits.violation(ofText: consent.document, "document of a consent")
            ?? FieldLimits.violation(ofText: consent.location, "location of a consent")
            ?? FieldLimits.violation(ofText: consent.hardwareID, "hardware id of a consent")
    }
}
