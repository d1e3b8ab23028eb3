// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// A pending alias request, as persisted.
struct AliasRecord: Sendable, Hashable {
    /// The id of the request, the same for every try.
    let id: UUID
    /// The installation on which the alias was requested.
    let installation: InstallationID
    /// The permanent id of the installation.
    let deviceApplicationStamp: UUID
    let source: MPID
    let destination: MPID
    /// The beginning of the window, in milliseconds since 1970.
    let start: Int64
    /// The end of the window, in milliseconds since 1970.
    let end: Int64
    /// The last event of the journal at the request; all events up to it are sent first.
    let lastEvent: UInt64

    private static let version: UInt8 = 1

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 96)
        writer.write(Self.version)
        writer.write(raw: self.id.bytes)
        writer.write(self.installation.rawValue)
        writer.write(raw: self.deviceApplicationStamp.bytes)
        writer.write(self.source.rawValue)
        writer.write(self.destination.rawValue)
        writer.write(self.start)
        writer.write(self.end)
        writer.write(self.lastEvent)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not an alias record.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version,
            let id = reader.read(count: 16).flatMap({ UUID(bytes: $0) }),
            let installation = reader.readText(),
            let stamp = reader.read(count: 16).flatMap({ UUID(bytes: $0) }),
            let source = reader.read(Int64.self).flatMap(MPID.init(rawValue:)),
            let destination = reader.read(Int64.self).flatMap(MPID.init(rawValue:)),
            let start = reader.read(Int64.self), let end = reader.read(Int64.self),
            let lastEvent = reader.read(UInt64.self)
        else { return nil }
        self.init(
            id: id,
            installation: InstallationID(installation),
            deviceApplicationStamp: stamp,
            source: source,
            destination: destination,
            start: start,
            end: end,
            lastEvent: lastEvent
        )
    }

    init(
        id: UUID,
        installation: InstallationID,
        deviceApplicationStamp: UUID,
        source: MPID,
        destination: MPID,
        start: Int64,
        end: Int64,
        lastEvent: UInt64
    ) {
        self.id = id
        self.installation = installation
        self.deviceApplicationStamp = deviceApplicationStamp
        self.source = source
        self.destination = destination
        self.start = start
        self.end = end
        self.lastEvent = lastEvent
    }
}
