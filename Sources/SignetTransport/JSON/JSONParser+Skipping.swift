// SPDX-License-Identifier: Apache-2.0

// Parts that are left out: their ends are found, and nothing else of them is looked at.
extension JSONParser {
    /// Steps over a string, the position at its opening quote.
    mutating func skipString() throws(JSONError) {
        self.position += 1
        while let byte = self.current {
            self.position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
        throw self.ended("a string")
    }

    /// Steps over an array or an object, the position at its opening bracket, however deep it is.
    mutating func skipNested() throws(JSONError) {
        var depth = 0
        while let byte = self.current {
            switch byte {
            case UInt8(ascii: "\""):
                try self.skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            self.position += 1
            if depth == 0 { return }
        }
        throw self.ended("an array or an object")
    }

    private func ended(_ what: String) -> JSONError {
        self.error(.truncated, at: self.bytes.count, "expected the end of \(what)")
    }
}
