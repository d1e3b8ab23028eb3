// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// Computes the changes of a modify request.
package enum IdentityDelta {
    /// Compares the stored identities of a user with the wanted ones.
    ///
    /// Removing an identity that the user does not have is no change, nor is setting the same value again. Values are compared
    /// by their bytes: two Unicode spellings of one text are two values to the platform.
    ///
    /// - Parameters:
    ///   - stored: The identities of the user that the request is bound to.
    ///   - wanted: The identities to change: a value sets, nil removes.
    /// - Returns: The differences, in the order of wire names; empty when no request is needed.
    package static func changes(
        from stored: [IdentityType: String],
        to wanted: [IdentityType: String?]
    ) -> [IdentityChange] {
        var changes: [IdentityChange] = []
        for (type, new) in wanted.sorted(by: { $0.key < $1.key }) {
            let old = stored[type]
            if !Self.isSame(old, new) {
                changes.append(IdentityChange(type: type, old: old, new: new))
            }
        }
        return changes
    }

    private static func isSame(_ old: String?, _ new: String?) -> Bool {
        switch (old, new) {
        case (nil, nil): true
        case (let old?, let new?): old.utf8.elementsEqual(new.utf8)
        case (nil, _?), (_?, nil): false
        }
    }
}
