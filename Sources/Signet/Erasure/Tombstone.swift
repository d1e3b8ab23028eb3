//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The word on disk that a user is being erased, until that is done.
///
/// It does not say who: only whether somebody is the one.
struct Tombstone: Sendable, Hashable {
    /// Tells it from others.
    let id: UUID
    /// So that the same user has another hash each time.
    let salt: [UInt8]
    /// What the MPID makes of the salt.
    let hash: [UInt8]
    /// The last event that is erased: later ones are of a user who has come back.
    ///
    /// All are, as long as it is not known which.
    var reach: UInt64

    private static let version: UInt8 = 1
    private static let saltSize = 16
    private static let hashSize = 32

    /// Makes one for a user.
    init(of mpid: MPID) {
        self.id = .random()
        self.salt = UUID.random().bytes
        self.hash = Self.hash(mpid, salt: self.salt)
        self.reach = .max
    }

    /// Whether it is for this user.
    func names(_ mpid: MPID) -> Bool {
        Self.hash(mpid, salt: self.salt) == self.hash
    }

    private static func hash(_ mpid: MPID, salt: [UInt8]) -> [UInt8] {
        SHA256.hash(Array("signet-erasure:".utf8) + salt + Array(mpid.description.utf8))
    }

    // MARK: - Bytes

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(self.reach)
        writer.write(raw: self.salt)
        writer.write(raw: self.hash)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil when they are something else.
    init?(key: [UInt8], _ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let id = UUID(bytes: key.dropFirst(StateKey.tombstones.count)), reader.read(UInt8.self) == Self.version,
            let reach = reader.read(UInt64.self), let salt = reader.read(count: Self.saltSize),
            let hash = reader.read(count: Self.hashSize), reader.rest.isEmpty
        else { return nil }
        (self.id, self.reach, self.salt, self.hash) = (id, reach, Array(salt), Array(hash))
    }

    /// All that are on disk.
    ///
    /// - Throws: What the disk says; `diskFailed` for one that cannot be read: nobody would know who is to be erased.
    static func stored(in store: StateStore) throws(SignetError) -> [Tombstone] {
        var tombstones: [Tombstone] = []
        for key in try store.keys(withPrefix: StateKey.tombstones) {
            guard let bytes = try store.value(for: key) else { continue }
            guard let tombstone = Tombstone(key: key, bytes) else {
                throw SignetError(.newerFormat, "The directory holds an erasure that only a newer version can finish.")
            }
            tombstones.append(tombstone)
        }
        return tombstones
    }

    /// The highest event number that a finished erasure has recorded; 0 before the first.
    ///
    /// - Throws: What the disk says.
    static func erasedUpTo(in store: StateStore) throws(SignetError) -> UInt64 {
        do throws(SignetError) {
            guard let bytes = try store.value(for: StateKey.erasedUpTo) else { return 0 }
            var reader = ByteReader(bytes)
            if let last = reader.read(UInt64.self) { return last }
        } catch {
            guard error.isDamage else { throw error }
        }
        // The records themselves tell, which takes as long as to read them all.
        return try ErasureRecovery.inheritedUpTo(in: store)
    }

    /// Writes down up to which event an erasure goes, before its tombstone is flushed for the last time.
    ///
    /// Inheritances keep that number after the erasure. A loss of power can take the journal back to before it. If the journal
    /// gave the number again, a later event would be taken for one of the erased user, and would wait for ever.
    ///
    /// - Throws: What the disk says.
    static func note(erasedUpTo last: UInt64, in store: StateStore) throws(SignetError) {
        guard try last > self.erasedUpTo(in: store) else { return }
        var writer = ByteWriter(reservingCapacity: 8)
        writer.write(last)
        try store.put(writer.bytes, for: StateKey.erasedUpTo)
    }
}
