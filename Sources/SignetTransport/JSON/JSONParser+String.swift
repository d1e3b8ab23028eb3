//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension JSONParser {
    /// Reads a string, the position at its opening quote.
    mutating func string() throws(JSONError) -> String {
        self.position += 1
        let start = self.position
        self.position = JSONText.endOfPlainRun(in: self.bytes, from: start)
        if self.current == UInt8(ascii: "\"") {
            let text = try self.text(of: UnsafeBufferPointer(rebasing: self.bytes[start..<self.position]), at: start)
            self.position += 1
            return text
        }
        return try self.stringWithEscapes(from: start)
    }

    /// Goes on at the first byte that is not plain, and collects what the escapes mean.
    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var run = start
        var collected: [UInt8] = []
        while true {
            // Raw bytes are checked run by run: an escape always means whole characters, so none spans two runs.
            let raw = UnsafeBufferPointer(rebasing: self.bytes[run..<self.position])
            try self.check(raw, at: run)
            collected.append(contentsOf: raw)
            switch self.current {
            case UInt8(ascii: "\""):
                self.position += 1
                return String(decoding: collected, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try self.escape(into: &collected)
            case nil:
                throw self.expected("the end of a string")
            default:
                throw self.error(.invalidText, "a control character must be escaped")
            }
            run = self.position
            self.position = JSONText.endOfPlainRun(in: self.bytes, from: run)
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
            collected.append(contentsOf: Self.utf8(of: try self.escapedScalar(from: start)))
        default:
            throw self.error(.invalidText, at: start, "an unknown escape")
        }
    }

    /// Reads the digits of `\uXXXX`, and the second half of a pair where there must be one.
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> UInt32 {
        let first = try self.fourHexDigits()
        guard (0xD800...0xDFFF).contains(first) else { return first }
        guard first < 0xDC00 else { throw self.error(.invalidText, at: start, "half of a surrogate pair") }
        for byte in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard let found = self.current else { throw self.expected("the second half of a surrogate pair") }
            guard found == byte else { throw self.error(.invalidText, at: start, "half of a surrogate pair") }
            self.position += 1
        }
        let second = try self.fourHexDigits()
        guard (0xDC00...0xDFFF).contains(second) else {
            throw self.error(.invalidText, at: start, "half of a surrogate pair")
        }
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
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

    /// The UTF-8 of a scalar that is no surrogate.
    private static func utf8(of scalar: UInt32) -> [UInt8] {
        Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? []
    }

    private func text(of raw: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONError) -> String {
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw self.invalidUTF8(in: raw, at: offset)
        }
        return text
    }

    private func check(_ raw: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONError) {
        _ = try self.text(of: raw, at: offset)
    }

    /// Finds the first bad byte again, slowly: this happens once per document.
    private func invalidUTF8(in raw: UnsafeBufferPointer<UInt8>, at offset: Int) -> JSONError {
        var good = 0
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = raw.makeIterator()
        while case .valid(let scalar) = decoder.parseScalar(from: &iterator) {
            good += scalar.count
        }
        return self.error(.invalidText, at: offset + good, "bytes that are not UTF-8")
    }
}
