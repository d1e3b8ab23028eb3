// SPDX-License-Identifier: Apache-2.0

/// A type whose values all begin equal.
protocol DefaultInitializable: Sendable, Hashable {
    /// Makes the initial value.
    init()
}

/// A value that few of a million holders ever change.
///
/// It takes eight bytes until the first change; then it is stored separately, and copies share it until one changes.
struct Box<Value: DefaultInitializable>: Sendable, Hashable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box?

    /// Holds the initial value.
    init() {}

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
