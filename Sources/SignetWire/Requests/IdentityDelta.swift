//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel

/// What a modify has to say.
package enum IdentityDelta {
    /// Compares the identities that a user has with those that it is to have.
    ///
    /// Removing what the user does not have is no change, nor is setting what it has already. Values are compared by
    /// their bytes: two Unicode spellings of one text are two values to the platform.
    ///
    /// - Parameters:
    ///   - stored: The identities of the user that the request is bound to.
    ///   - wanted: The identities that are spoken of: a value sets, nil removes.
    /// - Returns: The differences, in the order of wire names; empty when there is nothing to ask.
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
