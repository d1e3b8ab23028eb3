// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// The limits of the attributes of one user (Default Service Limits).
///
/// Every batch of a user carries all of them beside at least one event.
package enum UserLimits {
    /// The maximum number of attributes of one user.
    package static let attributeCount = 100
    /// The maximum size of all attributes of one user, in bytes of JSON.
    ///
    /// The service limits each value, and a batch to 128 KB. This limit leaves a batch room for an event beside the longest
    /// consent (``ConsentLimits/bytes``); a longer batch is sent without the attributes.
    package static let attributeBytes = 96 * 1024
    /// The maximum size of the values in an event about a change, in bytes of JSON; longer values become null there.
    static let changeBytes = 12 * 1024

    /// The maximum number of entries of a list.
    package static let entryCount = 1000
    /// The maximum length of an entry of a list.
    package static let entryLength = 512

    /// Finds the limit that one attribute of a user breaks.
    package static func violation(ofAttribute key: String, value: AttributeValue) -> EventViolation? {
        guard case .list(let entries) = value else {
            if let violation = EventLimits.violation(ofAttribute: key, value: value) { return violation }
            // The vendors' SDKs also refuse an empty text: it is neither a removal nor a tag.
            guard value == .string("") else { return nil }
            return EventViolation(
                .emptyAttributeValue,
                "The value of attribute \"\(PlainText.cleaned(key))\" is an empty text. Remove the attribute, or use null for a "
                    + "tag."
            )
        }
        // Checks the key, then the list, whose limits differ from those in an event, where it is one text.
        if let violation = EventLimits.violation(ofAttribute: key, value: .null) { return violation }
        let name = PlainText.cleaned(key)
        guard !entries.isEmpty else {
            return EventViolation(
                .emptyList,
                "The list \"\(name)\" is empty; 1 to \(Self.entryCount) entries are allowed. Remove the attribute instead."
            )
        }
        guard entries.count <= Self.entryCount else {
            return EventViolation(
                .listTooLong,
                "The list \"\(name)\" has \(entries.count) entries; at most \(Self.entryCount) are allowed."
            )
        }
        return entries.lazy.compactMap { Self.violation(ofEntry: $0, of: key) }.first
    }

    private static func violation(ofEntry entry: AttributeValue, of key: String) -> EventViolation? {
        switch entry {
        case .string(let text):
            FieldLimits.violation(
                ofText: text,
                "entry of list \"\(PlainText.cleaned(key))\"",
                limit: Self.entryLength
            )
        case .list: EventLimits.violation(ofAttribute: key, value: .list([entry]))
        case .integer, .double, .bool, .date, .null: EventLimits.violation(ofAttribute: key, value: entry)
        }
    }

    /// Finds the limit that all attributes of a user break together.
    package static func violation(of attributes: [String: AttributeValue]) -> EventViolation? {
        guard attributes.count <= Self.attributeCount else {
            return EventViolation(
                .tooManyAttributes,
                "The user would have \(attributes.count) attributes; at most \(Self.attributeCount) are allowed."
            )
        }
        var writer = JSONWriter()
        writer.beginObject()
        for (key, value) in attributes {
            writer.key(key)
            BatchBody.write(value, to: &writer)
        }
        writer.endObject()
        guard writer.bytes.count <= Self.attributeBytes else {
            return EventViolation(
                .attributesTooLong,
                "The user's attributes would have \(writer.bytes.count) bytes of JSON together; "
                    + "at most \(Self.attributeBytes) (96 KiB) are allowed, so that a batch of 128 KB has room for an event. "
                    + "Shorten values or remove attributes."
            )
        }
        return nil
    }
}

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
