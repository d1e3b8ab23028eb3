// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import SignetWire
import Testing

extension Samples {
    static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    static func accounts(_ length: Int64) -> EventBody.SessionAccounts {
        EventBody.SessionAccounts(length: length, foregroundLength: length, events: 0)
    }

    static func mpid(_ number: Int64) throws -> MPID {
        try #require(MPID(rawValue: number))
    }

    static let session = Session(
        uuid: UUID(uuid: (0xAB, 0xCD, 0xEF, 1, 2, 3, 0x44, 5, 0x86, 7, 8, 9, 10, 11, 12, 13)),
        startTime: Date(timeIntervalSince1970: 1_699_999_990.5)
    )

    static let stamp = EventStamp(milliseconds: Self.milliseconds, session: Self.session, messageID: Self.uuid(9))
}

/// The time, the session and the id of an event.
struct EventStamp {
    var milliseconds: Int64
    var session: Session?
    var messageID: UUID
}

extension EventBody {
    /// An event as the runtime writes it: the head, then the details.
    static func encode(_ details: EventDetails, stamp: EventStamp) -> [UInt8] {
        let head = [UInt8](unsafeUninitializedCapacity: EventHead.maximumCount) { buffer, count in
            count = EventHead.write(
                details.kind,
                milliseconds: stamp.milliseconds,
                messageID: stamp.messageID,
                session: stamp.session.map { SessionMembers($0) },
                to: UnsafeMutableRawBufferPointer(buffer)
            )
        }
        return head + details.json
    }

    static func encode(_ event: Event, stamp: EventStamp) -> [UInt8] {
        Self.encode(Self.details(of: event), stamp: stamp)
    }
}
