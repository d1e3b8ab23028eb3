// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// A value of an event as it arrived at the platform: a text, a number, a Boolean, a list, or an object.
///
/// Reading it as another kind than it is gives nil.
///
/// ```swift
/// func firstProduct(of event: EmulatedEvent) -> String? {
///     event["product_action"]?["products"]?.list?.first?["name"]?.text
/// }
/// ```
public struct EmulatedValue: Sendable, Hashable {
    package let json: JSONValue

    package init(_ json: JSONValue) {
        self.json = json
    }

    /// The text, if it is one.
    public var text: String? { self.json.string }
    /// The number, if it is a whole one from -2^63 to 2^63 - 1.
    public var integer: Int64? { self.json.number?.int64 }
    /// The number, if it is one.
    public var number: Double? { self.json.number?.double }
    /// The Boolean, if it is one.
    public var bool: Bool? { self.json.bool }
    /// The elements, if it is a list.
    public var list: [EmulatedValue]? { self.json.array?.map { EmulatedValue($0) } }
    /// The names of the members in the order of arrival, if it is an object.
    public var names: [String]? { self.json.object?.keys }

    /// The member of a name, if it is an object that has one.
    public subscript(name: String) -> EmulatedValue? {
        self.json[name].map { EmulatedValue($0) }
    }

    /// The value as JSON, without white space.
    public var jsonText: String {
        String(decoding: self.json.encoded(), as: UTF8.self)
    }
}
