//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// What a consent state may be at most.
///
/// One hundred purposes are documented; the platform documents no limit of texts, so that those of attributes hold, and all
/// together must leave a batch of 128 KB its room.
package enum ConsentLimits {
    /// The most GDPR purposes.
    package static let purposeCount = 100
    /// The longest purpose.
    package static let purposeLength = 256
    /// The most bytes of JSON of one state.
    package static let bytes = 16 * 1024

    private static let moments = -62_135_596_800.0..<253_402_300_800.0

    /// Looks for the first limit that a state breaks; its purposes are spelt as the platform spells them.
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
            return EventViolation(.dateOutOfRange, "The timestamp of a consent is no moment of the years 1 to 9999.")
        }
        return FieldLimits.violation(ofText: consent.document, "document of a consent")
            ?? FieldLimits.violation(ofText: consent.location, "location of a consent")
            ?? FieldLimits.violation(ofText: consent.hardwareID, "hardware id of a consent")
    }
}
