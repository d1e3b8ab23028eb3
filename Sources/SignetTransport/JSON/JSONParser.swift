// SPDX-License-Identifier: Apache-2.0

/// The state of reading one document.
///
/// The parser borrows the bytes and must not outlive them. Recursion is as deep as the document, which the limits
/// bound.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    private let limits: JSONLimits
    private let depthLimit: Int
    private let faults: JSONFaults
    private var values = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits, faults: JSONFaults = .refused) {
        self.bytes = bytes
        self.limits = limits
        self.depthLimit = min(limits.depth, JSONLimits.maximumDepth)
        self.faults = faults
    }

    /// Reads the value and the white space around it, to the last byte.
    mutating func document() throws(JSONError) -> JSONValue {
        if self.faults == .leftOut, self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.position = 3 }
        self.skipWhiteSpace()
        let value = try self.value(depth: 0)
        self.skipWhiteSpace()
        guard self.position == self.bytes.count else {
            throw self.error(.invalidSyntax, "expected the end of the document")
        }
        return value
    }

    /// The byte at the position; nil at the end.
    var current: UInt8? {
        self.position < self.bytes.count ? self.bytes[self.position] : nil
    }

    func error(_ code: JSONError.Code, at offset: Int? = nil, _ message: String) -> JSONError {
        JSONError(code, offset: offset ?? self.position, message)
    }

    /// Makes the error for a missing element: `truncated` at the end, otherwise `invalidSyntax`.
    func expected(_ what: String) -> JSONError {
        self.error(self.position < self.bytes.count ? .invalidSyntax : .truncated, "expected \(what)")
    }

    private mutating func skipWhiteSpace() {
        while let byte = self.current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            self.position += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        self.values += 1
        guard self.values <= self.limits.values else {
            throw self.error(.tooManyValues, "more than \(self.limits.values) values")
        }
        if self.faults == .leftOut, depth >= self.depthLimit,
            self.current == UInt8(ascii: "{") || self.current == UInt8(ascii: "[")
        {
            try self.skipNested()
            return .null
        }
        switch self.current {
        case UInt8(ascii: "\""):
            return try self.text().map(JSONValue.string) ?? .null
        case UInt8(ascii: "{"):
            return .object(try self.object(depth: depth + 1))
        case UInt8(ascii: "["):
            return .array(try self.array(depth: depth + 1))
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            return .number(try self.number())
        case UInt8(ascii: "t"):
            try self.literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try self.literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try self.literal("null")
            return .null
        default:
            throw self.expected("a value")
        }
    }

    /// Reads a string; nil for one that is left out.
    private mutating func text() throws(JSONError) -> String? {
        let start = self.position
        do throws(JSONError) {
            return try self.string()
        } catch {
            guard self.faults == .leftOut, error.code == .invalidText else { throw error }
            self.position = start
            try self.skipString()
            return nil
        }
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard self.current == text.utf8Start[index] else { throw self.expected("the literal \(text)") }
            self.position += 1
        }
    }

    /// Steps over the opening bracket and the white space after it.
    private mutating func open(depth: Int) throws(JSONError) {
        guard depth <= self.depthLimit else {
            throw self.error(.tooDeep, "nested deeper than \(self.depthLimit)")
        }
        self.position += 1
        self.skipWhiteSpace()
    }

    /// Steps over a comma to the next element, or over the closing bracket; false at the bracket.
    private mutating func hasNext(before close: UInt8, _ what: StaticString) throws(JSONError) -> Bool {
        self.skipWhiteSpace()
        switch self.current {
        case UInt8(ascii: ","):
            self.position += 1
            self.skipWhiteSpace()
            return true
        case close:
            self.position += 1
            return false
        default:
            throw self.expected("\(what)")
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        try self.open(depth: depth)
        var elements: [JSONValue] = []
        if self.current == UInt8(ascii: "]") {
            self.position += 1
            return elements
        }
        repeat {
            elements.append(try self.value(depth: depth))
        } while try self.hasNext(before: UInt8(ascii: "]"), "a comma or the end of the array")
        return elements
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        try self.open(depth: depth)
        var members = JSONObject()
        if self.current == UInt8(ascii: "}") {
            self.position += 1
            return members
        }
        repeat {
            let start = self.position
            guard self.current == UInt8(ascii: "\"") else { throw self.expected("the name of a member") }
            let key = try self.text()
            self.skipWhiteSpace()
            guard self.current == UInt8(ascii: ":") else { throw self.expected("a colon") }
            self.position += 1
            self.skipWhiteSpace()
            let value = try self.value(depth: depth)
            guard let key else { continue }
            guard !members.append(key: key, value: value) else { continue }
            guard self.faults == .leftOut else {
                throw self.error(.duplicateKey, at: start, "two members of one name")
            }
            members[key] = value
        } while try self.hasNext(before: UInt8(ascii: "}"), "a comma or the end of the object")
        return members
    }
}
