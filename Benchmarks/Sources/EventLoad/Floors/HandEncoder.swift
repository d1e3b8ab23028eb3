// SPDX-License-Identifier: Apache-2.0

/// Writes the JSON of ``SampleEvent`` by hand, into one buffer that is used again and again: what encoding costs at least.
///
/// It does what cannot be left out: digits of numbers, a message id of its own for each event, and a look at each byte of
/// a text for what must be escaped. Only the session's members are written once, as the runtime does it too.
struct HandEncoder {
    private let buffer: UnsafeMutableRawBufferPointer
    private let session: [UInt8]
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - buffer: Room for 1,024 bytes.
    ///   - session: The members of the session, each behind its comma.
    init(into buffer: UnsafeMutableRawBufferPointer, session: String = Self.sampleSession) {
        self.buffer = buffer
        self.session = Array(session.utf8)
    }

    /// Members of a session as long as real ones.
    static let sampleSession =
        ",\"session_id\":-4611686018427387904,\"session_uuid\":\"01234567-89AB-4DEF-8123-456789ABCDEF\""
        + ",\"session_start_unixtime_ms\":1763700000000"

    /// Writes an event.
    ///
    /// - Parameters:
    ///   - producer: Whose it is.
    ///   - number: Which one.
    ///   - milliseconds: The time of the call.
    ///   - messageID: Its id; a new one when nil.
    /// - Returns: How many bytes were written.
    mutating func encode(producer: Int, number: Int, milliseconds: Int64, messageID: [UInt8]? = nil) -> Int {
        var place = 0
        self.put("{\"event_type\":\"custom_event\",\"data\":{\"timestamp_unixtime_ms\":", &place)
        self.put(milliseconds, &place)
        self.put(",\"source_message_id\":\"", &place)
        if let messageID {
            for byte in messageID {
                self.buffer[place] = byte
                place += 1
            }
        } else {
            self.putID(&place)
        }
        self.put("\"", &place)
        self.session.withUnsafeBytes { session in
            self.put(session, &place)
        }
        self.put(",\"custom_event_type\":\"other\",\"event_name\":\"", &place)
        self.put(escaping: SampleEvent.name, &place)
        self.put("\",\"custom_attributes\":{\"", &place)
        self.put(key: "level", SampleEvent.level(of: number), &place)
        self.put(escaping: "mode", &place)
        self.put("\":\"", &place)
        self.put(escaping: SampleEvent.mode, &place)
        self.put("\",\"", &place)
        self.put(key: "n", Int64(number), &place)
        self.put(escaping: "ok", &place)
        self.put("\":\"true\",\"", &place)
        self.put(key: "p", Int64(producer), &place)
        self.put(escaping: "score", &place)
        self.put("\":\"", &place)
        self.put(SampleEvent.score(of: number), &place)
        self.put("\"}}}", &place)
        return place
    }

    private mutating func put(key: String, _ value: Int64, _ place: inout Int) {
        self.put(escaping: key, &place)
        self.put("\":\"", &place)
        self.put(value, &place)
        self.put("\",\"", &place)
    }

    private func put(_ text: StaticString, _ place: inout Int) {
        self.put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), &place)
    }

    private func put(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) {
        UnsafeMutableRawBufferPointer(rebasing: self.buffer[place..<place + bytes.count]).copyMemory(from: bytes)
        place += bytes.count
    }

    // Escapes are none in the sample; that there are none is looked at all the same.
    private func put(escaping text: String, _ place: inout Int) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes {
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    self.buffer[place] = UInt8(ascii: "\\")
                    place += 1
                }
                self.buffer[place] = byte
                place += 1
            }
        }
    }

    private func put(_ value: Int64, _ place: inout Int) {
        var rest = value.magnitude
        var length = 1
        var limit: UInt64 = 10
        while length < 19, rest >= limit {
            length += 1
            limit &*= 10
        }
        for position in stride(from: place + length - 1, through: place, by: -1) {
            self.buffer[position] = UInt8(truncatingIfNeeded: UInt64(UInt8(ascii: "0")) + rest % 10)
            rest /= 10
        }
        place += length
    }

    private static let digits: StaticString = "0123456789ABCDEF"

    // 128 bits of SplitMix64 in the form of a UUID, version 4.
    private mutating func putID(_ place: inout Int) {
        for half in 0..<2 {
            var bits = self.next()
            if half == 0 {
                bits = bits & ~0xF000 | 0x4000
            } else {
                bits = bits & ~(3 << 62) | 2 << 62
            }
            for byte in 0..<8 {
                if (half == 0 && (byte == 4 || byte == 6)) || (half == 1 && (byte == 0 || byte == 2)) {
                    self.buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                let value = Int(truncatingIfNeeded: bits >> UInt64(56 - 8 * byte)) & 0xFF
                self.buffer[place] = Self.digits.utf8Start[value >> 4]
                self.buffer[place + 1] = Self.digits.utf8Start[value & 0xF]
                place += 2
            }
        }
    }

    private mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

extension HandEncoder {
    /// Whether it writes the bytes that the runtime has written for an event.
    static func writesSame(as json: UnsafeRawBufferPointer, _ event: EventText) -> Bool {
        guard
            let time = Bytes.find("\"timestamp_unixtime_ms\":", in: json, from: 0),
            let id = Bytes.find("\"source_message_id\":\"", in: json, from: 0),
            let kind = Bytes.find(",\"custom_event_type\"", in: json, from: 0),
            let milliseconds = Int64(
                String(decoding: json[(time + 24)...].prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
            ),
            id + 21 + 37 <= kind
        else { return false }
        let session = String(decoding: json[(id + 21 + 37)..<kind], as: UTF8.self)
        return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 8) { buffer in
            var encoder = HandEncoder(into: buffer, session: session)
            let count = encoder.encode(
                producer: event.producer,
                number: event.number,
                milliseconds: milliseconds,
                messageID: Array(json[(id + 21)..<(id + 57)])
            )
            return buffer[..<count].elementsEqual(json)
        }
    }
}
