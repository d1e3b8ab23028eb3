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
}

extension IterableRecord {
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
