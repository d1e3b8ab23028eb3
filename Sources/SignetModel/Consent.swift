// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A user's answer for one purpose, and how it was recorded.
public struct Consent: Sendable, Hashable {
    /// True when the user agreed.
    public var isGiven: Bool
    /// The name or version of the document that the user was shown.
    public var document: String?
    /// The time of the answer; when nil, the time at which the runtime receives it.
    public var timestamp: Date?
    /// The place of the answer, in your own terms.
    public var location: String?
    /// The id of the device, in your own terms.
    public var hardwareID: String?

    /// Makes a consent.
    public init(
        _ isGiven: Bool,
        document: String? = nil,
        timestamp: Date? = nil,
        location: String? = nil,
        hardwareID: String? = nil
    ) {
        self.isGiven = isGiven
        self.document = document
        self.timestamp = timestamp
        self.location = location
        self.hardwareID = hardwareID
    }
}

extension Consent: CustomStringConvertible, CustomReflectable {
    /// The answer, without how it was recorded.
    public var description: String {
        "Consent(\(self.isGiven))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["isGiven": self.isGiven])
    }
}
