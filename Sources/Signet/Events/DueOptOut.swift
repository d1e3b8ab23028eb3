// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// An opt-out, or the end of one, whose event may not be in the journal yet.
///
/// It is written before the choice and removed when the event is safe. A later process that finds it logs the event,
/// unless the journal has one with that id.
struct DueOptOut: Sendable, Hashable {
    /// True for an opt-out, false for the end of one.
    let isOptedOut: Bool
    /// The time of the choice, milliseconds since 1970.
    let milliseconds: Int64
    /// The id of its event, also if a later process logs it.
    let messageID: UUID

    private static let version: UInt8 = 1

    init(isOptedOut: Bool, milliseconds: Int64, messageID: UUID) {
        self.isOptedOut = isOptedOut
        self.milliseconds = milliseconds
        self.messageID = messageID
    }

    /// Returns the bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(UInt8(self.isOptedOut ? 1 : 0))
        writer.write(self.milliseconds)
        writer.write(raw: self.messageID.bytes)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not an opt-out.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version, let isOptedOut = reader.read(UInt8.self), isOptedOut < 2,
            let milliseconds = reader.read(Int64.self),
            let messageID = UUID(bytes: reader.rest)
        else { return nil }
        self.init(isOptedOut: isOptedOut == 1, milliseconds: milliseconds, messageID: messageID)
    }
}
