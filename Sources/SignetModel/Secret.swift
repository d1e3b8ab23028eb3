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

/// A fault of a setting's text, as files and environments bring it along: the line break at the end of a mounted file, or a blank.
package enum SettingTextFault: Sendable, Hashable {
    /// A control character, such as a line break.
    case controlCharacter
    /// White space, or a byte order mark, at the start or the end.
    case outerBlank

    /// Finds the fault of a text; nil if there is none.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        if scalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            self = .controlCharacter
        } else if [scalars.first, scalars.last].contains(where: { $0.map(Self.isBlank) ?? false }) {
            self = .outerBlank
        } else {
            return nil
        }
    }

    /// The fault and the remedy, to follow the name of the setting; nothing of the text.
    package var advice: String {
        switch self {
        case .controlCharacter:
            "has a control character: remove it; a file often ends with a line break, which does not belong to the value"
        case .outerBlank: "has a blank at its start or its end: remove it"
        }
    }

    /// True for a text without a scalar that shows anything.
    package static func isBlank(_ text: String) -> Bool {
        !text.unicodeScalars.contains { !Self.isBlank($0) }
    }

    /// True for a scalar that shows nothing: white space, and a byte order mark.
    package static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "\u{FEFF}"
    }
}

extension Secret {
    /// The fault of the text; nil if there is none.
    package var textFault: SettingTextFault? {
        self.withExposed { SettingTextFault($0) }
    }
}
