// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

extension EventBody {
    /// The previous session, as the start of the next one reports it.
    package struct EarlierSession: Sendable, Hashable {
        package var uuid: UUID
        /// The start, in milliseconds since 1970.
        package var start: Int64
        /// The length in milliseconds.
        package var length: Int64

        package init(uuid: UUID, start: Int64, length: Int64) {
            self.uuid = uuid
            self.start = start
            self.length = length
        }
    }

    /// The data of the end of a session.
    package struct SessionAccounts: Sendable, Hashable {
        /// The length of the session in milliseconds.
        package var length: Int64
        /// The time in the foreground within that, in milliseconds.
        package var foregroundLength: Int64
        /// The number of events.
        package var events: Int
        /// The users who were current, in order; a user who returns is listed again.
        package var mpids: [MPID]
        /// The session attributes that the app set.
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

    /// Writes the details of the start of a session.
    ///
    /// The Events API has no fields for the previous session: attributes carry it.
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

    /// The names of the attributes that the end of a session adds by itself, in lower case.
    package static let sessionNames: Set<String> = [
        Self.foregroundTime.lowercased(), Self.eventCount.lowercased(), Self.sessionMPIDs.lowercased(),
    ]

    /// Writes the details of the end of a session.
    ///
    /// The Events API has a field for the length only: attributes carry the rest, after those that the app set.
    package static func sessionEnd(_ accounts: SessionAccounts) -> EventDetails {
        var writer = JSONWriter(continuingObjectReserving: 192)
        writer.member("session_duration_ms", accounts.length)
        var added: [(key: String, value: AttributeValue)] = accounts.attributes.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
        added.append((Self.foregroundTime, .integer(accounts.foregroundLength)))
        added.append((Self.eventCount, .integer(Int64(accounts.events))))
        // Limited to the length of an attribute value: 20 characters each, and a comma.
        let mpids = accounts.mpids.prefix((EventLimits.valueLength + 1) / 21).map { String($0.rawValue) }
        if !mpids.isEmpty { added.append((Self.sessionMPIDs, .string(mpids.joined(separator: ",")))) }
        Self.write(Attributes(), added, to: &writer)
        return Self.end(EventKind("session_end"), &writer)
    }

    /// The size of the app's session attributes in the end of a session, in bytes of JSON.
    package static func size(ofSession attributes: [String: AttributeValue]) -> Int {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.beginObject()
        Self.write(Attributes(), attributes.map { ($0.key, $0.value) }, to: &writer)
        writer.endObject()
        return writer.bytes.count
    }
}
