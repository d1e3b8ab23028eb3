//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.Date

/// What there was in a session.
public struct SessionSummary: Sendable, Hashable {
    /// From its begin to its last event, in whole milliseconds, by a clock that never jumps.
    public let length: Duration
    /// How much of that the app was in the foreground; on a server all of it.
    public let foregroundLength: Duration
    /// When its last event was, or the call that ended it, by the wall clock.
    public let lastEventTime: Date
    /// How many events were logged in it, without its own begin and end.
    public let eventCount: Int
    /// How often the app went to the background.
    public let interruptionCount: Int
    /// What the app said of it; see ``Installation/setSessionAttribute(_:for:)``.
    public let attributes: [String: AttributeValue]
    /// Who was current in it, and whose events it has, in their order; who comes back is named again, up to 195 entries.
    public let mpids: [MPID]
}
