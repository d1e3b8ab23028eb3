// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Reads a number (RFC 8259, section 6) and keeps its text.
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = self.position
        if self.current == UInt8(ascii: "-") {
            self.position += 1
        }
        if self.current == UInt8(ascii: "0") {
            self.position += 1
            if let byte = self.current, Self.isDigit(byte) {
                throw self.error(.invalidSyntax, "a number has a leading zero")
            }
        } else {
            try self.digits()
        }
        if self.current == UInt8(ascii: ".") {
            self.position += 1
            try self.digits()
        }
        if let byte = self.current, byte | 0x20 == UInt8(ascii: "e") {
            self.position += 1
            if let sign = self.current, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                self.position += 1
            }
            try self.digits()
        }
        return JSONNumber(checkedText: String(decoding: self.bytes[start..<self.position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = self.position
        while let byte = self.current, Self.isDigit(byte) {
            self.position += 1
        }
        guard self.position > start else { throw self.expected("a digit") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
