// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// An opt-out, or the end of one, whose event may not be in the journal yet.
///
/// It is written before the choice and removed when the event is safe. A later process that finds it logs the event,
/// unless the journal has one with that id.
struct DueOptOut: Sendable, Hashable {
    /// True for an opt-out, false for the end of one.
    let isOptedOut: Bool
    /// The time of the choice, milliseconds since 1970.
    let milliseconds: Int64
    /// The id of its event, also if a later process logs it.
    let messageID: UUID
}

extension DueOptOut: StoredRecord {
    static var subject: String { "an opt-out" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("out", self.isOptedOut)
        encoder.write("at", self.milliseconds)
        encoder.write("id", self.messageID)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            isOptedOut: decoder.read("out"),
            milliseconds: decoder.read("at"),
            messageID: decoder.read("id")
        )
    }
}
