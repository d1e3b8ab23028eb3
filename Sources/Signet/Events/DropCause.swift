//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why accepted events were given up without delivery.
///
/// More may come.
public struct DropCause: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
        case limit, age, hook, forgotten, optedOut, reset, diskFailure
    }

    private let kind: Kind

    /// Newer events needed the room: of the journal, where the configuration says so, or of an installation that nobody is
    /// known of.
    public static let limit = DropCause(kind: .limit)
    /// They had waited for longer than ``SignetConfiguration/Events/Storage/maximumAge``.
    public static let age = DropCause(kind: .age)
    /// `onCreateBatch` dropped their batch.
    public static let hook = DropCause(kind: .hook)
    /// Their installation or user was erased.
    public static let forgotten = DropCause(kind: .forgotten)
    /// Their installation opted out.
    public static let optedOut = DropCause(kind: .optedOut)
    /// Their installation was reset.
    public static let reset = DropCause(kind: .reset)
    /// They were in memory, as the disk did not take them, until the runtime ended.
    public static let diskFailure = DropCause(kind: .diskFailure)

    /// The name of the cause.
    public var description: String {
        self.kind.rawValue
    }
}
