// SPDX-License-Identifier: Apache-2.0

/// A string that stays hidden when printed, dumped, reflected or put into an error.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
    private let value: String

    /// Wraps a secret.
    public init(_ value: String) {
        self.value = value
    }

    /// Wraps a literal.
    public init(stringLiteral value: String) {
        self.value = value
    }

    /// True when the text is empty.
    public var isEmpty: Bool {
        self.value.isEmpty
    }

    /// Passes the text to the code that signs or sends.
    ///
    /// - Parameter body: Must not keep its argument.
    /// - Returns: The result of `body`.
    package func withExposed<Result>(_ body: (String) -> Result) -> Result {
        body(self.value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String {
        "<redacted>"
    }

    /// Always `<redacted>`.
    public var debugDescription: String {
        "<redacted>"
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
