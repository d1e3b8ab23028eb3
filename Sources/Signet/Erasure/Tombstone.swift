// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The record on disk of an erasure in progress.
///
/// It does not name the user: it can only confirm a given MPID.
struct Tombstone: Sendable, Hashable {
    let id: UUID
    /// Random bytes, so that the same user has another hash each time.
    let salt: [UInt8]
    /// The hash of salt and MPID.
    let hash: [UInt8]
    /// The last event to erase: later ones belong to a user who has returned.
    ///
    /// `UInt64.max`, which means all events, until the last one is known.
    var reach: UInt64
    /// True while rows of a shared store may know the user: then the record outlives the erasure of this directory.
    var isSpreading = false

    /// Makes a tombstone for a user.
    init(of mpid: MPID) {
        self.id = .random()
        self.salt = UUID.random().bytes
        self.hash = Self.hash(mpid, salt: self.salt)
        self.reach = .max
    }

    /// Makes a tombstone for a user whom rows of a shared store may know; no replica has heard of it yet.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - workspace: The hash of the workspace's key, from which the salt follows.
    init(spreading mpid: MPID, workspace: [UInt8]) {
        self.id = .random()
        self.salt = Self.salt(of: workspace)
        self.hash = Self.hash(mpid, salt: self.salt)
        self.reach = .max
        self.isSpreading = true
    }

    /// Makes a tombstone of an erasure that all replicas know.
    ///
    /// - Parameters:
    ///   - erasure: The erasure.
    ///   - workspace: The hash of the workspace's key, from which the salt follows.
    init(_ erasure: SharedErasure, workspace: [UInt8]) {
        (self.id, self.hash) = (erasure.id, erasure.hash)
        self.salt = Self.salt(of: workspace)
        self.reach = .max
    }

    /// The hash of a user for all replicas of a workspace.
    static func hash(_ mpid: MPID, workspace: [UInt8]) -> [UInt8] {
        Self.hash(mpid, salt: Self.salt(of: workspace))
    }

    private static func salt(of workspace: [UInt8]) -> [UInt8] {
        SHA256.hash(Array("signet-replicas:".utf8) + workspace)
    }

    /// Returns true if the tombstone is for this user.
    func names(_ mpid: MPID) -> Bool {
        Self.hash(mpid, salt: self.salt) == self.hash
    }

    private static func hash(_ mpid: MPID, salt: [UInt8]) -> [UInt8] {
        SHA256.hash(Array("signet-erasure:".utf8) + salt + Array(mpid.description.utf8))
    }

    /// All tombstones on disk.
    ///
    /// - Throws: `SignetError` from the disk, also for an unreadable one: the user to erase would be unknown.
    static func stored(in store: StateStore) throws(SignetError) -> [Tombstone] {
        var tombstones: [Tombstone] = []
        for key in try store.keys(withPrefix: StateKey.tombstones) {
            guard let bytes = try store.value(for: key) else { continue }
            tombstones.append(try Tombstone(decoding: bytes))
        }
        return tombstones
    }

    /// The highest event number that a finished erasure has recorded; 0 before the first.
    ///
    /// - Throws: `SignetError` from the disk.
    static func erasedUpTo(in store: StateStore) throws(SignetError) -> UInt64 {
        do throws(SignetError) {
            guard let bytes = try store.value(for: StateKey.erasedUpTo) else { return 0 }
            return try StoredNumber(decoding: bytes).value
        } catch {
            guard error.isDamage else { throw error }
        }
        // Without it, read the number from the records themselves, which means reading them all.
        return try ErasureRecovery.inheritedUpTo(in: store)
    }

    /// Records the last event of an erasure, before its tombstone is flushed for the last time.
    ///
    /// Inheritances keep that number after the erasure. A loss of power can take the journal back to before it. If the
    /// journal assigned the number again, a later event would pass as the erased user's, and would wait for ever.
    ///
    /// - Throws: `SignetError` from the disk.
    static func note(erasedUpTo last: UInt64, in store: StateStore) throws(SignetError) {
        guard try last > self.erasedUpTo(in: store) else { return }
        try store.put(StoredNumber(last).encoded(), for: StateKey.erasedUpTo)
    }
}

extension Tombstone: StoredRecord {
    static var subject: String { "an erasure" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("upTo", self.reach)
        encoder.write("salt", bytes: self.salt)
        encoder.write("hash", bytes: self.hash)
        encoder.write("spreading", flag: self.isSpreading)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.id = try decoder.read("id")
        self.reach = try decoder.read("upTo")
        guard let salt = try decoder.bytes("salt"), let hash = try decoder.bytes("hash") else {
            throw RecordDamage(field: "hash")
        }
        (self.salt, self.hash) = (salt, hash)
        self.isSpreading = try decoder.flag("spreading")
    }
}
