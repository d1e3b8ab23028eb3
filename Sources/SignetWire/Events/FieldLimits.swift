// SPDX-License-Identifier: Apache-2.0

/// The limits of single texts and numbers of an event; by default those of attribute values.
enum FieldLimits {
    static func violation(
        ofText text: String?,
        _ field: @autoclosure () -> String,
        mayBeEmpty: Bool = true,
        limit: Int = EventLimits.valueLength
    ) -> EventViolation? {
        guard let text else { return nil }
        guard mayBeEmpty || !text.isEmpty else {
            return EventViolation(
                .emptyField,
                "The \(field()) is empty; 1 to \(limit) characters are allowed."
            )
        }
        guard let length = EventLimits.excess(of: text, over: limit) else { return nil }
        return EventViolation(
            .fieldTooLong,
            "The \(field()) has \(length) characters; at most \(limit) are allowed."
        )
    }

    static func violation(ofNumber number: Double?, _ field: @autoclosure () -> String) -> EventViolation? {
        guard let number, !number.isFinite else { return nil }
        return EventViolation(
            .numberNotFinite,
            "The \(field()) is \(EventLimits.name(ofNotFinite: number)); only finite numbers are allowed."
        )
    }
}
