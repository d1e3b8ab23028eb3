//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID

/// A batch that is kept on disk and not sent by itself any more; see ``SignetRuntime/deadLetters``.
public struct DeadLetterBatch: Sendable, Hashable {
    /// Its id (`source_request_id`).
    public let id: UUID
    /// Where its events were logged; nil when that is not known.
    public let installation: InstallationID?
    /// Whose events; nil when that is not known.
    public let mpid: MPID?
    /// How many events.
    public let eventCount: Int
    /// The status of the platform's answer; nil when it was never sent, as what `onCreateBatch` gave was no batch.
    public let httpStatus: Int?
    /// Why, without identities or attribute values.
    public let reason: String
    /// When it was set aside; nil when that is not known.
    public let date: Date?
    /// The bytes of its JSON; ask ``DeadLetterBatches/json(of:)`` for them.
    public let byteCount: Int

    init(_ id: UUID, _ record: DeadLetterRecord, installation: InstallationID?) {
        self.id = id
        self.installation = installation
        self.mpid = record.mpid
        self.eventCount = record.events
        self.httpStatus = record.status
        self.reason = record.reason
        self.date = record.milliseconds == 0 ? nil : Date(milliseconds: record.milliseconds)
        self.byteCount = record.body.count
    }
}
