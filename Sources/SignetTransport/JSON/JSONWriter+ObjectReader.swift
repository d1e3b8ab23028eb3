// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// Writes a member that is a string.
    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        self.string(value)
    }

    /// Writes a member that is an integer.
    package mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        self.integer(value)
    }

    /// Writes a member that is an integer.
    package mutating func member(_ key: String, _ value: Int) {
        self.member(key, Int64(value))
    }

    /// Writes a member that is a number; NaN and the infinities as `null`.
    package mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        self.double(value)
    }

    /// Writes a member that is `true` or `false`.
    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        self.bool(value)
    }

    /// Writes a member that is any value.
    package mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes any value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null:
            self.null()
        case .bool(let value):
            self.bool(value)
        case .number(let value):
            self.number(value)
        case .string(let value):
            self.string(value)
        case .array(let elements):
            self.beginArray()
            for element in elements {
                self.value(element)
            }
            self.endArray()
        case .object(let members):
            self.beginObject()
            for (key, value) in members {
                self.member(key, value)
            }
            self.endObject()
        }
    }
}
