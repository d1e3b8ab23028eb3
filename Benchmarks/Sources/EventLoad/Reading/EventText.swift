// SPDX-License-Identifier: Apache-2.0

/// What an event of the load says about itself, read from its JSON without a JSON reader.
struct EventText: Sendable, Hashable {
    /// Who logged it.
    let producer: Int
    /// Which of that producer's events it is.
    let number: Int
    /// A hash of `source_message_id`.
    let messageID: UInt64
    /// A hash of all its bytes.
    let bytes: UInt64

    init(producer: Int, number: Int, messageID: UInt64, bytes: UInt64) {
        self.producer = producer
        self.number = number
        self.messageID = messageID
        self.bytes = bytes
    }

    /// Reads an event; nil when it is none of ours, such as the begin of a session.
    ///
    /// - Parameter json: One event, as it stands in a journal or a batch.
    init?(_ json: UnsafeRawBufferPointer) {
        guard
            let idKey = Bytes.find("\"source_message_id\":\"", in: json, from: 0),
            let attributesKey = Bytes.find("\"custom_attributes\":{", in: json, from: 0),
            let producer = Self.number("\"p\":\"", in: json, from: attributesKey),
            let number = Self.number("\"n\":\"", in: json, from: attributesKey)
        else { return nil }
        let id = idKey + 21
        guard id + 36 <= json.count else { return nil }
        self.producer = producer
        self.number = number
        self.messageID = Bytes.hash(json[id..<id + 36])
        self.bytes = Bytes.hash(json)
    }

    private static func number(_ key: StaticString, in json: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let place = Bytes.find(key, in: json, from: start) else { return nil }
        var value = 0
        for byte in json[(place + key.utf8CodeUnitCount)...] {
            guard byte != UInt8(ascii: "\"") else { return value }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value &* 10 &+ Int(byte - UInt8(ascii: "0"))
        }
        return nil
    }

    /// Looks at each event of a request's body, a batch or an array of batches.
    ///
    /// - Parameters:
    ///   - body: The JSON.
    ///   - visit: Gets the bytes of one event.
    /// - Returns: Whether the body had the form that it should have.
    static func each(in body: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer) -> Void) -> Bool {
        var place = 0
        var isWellFormed = true
        while let list = Bytes.find("\"events\":[", in: body, from: place) {
            place = list + 10
            while place < body.count, body[place] == UInt8(ascii: "{") {
                guard let end = Self.end(ofObjectAt: place, in: body) else { return false }
                visit(UnsafeRawBufferPointer(rebasing: body[place..<end]))
                place = end
                if place < body.count, body[place] == UInt8(ascii: ",") { place += 1 }
            }
            isWellFormed = isWellFormed && place < body.count && body[place] == UInt8(ascii: "]")
        }
        return isWellFormed
    }

    private static func end(ofObjectAt start: Int, in body: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var isText = false
        var place = start
        while place < body.count {
            let byte = body[place]
            if isText {
                if byte == UInt8(ascii: "\\") {
                    place += 1
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return place + 1 }
            }
            place += 1
        }
        return nil
    }
}
