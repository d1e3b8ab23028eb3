//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// A batch on its way, as kept on disk: the same id and the same bytes for every try, across restarts.
struct BatchRecord: Sendable, Hashable {
    /// Where the bytes are.
    enum Content: Sendable, Hashable {
        /// The JSON up to the first event; the events follow from the journal, comma between, then ``tail``.
        case head([UInt8])
        /// All of them: the app changed the batch, or it was set aside before.
        case whole([UInt8])
    }

    /// The id that the platform recognises a repetition by.
    let id: UUID
    /// The number of the installation where the events were logged; 0 when it is not known any more.
    let installation: UInt32
    /// Whose events; nil when it is not known any more.
    let mpid: MPID?
    /// The journal's numbers of the events; empty for what was set aside before.
    let sequences: SequenceList
    /// How many events it has.
    let events: Int
    /// The bytes of the body.
    let size: Int
    /// The bytes, or those that are not in the journal.
    let content: Content
    /// Up to which removal of attributes it tells of them; zero for none.
    let removals: Int64

    /// What closes the list of events and the batch.
    static let tail: [UInt8] = Array("]}".utf8)

    private static let version: UInt8 = 3

    init(
        id: UUID,
        installation: UInt32,
        mpid: MPID?,
        sequences: SequenceList,
        events: Int,
        size: Int,
        content: Content,
        removals: Int64 = 0
    ) {
        self.id = id
        self.installation = installation
        self.mpid = mpid
        self.sequences = sequences
        self.events = events
        self.size = size
        self.content = content
        self.removals = removals
    }

    /// The same batch with other events or bytes.
    func replacing(events: Int, size: Int, content: Content) -> BatchRecord {
        BatchRecord(
            id: self.id,
            installation: self.installation,
            mpid: self.mpid,
            sequences: self.sequences,
            events: events,
            size: size,
            content: content,
            removals: self.removals
        )
    }

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        let (kind, bytes): (UInt8, [UInt8]) =
            switch self.content {
            case .head(let head): (0, head)
            case .whole(let body): (1, body)
            }
        var writer = ByteWriter(reservingCapacity: 64 + 2 * self.sequences.count + bytes.count)
        writer.write(Self.version)
        writer.write(kind)
        writer.write(raw: self.id.bytes)
        writer.write(self.installation)
        writer.write(self.mpid?.rawValue ?? 0)
        writer.write(UInt32(clamping: self.events))
        writer.write(UInt32(clamping: self.size))
        writer.write(self.removals)
        self.sequences.write(to: &writer)
        writer.write(raw: bytes)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil when they are something else.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        // Version 2 tells of no removals.
        guard let version = reader.read(UInt8.self), (2...Self.version).contains(version),
            let kind = reader.read(UInt8.self), kind <= 1,
            let id = reader.read(count: 16).flatMap({ UUID(bytes: $0) }),
            let installation = reader.read(UInt32.self),
            let mpid = reader.read(Int64.self),
            let events = reader.read(UInt32.self),
            let size = reader.read(UInt32.self),
            let removals = version < 3 ? 0 : reader.read(Int64.self),
            let sequences = SequenceList(&reader)
        else { return nil }
        let rest = Array(reader.rest)
        self.init(
            id: id,
            installation: installation,
            mpid: MPID(rawValue: mpid),
            sequences: sequences,
            events: Int(events),
            size: Int(size),
            content: kind == 0 ? .head(rest) : .whole(rest),
            removals: removals
        )
    }
}
