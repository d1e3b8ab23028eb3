// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// A dead letter as stored on disk: a batch that is not sent again automatically, with the reason and all bytes.
struct DeadLetterRecord: Sendable, Hashable {
    /// The number of the installation; 0 if it is not known.
    var installation: UInt32
    /// The MPID of the user of the events; nil if it is not known.
    var mpid: MPID?
    /// The number of events.
    var events: Int
    /// The journal's number of the first event, by which a later opt-out drops it; nil if it is not known.
    var first: UInt64?
    /// The status of the platform's answer; nil if the platform did not reject the batch.
    var status: Int?
    /// The time of the failure, milliseconds since 1970; 0 if it is not known.
    var milliseconds: Int64
    /// The reason for the failure.
    var reason: String
    /// The facts of the user that the batch carries and the platform had not accepted when it was made.
    var facts = NumberedFacts()
    /// The facts as a hash; see ``BatchRecord/hash``.
    var hash: UInt64?
    /// The bytes of the batch.
    var body: [UInt8]

    /// Returns the batch that sends it again, with the same bytes.
    func batch(_ id: UUID) -> BatchRecord {
        BatchRecord(
            id: id,
            installation: self.installation,
            mpid: self.mpid,
            sequences: SequenceList(),
            events: self.events,
            size: self.body.count,
            content: .whole(self.body),
            facts: self.facts,
            hash: self.hash,
            first: self.first
        )
    }
}

extension DeadLetterRecord: StoredRecord {
    static var subject: String { "a dead letter" }
    var expectedSize: Int { 96 + self.reason.utf8.count + self.body.count }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("in", self.installation)
        encoder.write("u", self.mpid)
        encoder.write("n", self.events)
        encoder.write("no", self.first)
        encoder.write("status", self.status)
        encoder.write("at", self.milliseconds)
        encoder.write("reason", String(self.reason.prefix(1000)))
        self.facts.encode(into: &encoder)
        encoder.write("f", self.hash.map { Int64(bitPattern: $0) })
        encoder.write("body", bytes: self.body)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            installation: decoder.read("in"),
            mpid: decoder.optional("u"),
            events: decoder.read("n"),
            first: decoder.optional("no"),
            status: decoder.optional("status"),
            milliseconds: decoder.read("at"),
            reason: decoder.read("reason"),
            facts: NumberedFacts(from: &decoder),
            hash: decoder.optional("f").map { (hash: Int64) in UInt64(bitPattern: hash) },
            body: decoder.bytes("body") ?? []
        )
    }
}
