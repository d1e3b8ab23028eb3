// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The list attributes of the portal, with the kinds of the members of their objects.
typealias ListAttributes = [String: [String: EmulatedInfobipApplication.Kind]]

/// App-defined attributes of a person or an installation.
enum CustomAttributes {
    /// The changes that a request makes to them.
    enum Change: Sendable {
        case removeAll
        /// Null removes an attribute.
        case set(JSONObject)

        /// Reads `customAttributes`: null removes all, a null member removes one, `{}` changes nothing.
        ///
        /// No source documents `{}`; the vendor's clients send null for attributes that were set to nil.
        init(_ value: JSONValue, lists: ListAttributes?) throws(Refusal) {
            guard !value.isNull else {
                self = .removeAll
                return
            }
            guard let object = value.object else { throw .formatInvalid("customAttributes", shouldBe: "an object") }
            for (key, value) in object {
                try CustomAttributes.check(value, key, lists: lists)
            }
            self = .set(object)
        }

        func apply(to attributes: inout JSONObject) {
            switch self {
            case .removeAll:
                attributes = JSONObject()
            case .set(let values):
                for (key, value) in values { attributes[key] = value.isNull ? JSONValue?.none : value }
            }
        }
    }

    /// The maximum length, in characters, of a text or of a list as JSON.
    private static let limit = 4096

    private static func check(_ value: JSONValue, _ key: String, lists: ListAttributes?) throws(Refusal) {
        switch value {
        case .null, .bool, .number:
            break
        case .string(let text):
            guard text.count <= Self.limit else { throw .formatInvalid(key, shouldBe: "at most \(Self.limit) long") }
        case .object:
            throw .formatInvalid(key, shouldBe: "a string, a number, a boolean or a list of objects")
        case .array(let elements):
            try Self.check(elements, key, lists: lists)
            guard String(decoding: value.encoded(), as: UTF8.self).count <= Self.limit else {
                throw .formatInvalid(key, shouldBe: "at most \(Self.limit) long")
            }
        }
    }

    // All objects must have the members and kinds of the first; null is a kind of its own.
    private static func check(_ elements: [JSONValue], _ key: String, lists: ListAttributes?) throws(Refusal) {
        var first: [String: String]?
        for element in elements {
            guard let object = element.object else { throw .formatInvalid(key, shouldBe: "a list of objects") }
            var shape: [String: String] = [:]
            for (name, value) in object {
                guard let kind = Self.kind(value) else { throw .formatInvalid(key, shouldBe: "a list of flat objects") }
                shape[name] = kind
            }
            guard first.map({ $0 == shape }) ?? true else {
                throw .formatInvalid(key, shouldBe: "a list of objects of one shape")
            }
            first = shape
        }
        guard let lists else { return }
        guard let structure = lists[key] else { throw .formatInvalid("\(key) is no list attribute of the portal") }
        for (name, kind) in first ?? [:] where structure[name]?.rawValue != kind && kind != "null" {
            throw .formatInvalid(key, shouldBe: "a list of objects as the portal has them")
        }
    }

    private static func kind(_ value: JSONValue) -> String? {
        switch value {
        case .null: "null"
        case .string: EmulatedInfobipApplication.Kind.string.rawValue
        case .number: EmulatedInfobipApplication.Kind.number.rawValue
        case .bool: EmulatedInfobipApplication.Kind.bool.rawValue
        case .array, .object: nil
        }
    }
}
