// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID

extension DeadLetterBatches {
    /// A batch that is kept on disk and no longer sent automatically; see ``SignetRuntime/deadLetters``.
    public struct Batch: Sendable, Hashable {
        /// The batch's id (`source_request_id`).
        public let id: UUID
        /// The installation that logged the events; nil if unknown.
        public let installation: InstallationID?
        /// The user's MPID; nil if unknown.
        public let mpid: MPID?
        /// The number of events.
        public let eventCount: Int
        /// The HTTP status of the platform's answer; nil if the batch was never sent, because `onCreateBatch` returned an
        /// invalid batch.
        public let httpStatus: Int?
        /// The reason, without identities or attribute values.
        public let reason: String
        /// The time at which it became a dead letter; nil if unknown.
        public let date: Date?
        /// The size of its JSON in bytes; ``DeadLetterBatches/json(of:)`` returns the bytes.
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
}
