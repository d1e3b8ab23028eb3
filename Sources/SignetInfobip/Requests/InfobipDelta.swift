// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The members of an edited object that differ from the current one, and so have to be sent.
///
/// Only members that the edited object names count: a missing member removes nothing, a null does. Two decisions differ
/// from the vendor's clients. True is not 1, and an object that replaces a single value is sent, not a null.
enum InfobipDelta {
    /// Compares two objects.
    ///
    /// - Parameters:
    ///   - current: The object that the service is known to have.
    ///   - edited: The object that the service is to have.
    /// - Returns: The members to send; empty if there are none.
    static func between(_ current: JSONObject, _ edited: JSONObject) -> JSONObject {
        var delta = JSONObject()
        for (key, new) in edited {
            let old = current[key] ?? .null
            if let change = Self.change(from: old, to: new) {
                delta[key] = change
            }
        }
        return delta
    }

    private static func change(from old: JSONValue, to new: JSONValue) -> JSONValue? {
        guard !Self.isSame(old, new) else { return nil }
        guard case .object(let members) = new, case .object(let known) = old else { return new }
        let delta = Self.between(known, members)
        // No member differs. An empty object is sent; a part of the known object is not.
        guard !delta.isEmpty || members.isEmpty else { return nil }
        return .object(delta)
    }

    // Compares numbers by value: 10 is 10.0.
    private static func isSame(_ old: JSONValue, _ new: JSONValue) -> Bool {
        switch (old, new) {
        case (.number(let first), .number(let second)):
            if let first = first.int64, let second = second.int64 {
                return first == second
            }
            return first.double == second.double
        case (.array(let first), .array(let second)):
            return first.count == second.count && zip(first, second).allSatisfy { Self.isSame($0, $1) }
        case (.object(let first), .object(let second)):
            return first.count == second.count
                && first.allSatisfy { key, value in second[key].map { Self.isSame(value, $0) } ?? false }
        default:
            return old == new
        }
    }
}
