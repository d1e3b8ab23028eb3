//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

extension IterableRecord {
    /// The kinds of records, by the bytes of their names; whoever stores others can keep them.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        /// The text of the member `eventType`.
        package let rawValue: String

        /// Makes a kind of a text.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static func == (lhs: Kind, rhs: Kind) -> Bool {
            ByteText.isSame(lhs.rawValue, rhs.rawValue)
        }

        // The one of all raw representables would compare the texts.
        package static func != (lhs: Kind, rhs: Kind) -> Bool {
            !(lhs == rhs)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteText(self.rawValue))
        }

        /// Something with a name happened.
        package static let customEvent = Kind(rawValue: "customEvent")
        /// Items were bought.
        package static let purchase = Kind(rawValue: "purchase")
        /// The cart now holds these items.
        package static let cartUpdate = Kind(rawValue: "updateCart")
        /// The visitor told something about themselves.
        package static let userUpdate = Kind(rawValue: "user")
        /// The device got a push token; never replayed.
        package static let tokenRegistration = Kind(rawValue: "tokenRegistration")
    }
}
