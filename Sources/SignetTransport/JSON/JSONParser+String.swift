// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Reads a string, the position at its opening quote.
    mutating func string() throws(JSONError) -> String {
        self.position += 1
        let start = self.position
        self.position = JSONText.endOfPlainRun(in: self.bytes, from: start)
        if self.current == UInt8(ascii: "\"") {
            let raw = UnsafeBufferPointer(rebasing: self.bytes[start..<self.position])
            guard let text = String(validating: raw, as: UTF8.self) else {
                throw self.invalidUTF8(from: start, to: self.position)
            }
            self.position += 1
            return text
        }
        return try self.stringWithEscapes(from: start)
    }

    /// Continues at the first byte that is not plain, and decodes the escapes.
    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var collected = Array(self.bytes[start..<self.position])
        while true {
            switch self.current {
            case UInt8(ascii: "\""):
                // An escape stands for whole characters, never for a part of one, so the raw bytes are valid if these
                // are.
                guard let text = String(validating: collected, as: UTF8.self) else {
                    throw self.invalidUTF8(from: start, to: self.position)
                }
                self.position += 1
                return text
            case UInt8(ascii: "\\"):
                try self.escape(into: &collected)
            case nil:
                throw self.expected("the end of a string")
            default:
                throw self.error(.invalidText, "a control character must be escaped")
            }
            let run = self.position
            self.position = JSONText.endOfPlainRun(in: self.bytes, from: run)
            collected.append(contentsOf: self.bytes[run..<self.position])
        }
    }

    private mutating func escape(into collected: inout [UInt8]) throws(JSONError) {
        let start = self.position
        self.position += 1
        guard let letter = self.current else { throw self.expected("an escape") }
        self.position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            collected.append(letter)
        case UInt8(ascii: "b"):
            collected.append(0x08)
        case UInt8(ascii: "f"):
            collected.append(0x0C)
        case UInt8(ascii: "n"):
            collected.append(0x0A)
        case UInt8(ascii: "r"):
            collected.append(0x0D)
        case UInt8(ascii: "t"):
            collected.append(0x09)
        case UInt8(ascii: "u"):
            collected.append(contentsOf: try self.escapedScalar(from: start).utf8)
        default:
            throw self.error(.invalidText, at: start, "an unknown escape")
        }
    }

    /// Reads the digits of `\uXXXX`, and the second half of a surrogate pair if the first half needs it.
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try self.fourHexDigits()
        if let scalar = Unicode.Scalar(first) {
            return scalar
        }
        // A first half is below 0xDC00, and `\u` with a second half must follow.
        if first < 0xDC00, self.current == UInt8(ascii: "\\") {
            self.position += 1
            if self.current == UInt8(ascii: "u") {
                self.position += 1
                let second = try self.fourHexDigits()
                if (0xDC00...0xDFFF).contains(second),
                    let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
                {
                    return scalar
                }
            }
        }
        guard first >= 0xDC00 || self.position < self.bytes.count else {
            throw self.expected("the second half of a surrogate pair")
        }
        throw self.error(.invalidText, at: start, "half of a surrogate pair")
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = self.current else { throw self.expected("a hexadecimal digit") }
            guard let digit = Hexadecimal.value(of: byte) else {
                throw self.error(.invalidText, "expected a hexadecimal digit")
            }
            value = value << 4 | UInt32(digit)
            self.position += 1
        }
        return value
    }

    /// Finds the first bad byte again, slowly; this happens at most once per document.
    private func invalidUTF8(from start: Int, to end: Int) -> JSONError {
        var offset = start
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = self.bytes[start..<end].makeIterator()
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            offset += scalar.count
        }
        return self.error(.invalidText, at: offset, "bytes that are not UTF-8")
    }

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
