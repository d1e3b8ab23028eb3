// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// A batch that is about to be sent for the first time; see ``SignetConfiguration/Events/onCreateBatch``.
public struct OutgoingBatch: Sendable {
    /// The id by which the platform recognises a repeated batch (`source_request_id`).
    public let id: UUID
    /// The installation that logged the events; nil if its record on disk is gone.
    public let installation: InstallationID?
    /// The MPID of the user who owns the events.
    public let mpid: MPID
    /// The number of events in the batch.
    public let eventCount: Int
    /// The body in the format of the Events API v2.
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
    /// The id and the number of events, without their content.
    public var description: String {
        "OutgoingBatch(\(self.id), \(self.eventCount) events)"
    }
}
