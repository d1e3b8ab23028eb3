// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

/// The JSON object of an answer, which is untrusted.
package struct ReplyObject {
    private let members: JSONObject

    /// Parses a body.
    ///
    /// - Throws: `notJSON` for a body that is not JSON within the limits, also if a member occurs twice; `invalidReply` for
    ///   JSON that is not an object.
    package init(_ bytes: [UInt8]) throws(WireError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            throw WireError(.notJSON, "The answer of \(bytes.count) bytes is not valid JSON: \(error.message)")
        }
        guard let members = value.object else {
            throw WireError(.invalidReply, "The answer is JSON, but not an object.")
        }
        self.members = members
    }

    /// The value of a member; nil if it is missing or null.
    package subscript(key: String) -> JSONValue? {
        guard let value = self.members[key], !value.isNull else { return nil }
        return value
    }

    /// Reads a Boolean: `true`, also as a text, or a number other than 0; anything else is false.
    package func flag(_ key: String) -> Bool {
        switch self[key] {
        case .bool(let flag): flag
        case .string(let text): text.lowercased() == "true"
        case .number(let number): number.int64 != 0
        case .null, .array, .object, nil: false
        }
    }

    /// Reads a text; nil for anything else.
    package func text(_ key: String) -> String? {
        self[key]?.string
    }

    /// Reads a list; empty for anything else.
    package func list(_ key: String) -> [JSONValue] {
        self[key]?.array ?? []
    }

    /// Reads an object; empty for anything else.
    package func object(_ key: String) -> JSONObject {
        self[key]?.object ?? JSONObject()
    }

    /// Reads an MPID; missing or null is nil.
    package func mpid(_ key: String) throws(WireError) -> MPID? {
        guard let value = self[key] else { return nil }
        guard let mpid = value.mpid else {
            throw WireError(.invalidReply, "The member \(key) of the answer is not a 64-bit number other than 0.")
        }
        return mpid
    }
}

extension JSONValue {
    /// The value as an MPID; nil if it is none.
    ///
    /// The platform writes a text; some of its parts write a number, which must be whole and fit 64 bits.
    var mpid: MPID? {
        switch self {
        case .string(let text): MPID(text)
        case .number(let number): number.int64.flatMap(MPID.init(rawValue:))
        case .null, .bool, .array, .object: nil
        }
    }
}
