// SPDX-License-Identifier: Apache-2.0

/// ``SampleEvent`` as a program without Signet would write it: a value that `JSONEncoder` encodes, with the same members.
struct PlainEvent: Codable, Equatable {
    struct Details: Codable, Equatable {
        let time: Int64
        let messageID: String
        let sessionID: Int64
        let sessionUUID: String
        let sessionStart: Int64
        let kind: String
        let name: String
        let attributes: [String: String]

        private enum CodingKeys: String, CodingKey {
            case time = "timestamp_unixtime_ms"
            case messageID = "source_message_id"
            case sessionID = "session_id"
            case sessionUUID = "session_uuid"
            case sessionStart = "session_start_unixtime_ms"
            case kind = "custom_event_type"
            case name = "event_name"
            case attributes = "custom_attributes"
        }
    }

    let type: String
    let details: Details

    private enum CodingKeys: String, CodingKey {
        case type = "event_type"
        case details = "data"
    }

    /// Makes an event in the session of ``HandEncoder/sampleSession``.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - milliseconds: The time of the call.
    ///   - messageID: Its id.
    init(number: Int, milliseconds: Int64, messageID: String) {
        self.type = "custom_event"
        self.details = Details(
            time: milliseconds,
            messageID: messageID,
            sessionID: -4_611_686_018_427_387_904,
            sessionUUID: "01234567-89AB-4DEF-8123-456789ABCDEF",
            sessionStart: 1_763_700_000_000,
            kind: "other",
            name: SampleEvent.name,
            attributes: [
                "level": String(SampleEvent.level(of: number)),
                "mode": SampleEvent.mode,
                "n": String(number),
                "ok": "true",
                "p": "0",
                "score": String(SampleEvent.score(of: number)),
            ]
        )
    }
}
