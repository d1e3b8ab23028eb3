// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import enum SignetModel.AttributeValue

/// The app-defined fields of users and events: `dataFields`.
enum IterableFields {
    // Bookkeeping that the vendor's clients keep with a stored record and send by mistake.
    private static let notes = ["eventType", "eventTimeStamp"]

    static func singleValues(of fields: JSONObject) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for (key, value) in fields {
            values[key] = AttributeValue(value)
        }
        return values
    }

    static func text(of fields: JSONObject) -> String {
        String(decoding: JSONValue.object(fields).encoded(), as: UTF8.self)
    }

    static func bookkeeping(in object: JSONObject) -> [String] {
        self.notes.filter { object[$0] != nil }
    }

    /// Applies changes to fields.
    ///
    /// With `mergesNested`, the members of a new object are merged one by one into an existing object; otherwise the new
    /// object replaces it. Only top-level objects are merged, by our own choice: the clients send the flag, and no source
    /// at hand says how deep the service goes.
    static func update(_ fields: inout JSONObject, with changes: JSONObject, mergesNested: Bool) {
        for (key, value) in changes {
            guard mergesNested, var object = fields[key]?.object, let members = value.object else {
                fields[key] = value
                continue
            }
            for (name, member) in members {
                object[name] = member
            }
            fields[key] = .object(object)
        }
    }

    /// Merges another user's fields into a user's: its own values win, and objects are not combined.
    static func merge(_ source: JSONObject, into destination: inout JSONObject) {
        for (key, value) in source where destination[key] == nil {
            destination[key] = value
        }
    }
}
