// SPDX-License-Identifier: Apache-2.0

/// Bytes of JSON that grow at the end.
///
/// Each append to an array costs as much as the short strings that events consist of. This buffer keeps initialised
/// bytes beyond its end, so that a string with its quotes and punctuation is one step into existing room.
struct JSONBuffer: Sendable {
    private static let smallestCapacity = 64
    /// The length of `-9223372036854775808`.
    private static let longestInteger = 20

    private var storage: [UInt8]
    private(set) var count = 0

    init(capacity: Int) {
        self.storage = [UInt8](repeating: 0, count: max(capacity, Self.smallestCapacity))
    }

    /// A copy of the appended bytes.
    var bytes: [UInt8] {
        Array(self.storage[..<self.count])
    }

    /// Returns the appended bytes without a copy; the buffer is empty afterwards.
    mutating func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &self.storage)
        bytes.removeLast(bytes.count - self.count)
        self.count = 0
        return bytes
    }

    mutating func append(_ byte: UInt8) {
        self.makeRoom(1)
        self.storage[self.count] = byte
        self.count += 1
    }

    /// Appends a byte, if any, and then bytes as they are.
    mutating func append(_ before: UInt8?, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.makeRoom(bytes.count + 1)
        let start = self.count
        self.count = self.storage.withUnsafeMutableBufferPointer { room in
            var end = start
            if let before {
                room[end] = before
                end += 1
            }
            return room[end...].update(fromContentsOf: bytes)
        }
    }

    /// Appends a byte, if any, and then the digits of an integer, between quotes if asked for.
    mutating func append(_ before: UInt8?, _ value: Int64, quote: UInt8? = nil) {
        self.makeRoom(Self.longestInteger + 3)
        let start = self.count
        self.count = self.storage.withUnsafeMutableBufferPointer { room in
            var end = start
            if let before {
                room[end] = before
                end += 1
            }
            if let quote {
                room[end] = quote
                end += 1
            }
            if value < 0 {
                room[end] = UInt8(ascii: "-")
                end += 1
            }
            let firstDigit = end
            var rest = value.magnitude
            repeat {
                room[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                end += 1
                rest /= 10
            } while rest > 0
            room[firstDigit..<end].reverse()
            if let quote {
                room[end] = quote
                end += 1
            }
            return end
        }
    }

    /// Appends a byte, if any, the text in quotes, and another byte, if any.
    mutating func appendQuoted(_ before: UInt8?, _ text: UnsafeBufferPointer<UInt8>, _ after: UInt8?) {
        self.makeRoom(text.count + 4)
        let start = self.count
        let (end, copied) = self.storage.withUnsafeMutableBufferPointer { room in
            var end = start
            if let before {
                room[end] = before
                end += 1
            }
            room[end] = UInt8(ascii: "\"")
            end += 1
            let copied = JSONText.copyPlainRun(of: text, from: 0, to: room, at: end)
            end += copied
            guard copied == text.count else { return (end, copied) }
            room[end] = UInt8(ascii: "\"")
            end += 1
            if let after {
                room[end] = after
                end += 1
            }
            return (end, copied)
        }
        self.count = end
        if copied < text.count {
            self.appendRest(of: text, from: copied, after)
        }
    }

    /// Continues at the first byte that needs an escape.
    private mutating func appendRest(of text: UnsafeBufferPointer<UInt8>, from start: Int, _ after: UInt8?) {
        var position = start
        while position < text.count {
            self.appendEscape(of: text[position])
            position += 1
            self.makeRoom(text.count - position)
            let start = self.count
            let copied = self.storage.withUnsafeMutableBufferPointer { room in
                JSONText.copyPlainRun(of: text, from: position, to: room, at: start)
            }
            self.count += copied
            position += copied
        }
        self.append(UInt8(ascii: "\""))
        if let after {
            self.append(after)
        }
    }

    private mutating func appendEscape(of byte: UInt8) {
        self.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            self.append(byte)
        case 0x08:
            self.append(UInt8(ascii: "b"))
        case 0x09:
            self.append(UInt8(ascii: "t"))
        case 0x0A:
            self.append(UInt8(ascii: "n"))
        case 0x0C:
            self.append(UInt8(ascii: "f"))
        case 0x0D:
            self.append(UInt8(ascii: "r"))
        default:
            self.append(UInt8(ascii: "u"))
            self.append(UInt8(ascii: "0"))
            self.append(UInt8(ascii: "0"))
            self.append(Hexadecimal.digit(byte >> 4))
            self.append(Hexadecimal.digit(byte & 0xF))
        }
    }

    private mutating func makeRoom(_ needed: Int) {
        if self.storage.count - self.count < needed {
            self.storage.append(contentsOf: repeatElement(0, count: max(self.storage.count, needed)))
        }
    }
}
