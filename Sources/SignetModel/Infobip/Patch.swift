//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What is to become of one attribute: nothing, a new value, or none.
public enum Patch<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It stays as it is, here and at the service.
    case untouched
    /// It has this value from now on.
    case set(Value)
    /// It has no value from now on.
    case clear

    /// Whether anything is to become of it.
    public var isTouched: Bool {
        self != .untouched
    }

    /// This change and a later one together: the later one, unless it changes nothing.
    package func then(_ later: Patch) -> Patch {
        later.isTouched ? later : self
    }

    /// What is left when a change has been carried out: nothing if this is it still, else this.
    package func without(_ done: Patch) -> Patch {
        self == done ? .untouched : self
    }

    /// What a value becomes.
    package func apply(to value: Value?) -> Value? {
        switch self {
        case .untouched: value
        case .set(let new): new
        case .clear: nil
        }
    }

    /// The same change of another type.
    package func map<Other>(_ transform: (Value) -> Other) -> Patch<Other> {
        switch self {
        case .untouched: .untouched
        case .set(let value): .set(transform(value))
        case .clear: .clear
        }
    }
}

extension Patch: CustomStringConvertible, CustomReflectable {
    /// What is to become of it, without the value.
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
    /// These changes and later ones together.
    package func then(_ later: Self) -> Self {
        self.merging(later) { $0.then($1) }
    }

    /// What is left when changes have been carried out.
    package func without(_ done: Self) -> Self {
        self.filter { key, change in change.without(done[key] ?? .untouched).isTouched }
    }

    /// What attributes become.
    package func apply(to attributes: [String: InfobipValue]) -> [String: InfobipValue] {
        var attributes = attributes
        for (key, change) in self {
            attributes[key] = change.apply(to: attributes[key])
        }
        return attributes
    }
}
