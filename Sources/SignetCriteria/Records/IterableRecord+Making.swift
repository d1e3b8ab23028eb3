//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

extension IterableRecord {
    /// A custom event.
    ///
    /// - Parameters:
    ///   - name: What happened.
    ///   - dataFields: Its details; nil for none.
    ///   - time: When, in seconds since 1970.
    /// - Returns: The record.
    package static func customEvent(_ name: String, dataFields: JSONObject? = nil, at time: Int64) -> IterableRecord {
        var members: JSONObject = [
            Key.name: .string(name), Key.createdAt: .number(JSONNumber(time)), Key.createNewFields: true,
        ]
        members[Key.data] = dataFields.map(JSONValue.object)
        return IterableRecord(.customEvent, at: time, members)
    }

    /// A purchase.
    ///
    /// - Parameters:
    ///   - items: What was bought.
    ///   - total: What it cost.
    ///   - dataFields: Its details; nil for none.
    ///   - campaign: The campaign that it is owed to; nil for none.
    ///   - template: The template of that campaign's message; nil for none.
    ///   - time: When, in seconds since 1970.
    /// - Returns: The record.
    package static func purchase(
        _ items: [JSONObject],
        total: JSONNumber,
        dataFields: JSONObject? = nil,
        campaign: Int64? = nil,
        template: Int64? = nil,
        at time: Int64
    ) -> IterableRecord {
        var members: JSONObject = [
            Key.createdAt: .number(JSONNumber(time)), Key.total: .number(total),
            Key.items: .array(items.map(JSONValue.object)),
        ]
        members[Key.data] = dataFields.map(JSONValue.object)
        members[Key.campaign] = campaign.map { .number(JSONNumber($0)) }
        members[Key.template] = template.map { .number(JSONNumber($0)) }
        return IterableRecord(.purchase, at: time, members)
    }

    /// An update of the cart.
    ///
    /// - Parameters:
    ///   - items: What is in it now.
    ///   - time: When, in seconds since 1970.
    /// - Returns: The record.
    package static func cartUpdate(_ items: [JSONObject], at time: Int64) -> IterableRecord {
        let members: JSONObject = [
            Key.createdAt: .number(JSONNumber(time)), Key.items: .array(items.map(JSONValue.object)),
        ]
        return IterableRecord(.cartUpdate, at: time, members)
    }

    /// An update of what is known of the visitor.
    ///
    /// The fields lie in a member of their own, so that none can be taken for the record's bookkeeping.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - mergesNestedObjects: Whether the service is to merge objects instead of replacing them.
    ///   - time: When, in seconds since 1970.
    /// - Returns: The record.
    package static func userUpdate(
        _ fields: JSONObject,
        mergesNestedObjects: Bool = false,
        at time: Int64
    ) -> IterableRecord {
        IterableRecord(
            .userUpdate,
            at: time,
            [Key.mergesNested: .bool(mergesNestedObjects), Key.data: .object(fields)]
        )
    }

    /// A push token of the device.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - time: When, in seconds since 1970.
    /// - Returns: The record.
    package static func tokenRegistration(_ token: String, at time: Int64) -> IterableRecord {
        IterableRecord(.tokenRegistration, at: time, [Key.token: .string(token)])
    }

    /// This update of the user with a later one over it: new fields win, objects are replaced as a whole.
    package func merging(_ later: IterableRecord) -> IterableRecord {
        var merged = self
        for (key, value) in later.members where !ByteText.isSame(key, Key.data) {
            merged.members[key] = value
        }
        var fields = self.dataFields ?? JSONObject()
        for (key, value) in later.dataFields ?? JSONObject() {
            fields[key] = value
        }
        merged.members[Key.data] = fields.isEmpty ? nil : .object(fields)
        return merged
    }
}
