//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// What batching must know of an event, kept beside its JSON so that batching never parses.
struct EventTag: Sendable, Hashable {
    /// How soon an event wants to be delivered.
    enum Urgency: UInt8, Sendable {
        /// With the next regular upload.
        case regular = 0
        /// At once: within the linger time.
        case prompt = 1
    }

    /// Where it was logged.
    let installation: InstallationID
    /// Whose it is; nil when nobody was known, then it waits for the first user.
    let mpid: MPID?
    /// The permanent id of the installation.
    let deviceApplicationStamp: UUID
    /// How soon.
    let urgency: Urgency

    private static let version: UInt8 = 1

    init(installation: InstallationID, mpid: MPID?, deviceApplicationStamp: UUID, urgency: Urgency) {
        self.installation = installation
        self.mpid = mpid
        self.deviceApplicationStamp = deviceApplicationStamp
        self.urgency = urgency
    }

    /// The bytes beside the JSON.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 28 + self.installation.rawValue.utf8.count)
        writer.write(Self.version)
        writer.write(self.urgency.rawValue)
        writer.write(self.mpid?.rawValue ?? 0)
        writer.write(raw: self.deviceApplicationStamp.bytes)
        writer.write(self.installation.rawValue)
        return writer.bytes
    }

    /// Reads the bytes; nil when they are something else.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version,
            let urgency = reader.read(UInt8.self).flatMap(Urgency.init(rawValue:)),
            let mpid = reader.read(Int64.self),
            let stamp = reader.read(count: 16).flatMap({ UUID(bytes: $0) }),
            let installation = reader.readText()
        else { return nil }
        self.init(
            installation: InstallationID(installation),
            mpid: MPID(rawValue: mpid),
            deviceApplicationStamp: stamp,
            urgency: urgency
        )
    }
}
