// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// One difference between the stored and the wanted identities of a user.
package struct IdentityChange: Sendable, Hashable {
    /// The type of the identity.
    package let type: IdentityType
    /// The stored value; nil when the identity is new.
    package let old: String?
    /// The wanted value; nil when the identity is removed.
    package let new: String?

    package init(type: IdentityType, old: String?, new: String?) {
        self.type = type
        self.old = old
        self.new = new
    }
}

extension IdentityChange: CustomStringConvertible {
    /// The kind of change, without values.
    package var description: String {
        let verb =
            switch (self.old, self.new) {
            case (nil, _): "add"
            case (_, nil): "remove"
            case (_, _): "replace"
            }
        return "IdentityChange(\(verb) \(self.type))"
    }
}
