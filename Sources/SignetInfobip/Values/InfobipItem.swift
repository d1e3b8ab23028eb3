// SPDX-License-Identifier: Apache-2.0

/// One object of a list attribute: single values by name, nil where there is none.
///
/// ```swift
/// changes.customAttributes["basket"] = .set([["item": "boots", "price": 89.5, "gift": nil]])
/// ```
public struct InfobipItem: Sendable, Hashable {
    /// The members; nil is sent as null, and a list within a list is an error where it is used.
    public var members: [String: InfobipValue?]

    /// Makes an object.
    public init(_ members: [String: InfobipValue?] = [:]) {
        self.members = members
    }
}

extension InfobipItem: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal; of equal names the last one counts.
    public init(dictionaryLiteral elements: (String, InfobipValue?)...) {
        self.members = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}

extension InfobipItem: CustomStringConvertible, CustomReflectable {
    /// The number of members, without names and values.
    public var description: String {
        "InfobipItem(\(self.members.count) members)"
    }

    /// A mirror without the members.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
