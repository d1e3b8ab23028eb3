//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

extension EventBody {
    /// The session before, as the begin of the next one tells of it.
    package struct EarlierSession: Sendable, Hashable {
        package var uuid: UUID
        /// When it began, milliseconds since 1970.
        package var start: Int64
        /// How long it was, in milliseconds.
        package var length: Int64

        package init(uuid: UUID, start: Int64, length: Int64) {
            self.uuid = uuid
            self.start = start
            self.length = length
        }
    }

    /// What the end of a session tells beside its length.
    package struct SessionAccounts: Sendable, Hashable {
        /// How long the session was, in milliseconds.
        package var length: Int64
        /// How much of that the app was in the foreground.
        package var foregroundLength: Int64
        /// How many events there were.
        package var events: Int
        /// Who was current, in their order; who comes back is named again.
        package var mpids: [MPID]
        /// What the app said of it.
        package var attributes: [String: AttributeValue]

        package init(
            length: Int64,
            foregroundLength: Int64,
            events: Int,
            mpids: [MPID] = [],
            attributes: [String: AttributeValue] = [:]
        ) {
            self.length = length
            self.foregroundLength = foregroundLength
            self.events = events
            self.mpids = mpids
            self.attributes = attributes
        }
    }

    /// What the begin of a session says beside its head.
    ///
    /// The Events API has no fields for the session before: attributes say it.
    package static func sessionStart(after earlier: EarlierSession? = nil) -> EventDetails {
        var writer = JSONWriter(continuingObjectReserving: 192)
        if let earlier {
            Self.write(
                Attributes(),
                [
                    ("$PreviousSessionUUID", .string(earlier.uuid.uuidString)),
                    ("$PreviousSessionStartMs", .integer(earlier.start)),
                    ("$PreviousSessionLengthMs", .integer(earlier.length)),
                ],
                to: &writer
            )
        }
        return Self.end(EventKind("session_start"), &writer)
    }

    private static let foregroundTime = "$ForegroundTimeMs"
    private static let eventCount = "$EventCount"
    private static let sessionMPIDs = "$SessionMPIDs"

    /// Names of attributes that the end of a session has by itself, in lower case.
    package static let sessionNames: Set<String> = [
        Self.foregroundTime.lowercased(), Self.eventCount.lowercased(), Self.sessionMPIDs.lowercased(),
    ]

    /// What the end of a session says beside its head.
    ///
    /// The Events API has a field for the length alone: attributes say the rest, behind those that the app gave.
    package static func sessionEnd(_ accounts: SessionAccounts) -> EventDetails {
        var writer = JSONWriter(continuingObjectReserving: 192)
        writer.member("session_duration_ms", accounts.length)
        var added: [(key: String, value: AttributeValue)] = accounts.attributes.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
        added.append((Self.foregroundTime, .integer(accounts.foregroundLength)))
        added.append((Self.eventCount, .integer(Int64(accounts.events))))
        // As many as an attribute has room for: 20 characters each, and a comma.
        let mpids = accounts.mpids.prefix((EventLimits.valueLength + 1) / 21).map { String($0.rawValue) }
        if !mpids.isEmpty { added.append((Self.sessionMPIDs, .string(mpids.joined(separator: ",")))) }
        Self.write(Attributes(), added, to: &writer)
        return Self.end(EventKind("session_end"), &writer)
    }

    /// How many bytes of JSON the end of a session has for what the app said of it.
    package static func size(ofSession attributes: [String: AttributeValue]) -> Int {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.beginObject()
        Self.write(Attributes(), attributes.map { ($0.key, $0.value) }, to: &writer)
        writer.endObject()
        return writer.bytes.count
    }
}
