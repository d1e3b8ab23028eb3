// SPDX-License-Identifier: Apache-2.0

/// A limit that an event breaks.
package struct EventViolation: Error, Sendable, Hashable {
    /// The kinds of violation.
    package enum Code: Sendable, Hashable, CaseIterable {
        /// A custom event or a screen without a name.
        case emptyName
        /// A name that is too long.
        case nameTooLong
        /// More attributes than an event can have.
        case tooManyAttributes
        /// An attribute without a key.
        case emptyAttributeKey
        /// An attribute key that is too long.
        case attributeKeyTooLong
        /// An attribute value that is too long.
        case attributeValueTooLong
        /// An attribute value that is NaN or infinite.
        case attributeNotFinite
        /// A moment out of the range that has a text.
        case dateOutOfRange
        /// An attribute of a product that is null.
        case nullNotAllowed
        /// Attributes of a user that are too long in total.
        case attributesTooLong
        /// A user's list without entries.
        case emptyList
        /// A user's list with more entries than allowed.
        case listTooLong
        /// A list within a list.
        case nestedList
        /// A field that must not be empty.
        case emptyField
        /// A text that is too long.
        case fieldTooLong
        /// A number that is NaN or infinite.
        case numberNotFinite
        /// More products, promotions or impressions than an event can have.
        case tooManyProducts
        /// An invalid currency.
        case notACurrency
        /// A latitude or longitude out of range.
        case locationOutOfRange
        /// Custom flags of an event that cannot have any.
        case flagsNotAllowed
        /// More custom flags than an event can have.
        case tooManyFlags
        /// An attribute of a user that is an empty text.
        case emptyAttributeValue
        /// More purposes than a consent state can have.
        case tooManyPurposes
        /// A consent state that is too long.
        case consentTooLong
        /// The id of an integration that is not positive.
        case notAnIntegration
        /// Attributes of integrations that are too long in total.
        case integrationAttributesTooLong
    }

    /// The kind of violation.
    package let code: Code
    /// The given and the allowed value; attribute keys are named, values never.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension EventViolation: CustomStringConvertible {
    package var description: String {
        "\(self.code): \(self.message)"
    }
}
