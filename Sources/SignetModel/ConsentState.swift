// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// The consents of a user or a device; batches carry them (Events API v2, `consent_state`).
public struct ConsentState: Sendable, Hashable {
    /// The answers per purpose of the General Data Protection Regulation, at most 100.
    ///
    /// The runtime trims purposes and makes them lower-case, as the platform does; they must be defined in the workspace.
    /// A letter with a mark is the same in either form of Unicode, so write a purpose in one form, that of the workspace.
    public var gdpr: [String: Consent]
    /// The opt-out of the sale of data under the California Consumer Privacy Act (`data_sale_opt_out`).
    public var ccpaDataSaleOptOut: Consent? {
        get { self.ccpa.first }
        set { self.ccpa = newValue.map { [$0] } ?? [] }
    }
    /// Holds one consent at most; out of line, because there may be a million states of which few have it.
    private var ccpa: [Consent] = []

    /// Makes a state.
    public init(gdpr: [String: Consent] = [:], ccpaDataSaleOptOut: Consent? = nil) {
        self.gdpr = gdpr
        self.ccpaDataSaleOptOut = ccpaDataSaleOptOut
    }

    /// True when there is no consent of either kind.
    public var isEmpty: Bool {
        self.gdpr.isEmpty && self.ccpaDataSaleOptOut == nil
    }

    /// Spells a purpose as the platform does: trimmed, lower-case.
    package static func purpose(_ text: String) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        return trimmed[..<end].lowercased()
    }
}

extension ConsentState: CustomStringConvertible, CustomReflectable {
    /// The number of purposes, without the answers.
    public var description: String {
        "ConsentState(\(self.gdpr.count) GDPR purposes, CCPA: \(self.ccpaDataSaleOptOut == nil ? "no" : "yes"))"
    }

    /// A mirror with the purposes only.
    public var customMirror: Mirror {
        Mirror(self, children: ["gdpr": self.gdpr.keys.sorted()])
    }
}

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
