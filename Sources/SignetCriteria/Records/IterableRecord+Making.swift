// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

extension IterableRecord {
    /// Makes a custom event.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - dataFields: The event's details; nil for none.
    ///   - time: The time of the event, in seconds since 1970.
    /// - Returns: The record.
    package static func customEvent(_ name: String, dataFields: JSONObject? = nil, at time: Int64) -> IterableRecord {
        var members: JSONObject = [
            Key.name: .string(name), Key.createdAt: .number(JSONNumber(time)), Key.createNewFields: true,
        ]
        members[Key.data] = dataFields.map(JSONValue.object)
        return IterableRecord(.customEvent, at: time, members)
    }

    /// Makes a purchase.
    ///
    /// - Parameters:
    ///   - items: The items bought.
    ///   - total: The total price.
    ///   - dataFields: The purchase's details; nil for none.
    ///   - campaign: The campaign that led to the purchase; nil for none.
    ///   - template: The template of that campaign's message; nil for none.
    ///   - time: The time of the purchase, in seconds since 1970.
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

    /// Makes an update of the cart.
    ///
    /// - Parameters:
    ///   - items: The items now in the cart.
    ///   - time: The time of the update, in seconds since 1970.
    /// - Returns: The record.
    package static func cartUpdate(_ items: [JSONObject], at time: Int64) -> IterableRecord {
        let members: JSONObject = [
            Key.createdAt: .number(JSONNumber(time)), Key.items: .array(items.map(JSONValue.object)),
        ]
        return IterableRecord(.cartUpdate, at: time, members)
    }

    /// Makes an update of the visitor's profile fields.
    ///
    /// The fields lie in a member of their own, so that none is mistaken for the record's bookkeeping.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - mergesNestedObjects: True if Iterable merges objects instead of replacing them.
    ///   - time: The time of the update, in seconds since 1970.
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

    /// Merges a later update of the user into this one; new fields win, and objects are replaced as a whole.
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

extension JSONValue {
    /// Makes a JSON value from an attribute's value, keeping its type.
    ///
    /// A date becomes its text, and a number that JSON cannot represent becomes `null`.
    package init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let integer): self = .number(JSONNumber(integer))
        case .double(let double): self = JSONNumber(double).map(JSONValue.number) ?? .null
        case .bool(let bool): self = .bool(bool)
        case .date: self = .string(value.text)
        case .null: self = .null
        case .list(let values): self = .array(values.map { JSONValue($0) })
        }
    }
}
