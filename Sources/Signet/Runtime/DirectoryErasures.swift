// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The erasures that a directory has carried out, in its state log.
struct DirectoryErasures: CarriedOutErasures {
    private let disk: RuntimeDisk

    init(_ disk: RuntimeDisk) {
        self.disk = disk
    }

    func all() async throws(SignetError) -> (noted: Set<UUID>, unfinished: Set<UUID>) {
        let store = self.disk.store
        return try await self.disk.perform { () throws(SignetError) in
            func ids(_ prefix: [UInt8]) throws(SignetError) -> Set<UUID> {
                Set(try store.keys(withPrefix: prefix).compactMap { UUID(bytes: $0.dropFirst(prefix.count)) })
            }
            return (try ids(StateKey.carriedOutErasures), try ids(StateKey.tombstones))
        }
    }

    func contains(_ erasure: UUID) -> Bool {
        self.disk.store.contains(StateKey.carriedOut(erasure))
    }

    func note(_ erasure: UUID) throws(SignetError) {
        // Not flushed: without it the erasure is carried out once more.
        if !self.contains(erasure) { try self.disk.store.put([0], for: StateKey.carriedOut(erasure)) }
    }

    func forget(_ erasures: Set<UUID>) throws(SignetError) {
        for erasure in erasures { try self.disk.store.remove(StateKey.carriedOut(erasure)) }
    }
}
