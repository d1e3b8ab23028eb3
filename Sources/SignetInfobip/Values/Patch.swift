// SPDX-License-Identifier: Apache-2.0

/// A change of one attribute: none, a new value, or its removal.
public enum Patch<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value stays as it is, here and at Infobip.
    case untouched
    /// The attribute gets this value.
    case set(Value)
    /// The attribute loses its value.
    case clear

    /// True for `set` and `clear`.
    public var isTouched: Bool {
        self != .untouched
    }

    /// Merges this change with a later one, which takes precedence unless it changes nothing.
    package func then(_ later: Patch) -> Patch {
        later.isTouched ? later : self
    }

    /// Applies the change to a value.
    package func apply(to value: Value?) -> Value? {
        switch self {
        case .untouched: value
        case .set(let new): new
        case .clear: nil
        }
    }

    /// Converts the value of the change.
    package func map<Other>(_ transform: (Value) -> Other) -> Patch<Other> {
        switch self {
        case .untouched: .untouched
        case .set(let value): .set(transform(value))
        case .clear: .clear
        }
    }
}

extension Patch: CustomStringConvertible, CustomReflectable {
    /// The kind of change, without the value.
    public var description: String {
        switch self {
        case .untouched: "untouched"
        case .set: "set(<redacted>)"
        case .clear: "clear"
        }
    }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

extension [String: Patch<InfobipValue>] {
    /// Merges these changes with later ones, which take precedence.
    package func then(_ later: Self) -> Self {
        self.merging(later) { $0.then($1) }
    }

    /// Applies the changes to attributes.
    package func apply(to attributes: [String: InfobipValue]) -> [String: InfobipValue] {
        var attributes = attributes
        for (key, change) in self {
            attributes[key] = change.apply(to: attributes[key])
        }
        return attributes
    }
}
