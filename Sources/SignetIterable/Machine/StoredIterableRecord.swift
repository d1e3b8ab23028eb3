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

    /// The bytes on disk; its number is in the key.
    func encoded() -> [UInt8] {
        let object: JSONObject = [
            "v": 1, "id": .string(self.id.uuidString), "record": .object(self.record.members),
        ]
        return JSONValue.object(object).encoded()
    }

    init(ordinal: UInt64, id: UUID, record: IterableRecord) {
        self.ordinal = ordinal
        self.id = id
        self.record = record
    }

    /// Reads the bytes on disk; nil when they are something else.
    init?(ordinal: UInt64, _ bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes, limits: JSONLimits(depth: 64))
        } catch {
            return nil
        }
        guard value["v"]?.number?.int64 == 1, let id = value["id"]?.string.flatMap(UUID.init(uuidString:)),
            let record = value["record"]?.object.flatMap({ IterableRecord(members: $0) })
        else { return nil }
        self.init(ordinal: ordinal, id: id, record: record)
    }
}
