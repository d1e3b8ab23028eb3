// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// The latest consent of a user, in a ``SharedStore``: one for all installations of the user.
public struct SharedConsent: Sendable, Hashable {
    /// The result of a write.
    public enum Outcome: Sendable, Hashable {
        /// The store has the consent with this tag.
        case written
        /// The store has another one, or no row mentions the user; nothing was changed. Nil: it has none.
        case differs(SharedConsent?)
    }

    /// The user.
    public var mpid: MPID
    /// The runtime's bytes; the store does not look at them.
    ///
    /// At most ``SharedStoreLimits/valueBytes``.
    public var state: [UInt8]
    /// A random value, new with each write.
    public var tag: UUID

    /// Makes a consent.
    public init(of mpid: MPID, state: [UInt8], tag: UUID) {
        self.mpid = mpid
        self.state = state
        self.tag = tag
    }
}
