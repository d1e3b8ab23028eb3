//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A value that begins as every other one of its type.
protocol DefaultInitializable: Sendable, Hashable {
    /// As it begins.
    init()
}

/// A value that few of a million holders ever change.
///
/// It takes eight bytes until then; afterwards it lies apart, and copies share it until one of them changes.
struct Box<Value: DefaultInitializable>: Sendable, Hashable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box?

    /// Holds the value as it begins.
    init() {}

    /// The value.
    var value: Value {
        get { self.box?.value ?? Value() }
        set { self.box = newValue == Value() ? nil : Box(newValue) }
    }

    static func == (first: Self, second: Self) -> Bool {
        first.box === second.box || first.value == second.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.value)
    }
}
