//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.UUID

/// A batch as it is about to be sent for the first time; see ``SignetConfiguration/Events/onCreateBatch``.
public struct OutgoingBatch: Sendable {
    /// The id that the platform recognises a repetition by (`source_request_id`).
    public let id: UUID
    /// Where the events were logged; nil when its record on disk is gone.
    public let installation: InstallationID?
    /// Whose events.
    public let mpid: MPID
    /// How many events.
    public let eventCount: Int
    /// The body, as the Events API v2 documents it.
    public let json: [UInt8]

    init(id: UUID, installation: InstallationID?, mpid: MPID, eventCount: Int, json: [UInt8]) {
        self.id = id
        self.installation = installation
        self.mpid = mpid
        self.eventCount = eventCount
        self.json = json
    }
}

extension OutgoingBatch: CustomStringConvertible {
    /// The id and the number of events, nothing of their content.
    public var description: String {
        "OutgoingBatch(\(self.id), \(self.eventCount) events)"
    }
}
