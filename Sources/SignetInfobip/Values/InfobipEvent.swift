// SPDX-License-Identifier: Apache-2.0

/// A custom event of a person, as the portal of Infobip defines it.
public struct InfobipEvent: Sendable, Hashable {
    /// The id of the event's definition.
    public var definitionID: String
    /// The properties by name; nil is sent as null and a day as a moment, and lists are refused.
    public var properties: [String: InfobipValue?]

    /// Makes an event.
    public init(_ definitionID: String, properties: [String: InfobipValue?] = [:]) {
        self.definitionID = definitionID
        self.properties = properties
    }
}

extension InfobipEvent: CustomStringConvertible, CustomReflectable {
    /// The id of the definition, without properties.
    public var description: String {
        "InfobipEvent(\(self.definitionID), \(self.properties.count) properties)"
    }

    /// A mirror with the id of the definition only.
    public var customMirror: Mirror {
        Mirror(self, children: ["definitionID": self.definitionID])
    }
}
