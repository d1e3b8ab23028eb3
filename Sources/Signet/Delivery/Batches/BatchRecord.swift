// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// An in-flight batch as stored on disk: the same id and the same bytes for every try, across restarts.
struct BatchRecord: Sendable, Hashable {
    /// The location of the bytes.
    enum Content: Sendable, Hashable {
        /// The JSON up to the first event; the events follow from the journal, comma between, then ``tail``.
        case head([UInt8])
        /// All bytes: the app changed the batch, or it was a dead letter before.
        case whole([UInt8])
    }

    /// The id by which the platform recognises a repeated batch.
    let id: UUID
    /// The number of the installation that logged the events; 0 if it is no longer known.
    let installation: UInt32
    /// The MPID of the user of the events; nil if it is no longer known.
    let mpid: MPID?
    /// The journal's numbers of the events; empty for a former dead letter.
    let sequences: SequenceList
    /// The number of events.
    let events: Int
    /// The bytes of the body.
    let size: Int
    /// The bytes, or those that are not in the journal.
    let content: Content
    /// The number of the last removal of attributes that the batch reports; zero for none.
    let removals: Int64

    /// The bytes that close the list of events and the batch.
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

    /// Returns the same batch with other events or bytes.
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

    /// Returns the bytes on disk.
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

    /// Reads the bytes on disk; nil if they are not a batch.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        // Version 2 reports no removals.
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
