// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import struct SignetModel.MPID

/// An alias request that the platform accepted.
public struct EmulatedAlias: Sendable, Hashable {
    /// `request_id`.
    public let requestID: String?
    /// The anonymous user whose events are copied.
    public let source: MPID
    /// The user who receives the copies.
    public let destination: MPID
    /// The time of the first event that is copied.
    public let start: Date
    /// The time of the last event that is copied.
    public let end: Date
    /// The time at which the request arrived.
    public let receivedAt: Date
    /// The time at which the alias is carried out.
    public let dueAt: Date
    /// True once the events are copied.
    public let isProcessed: Bool
}

extension EmulatedAlias {
    init(_ entry: AliasRequestHandler.Entry) {
        self.init(
            requestID: entry.request.requestID,
            source: entry.request.source,
            destination: entry.request.destination,
            start: WallClock.date(milliseconds: entry.window.lowerBound),
            end: WallClock.date(milliseconds: entry.window.upperBound),
            receivedAt: WallClock.date(milliseconds: entry.receivedAt),
            dueAt: WallClock.date(milliseconds: entry.dueAt),
            isProcessed: entry.isProcessed
        )
    }
}
