// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// Another user who lost an identity because the identity may belong to one user only.
package struct ModifiedProfile: Sendable, Hashable {
    /// The type of the lost identity.
    package let type: IdentityType
    /// The MPID of that user.
    package let mpid: MPID

    package init(type: IdentityType, mpid: MPID) {
        self.type = type
        self.mpid = mpid
    }
}
