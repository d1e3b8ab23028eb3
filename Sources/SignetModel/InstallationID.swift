// SPDX-License-Identifier: Apache-2.0

/// Your id of one installation: one install of an app on one device, or one visitor cookie of a web server.
///
/// The runtime keys its state by it and never sends it to the platform. It must be 1 to 256 bytes of UTF-8 without
/// control characters; `SignetRuntime.open` checks that and throws `invalidArgument` otherwise. Two ids are the same
/// when their bytes are: no Unicode normalisation, no case folding.
public struct InstallationID: RawRepresentable, Sendable, ExpressibleByStringLiteral {
    /// The longest id, in bytes of UTF-8.
    public static let maximumLength = 256

    /// The id as given.
    public let rawValue: String

    /// Wraps a string, unchecked; `SignetRuntime.open` checks it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Wraps a string, unchecked; `SignetRuntime.open` checks it.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Wraps a literal, unchecked; `SignetRuntime.open` checks it.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// True when the length is allowed and there are no control characters.
    public var isValid: Bool {
        let count = self.rawValue.utf8.count
        guard count > 0, count <= Self.maximumLength else { return false }
        return !self.rawValue.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

// String equality treats canonically equivalent spellings as equal; ids are compared by their bytes.
extension InstallationID: Hashable {
    /// Compares the bytes of the ids.
    public static func == (lhs: InstallationID, rhs: InstallationID) -> Bool {
        lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
    }

    /// Hashes the bytes of the id.
    public func hash(into hasher: inout Hasher) {
        var text = self.rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension InstallationID: CustomStringConvertible {
    /// The id as given.
    public var description: String {
        self.rawValue
    }
}
