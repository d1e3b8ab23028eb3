//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetTransport

import struct FoundationEssentials.UUID

/// Something that happened, as it waits on disk: its number, its name for the service, and what it was.
struct StoredIterableRecord: Sendable, Hashable {
    /// Its place in the order of what happened on the installation.
    let ordinal: UInt64
    /// By which the service recognises it, should it be sent twice.
    let id: UUID
    /// What happened.
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
