//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Something that happened, as an app tells it.
///
/// The runtime adds who, when and in which session.
/// Limits are checked where the event is logged, so that making one never fails: names up to 256 characters, up to
/// 100 attributes, attribute keys up to 256 and values up to 4096 characters (Default Service Limits).
public struct Event: Sendable, Hashable {
    /// What happened.
    package enum Content: Sendable, Hashable {
        case custom(name: String, type: CustomEventType)
        case screen(name: String)
        case purchase(Purchase)
    }

    /// What happened.
    package let content: Content

    /// Details; every value travels as text.
    public var attributes: [String: AttributeValue]

    private init(content: Content, attributes: [String: AttributeValue]) {
        self.content = content
        self.attributes = attributes
    }

    /// Makes a custom event.
    ///
    /// - Parameters:
    ///   - name: What happened, 1 to 256 characters.
    ///   - type: What it is about.
    ///   - attributes: Details.
    /// - Returns: The event.
    public static func custom(
        _ name: String,
        type: CustomEventType = .other,
        attributes: [String: AttributeValue] = [:]
    ) -> Event {
        Event(content: .custom(name: name, type: type), attributes: attributes)
    }

    /// Makes a screen view.
    ///
    /// - Parameters:
    ///   - name: The screen, 1 to 256 characters.
    ///   - attributes: Details.
    /// - Returns: The event.
    public static func screen(_ name: String, attributes: [String: AttributeValue] = [:]) -> Event {
        Event(content: .screen(name: name), attributes: attributes)
    }

    /// Makes a purchase.
    ///
    /// - Parameters:
    ///   - purchase: What was bought.
    ///   - attributes: Details.
    /// - Returns: The event.
    public static func purchase(_ purchase: Purchase, attributes: [String: AttributeValue] = [:]) -> Event {
        Event(content: .purchase(purchase), attributes: attributes)
    }
}

extension Event: CustomStringConvertible, CustomReflectable {
    /// What kind of event and the names of its attributes, without values.
    public var description: String {
        let kind =
            switch self.content {
            case .custom(let name, let type): "custom(\(name), \(type.wireName))"
            case .screen(let name): "screen(\(name))"
            case .purchase: "purchase"
            }
        return "Event(\(kind), attributes: [\(self.attributes.keys.sorted().joined(separator: ", "))])"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["event": self.description])
    }
}
