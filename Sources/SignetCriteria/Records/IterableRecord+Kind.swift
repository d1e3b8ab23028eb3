// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension IterableRecord {
    /// The kinds of records, compared by the bytes of their names; a store can keep other kinds.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        /// The text of the member `eventType`.
        package let rawValue: String

        /// Makes a kind from a text.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static func == (lhs: Kind, rhs: Kind) -> Bool {
            ByteText.isSame(lhs.rawValue, rhs.rawValue)
        }

        // The default of `RawRepresentable` would compare the texts.
        package static func != (lhs: Kind, rhs: Kind) -> Bool {
            !(lhs == rhs)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteText(self.rawValue))
        }

        /// A custom event with a name.
        package static let customEvent = Kind(rawValue: "customEvent")
        /// A purchase of items.
        package static let purchase = Kind(rawValue: "purchase")
        /// The new content of the cart.
        package static let cartUpdate = Kind(rawValue: "updateCart")
        /// New profile fields of the visitor.
        package static let userUpdate = Kind(rawValue: "user")
        /// A push token of the device; never replayed.
        package static let tokenRegistration = Kind(rawValue: "tokenRegistration")
    }
}
