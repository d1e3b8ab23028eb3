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
    /// The id that the platform recognises a repetition by.
    let id: UUID
    /// Where the events were logged.
    let installation: InstallationID
    /// Whose events.
    let mpid: MPID
    /// The journal's numbers of the events, ascending.
    let sequences: [UInt64]
    /// The JSON up to the first event; the events follow, comma between, then ``tail``.
    let head: [UInt8]

    /// What closes the list of events and the batch.
    static let tail: [UInt8] = Array("]}".utf8)

    private static let version: UInt8 = 1

    init(id: UUID, installation: InstallationID, mpid: MPID, sequences: [UInt64], head: [UInt8]) {
        self.id = id
        self.installation = installation
        self.mpid = mpid
        self.sequences = sequences
        self.head = head
    }

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 64 + 8 * self.sequences.count + self.head.count)
        writer.write(Self.version)
        writer.write(raw: self.id.bytes)
        writer.write(self.installation.rawValue)
        writer.write(self.mpid.rawValue)
        writer.write(UInt32(self.sequences.count))
        for sequence in self.sequences { writer.write(sequence) }
        writer.write(raw: self.head)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil when they are something else.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version,
            let id = reader.read(count: 16).flatMap({ UUID(bytes: $0) }),
            let installation = reader.readText(),
            let mpid = reader.read(Int64.self).flatMap(MPID.init(rawValue:)),
            let count = reader.read(UInt32.self)
        else { return nil }
        var sequences: [UInt64] = []
        for _ in 0..<count {
            guard let sequence = reader.read(UInt64.self) else { return nil }
            sequences.append(sequence)
        }
        self.init(
            id: id,
            installation: InstallationID(installation),
            mpid: mpid,
            sequences: sequences,
            head: Array(reader.rest)
        )
    }

    /// The body of the request.
    ///
    /// - Parameter events: The JSON of each event, in the order of ``sequences``.
    /// - Returns: The JSON of the batch.
    func body(events: [[UInt8]]) -> [UInt8] {
        var body = self.head
        body.reserveCapacity(body.count + events.reduce(Self.tail.count) { $0 + $1.count + 1 })
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: event)
        }
        body.append(contentsOf: Self.tail)
        return body
    }
}
