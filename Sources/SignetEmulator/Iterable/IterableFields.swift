//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import enum SignetModel.AttributeValue

/// What users and events have that an app made up: `dataFields`.
enum IterableFields {
    // What the vendor's clients note beside a stored record, and send by mistake.
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

    /// Puts changes over fields.
    ///
    /// With `mergesNested`, an object that meets an object takes its members over one by one; without, it takes its place.
    /// That only objects at the top do so is our own choice: the clients send the flag, and no source at hand says how deep
    /// the service goes.
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

    /// What a user has after another was merged into it: its own values win, and objects are not combined.
    static func merge(_ source: JSONObject, into destination: inout JSONObject) {
        for (key, value) in source where destination[key] == nil {
            destination[key] = value
        }
    }
}
