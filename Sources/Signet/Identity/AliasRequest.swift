// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.Date

/// A request to attribute an anonymous user's earlier events to another user.
///
/// The platform copies the events of the source to the destination a day later (IDSync, aliasing). The source must be
/// anonymous. The window ends no later than now and begins at most 90 days ago.
public struct AliasRequest: Sendable, Hashable {
    /// The earliest start of a window, in days before now.
    public static let maximumWindow = 90

    /// The user whose events are copied.
    public let source: MPID
    /// The user who receives the copies.
    public let destination: MPID
    /// The beginning of the window, inclusive.
    public let start: Date
    /// The end of the window, inclusive.
    public let end: Date
    private let bounds: Bounds

    /// The meaning of the window's begin and end.
    private enum Bounds: Sendable, Hashable {
        /// The window is as much of them as the platform allows.
        case cutToLimits
        /// The window is exactly this, and one beyond the platform's limits is an error.
        case exact
    }

    /// Makes a request for all events of the source on this installation, as far back as the platform allows.
    ///
    /// - Parameters:
    ///   - source: The anonymous user. The window is from their `firstSeen` to their `lastSeen` on this installation,
    ///     and at least a millisecond.
    ///   - destination: The known user.
    public init(source: User, destination: User) {
        self.source = source.mpid
        self.destination = destination.mpid
        self.start = source.firstSeen
        self.end = source.lastSeen
        self.bounds = .cutToLimits
    }

    /// Makes a request for a custom window; the call throws if the platform would refuse the window.
    public init(source: MPID, destination: MPID, start: Date, end: Date) {
        self.source = source
        self.destination = destination
        self.start = start
        self.end = end
        self.bounds = .exact
    }

    /// Checks the window and the users, and cuts the window if it is clamped.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - isKnown: Returns true for a user who is not anonymous on this installation.
    /// - Returns: The beginning and the end of the window, in milliseconds since 1970.
    /// - Throws: `invalidArgument` for a request that the platform would refuse.
    func window(now: Int64, isKnown: (MPID) -> Bool) throws(SignetError) -> (start: Int64, end: Int64) {
        guard self.source != self.destination else {
            throw SignetError(
                .invalidArgument,
                "The source and the destination of the alias are the same user. Give two users."
            )
        }
        guard !isKnown(self.source) else {
            throw SignetError(
                .invalidArgument,
                "The source of an alias must be an anonymous user, but this user is known."
            )
        }
        let earliest = now - Int64(Self.maximumWindow) * 86_400_000
        var start = self.start.milliseconds
        var end = self.end.milliseconds
        if self.bounds == .cutToLimits {
            // The clock may have been set back since the user was first seen.
            end = min(max(start, end), now)
            start = max(start, earliest)
            // The events of a user who was seen in one millisecond are of that one; the platform wants a begin before
            // the end.
            if start >= end, end > earliest { start = end - 1 }
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
