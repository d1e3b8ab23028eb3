// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A merge of two users.
public struct EmulatedIterableMerge: Sendable, Hashable {
    /// The outcome of the merge.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// The destination received the data of the source, which is gone.
        case merged
        /// The destination did not exist; the source took its name.
        case renamed
    }

    /// The source, which no longer exists under this name.
    public let source: EmulatedIterableUserID
    /// The remaining user.
    public let destination: EmulatedIterableUserID
    /// The outcome of the merge.
    public let outcome: Outcome
    /// The user of the request's valid token, if any; the vendor's clients send the token of the destination.
    public let tokenOwner: EmulatedIterableUserID?
    /// The number of its request, in order over all routes of the project.
    public let number: Int
    /// The time of arrival.
    public let receivedAt: Date
}

extension EmulatedIterableMerge: CustomStringConvertible {
    /// The outcome and the request number, without names.
    public var description: String {
        "EmulatedMerge(\(self.outcome), request \(self.number))"
    }
}
