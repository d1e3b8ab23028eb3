// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID

/// One visit: the events between its start and its end belong together.
public struct Session: Sendable, Hashable, Identifiable {
    /// The UUID of the session, which names it everywhere except in numeric fields.
    public let uuid: UUID

    /// The start of the session, in whole milliseconds: the time of the call that began it.
    public let startTime: Date

    /// The number of the session: FNV-1a, 64 bits, over the UTF-16LE bytes of the upper-case UUID text.
    ///
    /// The vendors' SDKs number sessions the same way; events carry it as `session_id`.
    public let id: Int64

    /// Makes a session.
    public init(uuid: UUID, startTime: Date) {
        self.uuid = uuid
        self.startTime = startTime
        // Computed once, not for each event: writing the text of a UUID costs as much as a small event.
        self.id = Self.number(of: uuid)
    }

    private static func number(of uuid: UUID) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for unit in uuid.uuidString.utf16 {
            hash = (hash ^ UInt64(unit & 0xFF)) &* 0x100_0000_01B3
            hash = (hash ^ UInt64(unit >> 8)) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }
}
