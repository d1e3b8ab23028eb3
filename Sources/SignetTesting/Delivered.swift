// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetEmulator

/// What the emulated platform has of one user, after the runtime has delivered.
public struct Delivered<Element: Sendable>: RandomAccessCollection, Sendable {
    private let elements: [Element]
    /// The error that ended the delivery early, such as `uploadPaused` or `timedOut`; nil if the platform has answered
    /// for everything that was logged before the call.
    public let failure: SignetError?

    init(_ elements: [Element], _ failure: SignetError?) {
        self.elements = elements
        self.failure = failure
    }

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { self.elements.count }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        self.elements[position]
    }
}

extension Delivered: CustomStringConvertible {
    /// All elements, and the error of the delivery.
    public var description: String {
        let elements = self.elements.map { ($0 as? EmulatedEvent).map(Self.text) ?? "\($0)" }
        let end = self.failure.map { "; not all was delivered: \($0.code): \($0.message)" } ?? ""
        return "\(self.count) arrived: [\(elements.joined(separator: ", "))]\(end)"
    }

    private static func text(of event: EmulatedEvent) -> String {
        event.name.map { "\(event.type) \"\($0)\"" } ?? event.type
    }
}

extension Delivered where Element == EmulatedEvent {
    /// The names of the events that have one: custom events, and screens.
    public var names: DeliveredNames {
        DeliveredNames(self.compactMap(\.name), all: self.description)
    }

    /// The types on the wire, such as `session_start` or `custom_event`.
    public var types: DeliveredNames {
        DeliveredNames(self.map(\.type), all: self.description)
    }
}

/// Names of events, which equal an array literal of the same names; its description has all events that arrived.
public struct DeliveredNames: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The names, in the order in which the events arrived.
    public let names: [String]
    /// The names, and all that arrived; those of a literal are the names alone.
    public let description: String

    init(_ names: [String], all: String) {
        self.names = names
        self.description = "\(names) (\(all))"
    }

    /// Makes the names that a test expects.
    public init(arrayLiteral names: String...) {
        self.names = names
        self.description = "\(names)"
    }

    /// Compares the names and their order.
    public static func == (first: DeliveredNames, second: DeliveredNames) -> Bool {
        first.names == second.names
    }

    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.names)
    }
}

/// A session of a user, as its events show it.
public struct DeliveredSession: Sendable, Hashable, CustomStringConvertible {
    /// `session_uuid`.
    public let uuid: String
    /// The events of the session in the order of arrival, with its begin and end.
    public let events: [EmulatedEvent]

    /// True once the end of the session has arrived.
    public var hasEnded: Bool {
        self.events.contains { $0.type == "session_end" }
    }

    /// The types of the events, and the names of those that have one.
    public var description: String {
        let events = self.events.map { $0.name.map { "\"\($0)\"" } ?? $0.type }
        return "session \(self.uuid): \(events.joined(separator: ", "))"
    }
}

/// An expectation of a test that was not met, with what was there instead.
public struct UnmetExpectation: Error, Sendable, CustomStringConvertible {
    /// The place of the call, the expectation, and all that arrived.
    ///
    /// A test framework knows the test that threw the error; the place is the call in it.
    public let description: String

    init(_ expected: String, found: String, at place: String) {
        self.description = "\(place): Expected \(expected), but \(found)"
    }
}
