//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date

/// Two users that became one.
public struct EmulatedIterableMerge: Sendable, Hashable {
    /// How.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// The destination has what was the source's; the source is gone.
        case merged
        /// There was no destination: the source is called so now.
        case renamed
    }

    /// Who is gone.
    public let source: EmulatedIterableUserID
    /// Who is left.
    public let destination: EmulatedIterableUserID
    /// How.
    public let outcome: Outcome
    /// Whose token came with the request, where a good one did; the vendor's clients send that of the destination.
    public let tokenOwner: EmulatedIterableUserID?
    /// The number of its request: an order over all routes of the project.
    public let number: Int
    /// When it came.
    public let receivedAt: Date
}

extension EmulatedIterableMerge: CustomStringConvertible {
    /// How and when, without names.
    public var description: String {
        "EmulatedMerge(\(self.outcome), request \(self.number))"
    }
}
