// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetTransport

import struct FoundationEssentials.UUID

/// A record on disk: its number, its id for the service, and its content.
struct StoredIterableRecord: Sendable, Hashable {
    /// The position in the order of the installation's records.
    let ordinal: UInt64
    /// The id by which the service recognises a record that is sent twice.
    let id: UUID
    var record: IterableRecord

    init(ordinal: UInt64, id: UUID, record: IterableRecord) {
        self.ordinal = ordinal
        self.id = id
        self.record = record
    }
}

extension StoredIterableRecord: StoredRecord {
    static var subject: String { "an act of an Iterable visitor" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("n", self.ordinal)
        encoder.write("id", self.id)
        encoder.write("json", bytes: JSONValue.object(self.record.members).encoded())
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let value: JSONValue
        let json = try decoder.bytes("json") ?? []
        do throws(JSONError) {
            value = try JSONReader.read(json, limits: JSONLimits(depth: 64))
        } catch {
            throw RecordDamage(field: "json")
        }
        guard let record = value.object.flatMap({ IterableRecord(members: $0) }) else {
            throw RecordDamage(field: "json")
        }
        try self.init(ordinal: decoder.read("n"), id: decoder.read("id"), record: record)
    }
}
