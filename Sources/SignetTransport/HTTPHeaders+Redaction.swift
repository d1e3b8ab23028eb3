// SPDX-License-Identifier: Apache-2.0

// Values hold keys, signatures and tokens. Without these conformances `print`, `dump`, an interpolation into a log line
// or a failed assertion shows them.

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, without the values.
    public var description: String {
        "HTTPHeaders(\(self.map(\.name).joined(separator: ", ")))"
    }

    /// The names, without the values.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the value.
    public var description: String {
        "\(self.name): <redacted>"
    }

    /// The name, without the value.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
