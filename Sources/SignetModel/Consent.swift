//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date

/// What a user said of one purpose, and how that was recorded.
public struct Consent: Sendable, Hashable {
    /// Whether the user agreed.
    public var isGiven: Bool
    /// What the user was shown: the name or version of a document.
    public var document: String?
    /// When; the moment at which it is given to the runtime when nil.
    public var timestamp: Date?
    /// Where, as you describe places.
    public var location: String?
    /// On which device, as you name devices.
    public var hardwareID: String?

    /// Makes a value.
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
    /// Whether it was given, without how it was recorded.
    public var description: String {
        "Consent(\(self.isGiven))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["isGiven": self.isGiven])
    }
}
