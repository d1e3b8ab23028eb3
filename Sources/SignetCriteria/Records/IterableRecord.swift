// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// One act of a visitor, kept on the device until the visitor is identified.
///
/// A record is the JSON object of the vendor's local storage, typed as the app gave it. So `true` is not 1, `3` is not
/// `3.0`, `null` is kept, and a number of twenty digits keeps them all. One encoded record is one line.
package struct IterableRecord: Sendable, Hashable {
    /// The kind of record.
    package let kind: Kind
    /// All members in their order, including `eventType`.
    package internal(set) var members: JSONObject

    /// Makes a record of its members; nil without the text `eventType`.
    ///
    /// A record stored under the older name `dataType` gets the new one.
    package init?(members: JSONObject) {
        var members = members
        if members[Key.kind] == nil, let old = members[Key.oldKind] {
            members[Key.oldKind] = nil
            members[Key.kind] = old
        }
        guard let kind = members[Key.kind]?.string else { return nil }
        self.kind = Kind(rawValue: kind)
        self.members = members
    }

    init(_ kind: Kind, at time: Int64, _ members: JSONObject) {
        self.kind = kind
        self.members = [Key.kind: .string(kind.rawValue), Key.time: .number(JSONNumber(time))]
        for (key, value) in members {
            self.members[key] = value
        }
    }

    /// The names of members that records may have.
    enum Key {
        static let kind = "eventType"
        static let oldKind = "dataType"
        static let time = "eventTimeStamp"
        static let createdAt = "createdAt"
        static let createNewFields = "createNewFields"
        static let mergesNested = "mergeNestedObjects"
        static let name = "eventName"
        static let data = "dataFields"
        static let items = "items"
        static let total = "total"
        static let campaign = "campaignId"
        static let template = "templateId"
        static let token = "token"
    }
}

extension IterableRecord: CustomStringConvertible, CustomReflectable {
    /// The kind, without any data of the visitor.
    package var description: String {
        "IterableRecord(\(self.kind.rawValue), \(self.members.count) members)"
    }

    /// A mirror without the members.
    package var customMirror: Mirror {
        Mirror(self, children: ["kind": self.kind.rawValue])
    }
}

extension IterableRecord {
    /// The kinds of records, compared by the bytes of their names; a store can keep other kinds.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        /// The text of the member `eventType`.
        package let rawValue: String

        /// Makes a kind from a text.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static func == (lhs: Kind, rhs: Kind) -> Bool {
            ByteText.isSame(lhs.rawValue, rhs.rawValue)
        }

        // The default of `RawRepresentable` would compare the texts.
        package static func != (lhs: Kind, rhs: Kind) -> Bool {
            !(lhs == rhs)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteText(self.rawValue))
        }

        /// A custom event with a name.
        package static let customEvent = Kind(rawValue: "customEvent")
        /// A purchase of items.
        package static let purchase = Kind(rawValue: "purchase")
        /// The new content of the cart.
        package static let cartUpdate = Kind(rawValue: "updateCart")
        /// New profile fields of the visitor.
        package static let userUpdate = Kind(rawValue: "user")
        /// A push token of the device; never replayed.
        package static let tokenRegistration = Kind(rawValue: "tokenRegistration")
    }

    /// The name of a custom event.
    package var eventName: String? {
        self.members[Key.name]?.string
    }

    /// The time of the record as reported to Iterable, in seconds since 1970.
    package var createdAt: Int64? {
        (self.members[Key.createdAt] ?? self.members[Key.time])?.number?.int64
    }

    /// The details that the app gave; the fields of a user update.
    package var dataFields: JSONObject? {
        self.members[Key.data]?.object
    }

    /// The items of a purchase or a cart.
    package var items: [JSONValue]? {
        self.members[Key.items]?.array
    }

    /// The total price of a purchase.
    package var total: JSONNumber? {
        self.members[Key.total]?.number
    }

    /// The campaign that led to a purchase.
    package var campaign: Int64? {
        self.members[Key.campaign]?.number?.int64
    }

    /// The template of that campaign's message.
    package var template: Int64? {
        self.members[Key.template]?.number?.int64
    }

    /// True if Iterable merges objects of a user update instead of replacing them.
    package var mergesNestedObjects: Bool {
        self.members[Key.mergesNested]?.bool ?? false
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - line: One JSON object.
    ///   - limits: The limits on the JSON.
    /// - Throws: ``CriteriaError`` when the line is not a JSON object, or has no text `eventType`.
    package init(line: [UInt8], limits: JSONLimits = JSONLimits()) throws(CriteriaError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(line, limits: limits)
        } catch {
            throw CriteriaError(.invalidJSON, at: "$", error.description)
        }
        guard let members = value.object else { throw CriteriaError(.wrongType, at: "$", "is not an object") }
        guard let record = IterableRecord(members: members) else {
            throw CriteriaError(.missingMember, at: "$.eventType", "is missing; it must be text")
        }
        self = record
    }

    /// The record as JSON without a line break.
    package var line: [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    /// Lists the faults of a record's members: those that make it no record, and those that no condition reads.
    ///
    /// - Parameters:
    ///   - members: The members of a JSON object.
    ///   - path: The place of the object.
    /// - Returns: The faults; empty for a sound record.
    static func faults(of members: JSONObject, at path: String) -> [CriteriaError] {
        guard let record = IterableRecord(members: members) else {
            let place = "\(path).\(Key.kind)"
            return members[Key.kind] == nil
                ? [CriteriaError(.missingMember, at: place, "is missing; the record is skipped")]
                : [CriteriaError(.wrongType, at: place, "is not text; the record is skipped")]
        }
        var faults: [CriteriaError] = []
        func wrong(_ key: String, _ what: String) {
            faults.append(CriteriaError(.wrongType, at: "\(path).\(key)", "is not \(what); conditions ignore it"))
        }
        if let data = members[Key.data], data.object == nil { wrong(Key.data, "an object") }
        if record.kind == .purchase || record.kind == .cartUpdate, let items = members[Key.items] {
            if let list = items.array {
                for (index, item) in list.enumerated() where item.object == nil {
                    wrong("\(Key.items)[\(index)]", "an object: the list")
                }
            } else {
                wrong(Key.items, "an array of objects")
            }
        }
        return faults
    }
}
