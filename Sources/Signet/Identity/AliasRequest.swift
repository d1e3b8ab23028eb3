//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.Date

/// A wish that what one user did counts for another, from when they were not known yet.
///
/// The platform copies events of the source to the destination a day later (IDSync, aliasing). The source must be
/// anonymous; the window ends no later than now and begins at most 90 days ago.
public struct AliasRequest: Sendable, Hashable {
    /// The longest way back, in days.
    public static let maximumWindow = 90

    /// Whose events are copied.
    public let source: MPID
    /// To whom.
    public let destination: MPID
    /// The first moment whose events are copied.
    public let start: Date
    /// The last moment whose events are copied.
    public let end: Date
    /// Whether the window is cut to what the platform allows instead of being an error.
    let isClamped: Bool

    /// Makes a request for all that the source did on this installation, as far back as the platform allows.
    ///
    /// - Parameters:
    ///   - source: The anonymous user; the window is from their first to their last sight here.
    ///   - destination: The known user.
    public init(source: User, destination: User) {
        self.source = source.mpid
        self.destination = destination.mpid
        self.start = source.firstSeen
        self.end = source.lastSeen
        self.isClamped = true
    }

    /// Makes a request for a window of your own; one that the platform would refuse is an error of the call.
    public init(source: MPID, destination: MPID, start: Date, end: Date) {
        self.source = source
        self.destination = destination
        self.start = start
        self.end = end
        self.isClamped = false
    }

    /// Checks the window and the users, and cuts the window if that was asked for.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - isKnown: Whether this installation knows a user to be a known one.
    /// - Returns: The first and last moment, in milliseconds since 1970.
    /// - Throws: `invalidArgument` for what the platform would refuse.
    func window(now: Int64, isKnown: (MPID) -> Bool) throws(SignetError) -> (start: Int64, end: Int64) {
        guard self.source != self.destination else {
            throw SignetError(.invalidArgument, "An alias needs two users; source and destination are the same.")
        }
        guard !isKnown(self.source) else {
            throw SignetError(.invalidArgument, "The source of an alias must be an anonymous user; this one is known.")
        }
        let earliest = now - Int64(Self.maximumWindow) * 86_400_000
        var start = self.start.milliseconds
        var end = self.end.milliseconds
        if self.isClamped {
            start = max(start, earliest)
            end = min(end, now)
        }
        guard start < end else {
            throw SignetError(.invalidArgument, "The window of an alias must begin before it ends.")
        }
        guard end <= now else {
            throw SignetError(.invalidArgument, "The window of an alias must not end in the future.")
        }
        guard start >= earliest else {
            throw SignetError(
                .invalidArgument,
                "The window of an alias must begin within the last \(Self.maximumWindow) days."
            )
        }
        return (start, end)
    }
}
