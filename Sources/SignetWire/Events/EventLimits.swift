// SPDX-License-Identifier: Apache-2.0

package import SignetModel

import struct FoundationEssentials.Date

/// The limits of an event (Default Service Limits).
///
/// Beyond these the platform truncates, or drops all attributes, without an error: so the call reports them. Lengths count
/// UTF-16 units, as the vendors' SDKs do; a text within the limit in units is also within it in characters.
package enum EventLimits {
    /// The maximum length of the name of an event or a screen.
    package static let nameLength = 256
    /// The maximum number of attributes of one event.
    package static let attributeCount = 100
    /// The maximum length of an attribute key.
    package static let keyLength = 256
    /// The maximum length of an attribute value, as text; also of a text of a purchase.
    package static let valueLength = 4096

    /// The moments that have a text, from 0001-01-01T00:00:00Z to the end of the year 9999; the range excludes NaN.
    private static let moments = -62_135_596_800.0..<253_402_300_800.0
    /// The maximum number of products, promotions or impressions of one event.
    package static let productCount = 500
    /// The maximum length of the chosen action of a push message.
    package static let actionIdentifierLength = 100
    /// The maximum number of custom flags of one event.
    package static let flagCount = 100

    /// Finds the first limit that an event breaks.
    ///
    /// - Parameter event: The event.
    /// - Returns: The violation; nil when the event may be logged.
    package static func violation(of event: Event) -> EventViolation? {
        if let violation = Self.violation(ofContent: event.content) { return violation }
        let added = event.boxedOptions == nil ? 0 : event.addedAttributes.count
        if let violation = Self.violation(of: event.attributes, and: added) { return violation }
        return event.boxedOptions == nil ? nil : Self.violation(ofOptions: event)
    }

    /// Finds the first limit that attributes of an event or a product break.
    ///
    /// - Parameters:
    ///   - attributes: The attributes.
    ///   - added: The number of attributes that will be added to them.
    /// - Returns: The violation; nil when they may be logged.
    static func violation(of attributes: Attributes, and added: Int = 0) -> EventViolation? {
        guard attributes.count + added <= Self.attributeCount else {
            return EventViolation(
                .tooManyAttributes,
                "The event has \(attributes.count + added) attributes; at most \(Self.attributeCount) are allowed."
            )
        }
        for (key, value) in attributes.elements where !Self.isSurelyWithin(key, value) {
            if let violation = Self.violation(ofAttribute: key, value: value) { return violation }
        }
        return nil
    }

    // Accepts nearly every attribute without reading its text: UTF-8 is never shorter than UTF-16 in units.
    private static func isSurelyWithin(_ key: String, _ value: AttributeValue) -> Bool {
        guard (1...Self.keyLength).contains(key.utf8.count) else { return false }
        switch value {
        case .string(let text): return text.utf8.count <= Self.valueLength
        case .double(let number): return number.isFinite
        case .integer, .bool, .null: return true
        case .date, .list: return false
        }
    }

    /// Finds the limit that one attribute, of an event or of a user, breaks.
    package static func violation(ofAttribute key: String, value: AttributeValue) -> EventViolation? {
        guard !key.isEmpty else {
            return EventViolation(
                .emptyAttributeKey,
                "An attribute key is empty; 1 to \(Self.keyLength) characters are allowed."
            )
        }
        if let length = Self.excess(of: key, over: Self.keyLength) {
            return EventViolation(
                .attributeKeyTooLong,
                "An attribute key has \(length) characters; at most \(Self.keyLength) are allowed."
            )
        }
        switch value {
        case .string(let text):
            guard let length = Self.excess(of: text, over: Self.valueLength) else { return nil }
            return EventViolation(
                .attributeValueTooLong,
                "The value of attribute \"\(PlainText.cleaned(key))\" has \(length) characters; "
                    + "at most \(Self.valueLength) are allowed."
            )
        case .double(let number):
            guard !number.isFinite else { return nil }
            return EventViolation(
                .attributeNotFinite,
                "The value of attribute \"\(PlainText.cleaned(key))\" is \(Self.name(ofNotFinite: number)); "
                    + "only finite numbers are allowed."
            )
        case .date(let date):
            if Self.moments.contains(date.timeIntervalSince1970) { return nil }
            return EventViolation(
                .dateOutOfRange,
                "The value of attribute \"\(PlainText.cleaned(key))\" is not a date in the years 1 to 9999."
            )
        case .integer, .bool, .null:
            return nil
        case .list(let values):
            return Self.violation(ofList: values, key)
        }
    }

    private static func violation(ofList values: [AttributeValue], _ key: String) -> EventViolation? {
        for value in values {
            if case .list = value {
                return EventViolation(
                    .nestedList,
                    "The value of attribute \"\(PlainText.cleaned(key))\" is a list within a list; lists hold texts, "
                        + "numbers, Booleans and dates."
                )
            }
            if let violation = Self.violation(ofAttribute: key, value: value) { return violation }
        }
        // In an event the list is one text.
        return Self.violation(ofAttribute: key, value: .string(AttributeValue.list(values).text))
    }

    static func violation(ofName name: String, of kind: String) -> EventViolation? {
        guard !name.isEmpty else {
            return EventViolation(
                .emptyName,
                "The \(kind) name is empty; 1 to \(Self.nameLength) characters are allowed."
            )
        }
        guard !SettingTextFault.isBlank(name) else {
            return EventViolation(.emptyName, "The \(kind) name is blank; it must show at least one character.")
        }
        guard let length = Self.excess(of: name, over: Self.nameLength) else { return nil }
        return EventViolation(
            .nameTooLong,
            "The \(kind) name has \(length) characters; at most \(Self.nameLength) are allowed."
        )
    }

    /// The length of a text above the limit; nil within it.
    static func excess(of text: String, over limit: Int) -> Int? {
        // UTF-8 is never shorter than UTF-16 in units, and its count costs nothing.
        guard text.utf8.count > limit else { return nil }
        let length = text.utf16.count
        return length > limit ? length : nil
    }

    /// The name of a number that is not finite, for messages.
    static func name(ofNotFinite number: Double) -> String {
        number.isNaN ? "NaN" : "infinite"
    }
}

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
