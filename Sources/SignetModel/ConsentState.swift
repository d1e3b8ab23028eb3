//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// All that a user, or a device, agreed to; batches carry it (Events API v2, `consent_state`).
public struct ConsentState: Sendable, Hashable {
    /// The General Data Protection Regulation: what was said of each purpose, at most 100 of them.
    ///
    /// The runtime trims purposes and makes them lower-case, as the platform does; they must be defined in the workspace.
    public var gdpr: [String: Consent]
    /// The California Consumer Privacy Act: whether the user opted out of the sale of data (`data_sale_opt_out`).
    public var ccpaDataSaleOptOut: Consent? {
        get { self.ccpa.first }
        set { self.ccpa = newValue.map { [$0] } ?? [] }
    }
    /// None or one, apart: there may be a million states of which few have it.
    private var ccpa: [Consent] = []

    /// Makes a value.
    public init(gdpr: [String: Consent] = [:], ccpaDataSaleOptOut: Consent? = nil) {
        self.gdpr = gdpr
        self.ccpaDataSaleOptOut = ccpaDataSaleOptOut
    }

    /// Whether nothing was said of anything.
    public var isEmpty: Bool {
        self.gdpr.isEmpty && self.ccpaDataSaleOptOut == nil
    }

    /// How the platform spells a purpose: trimmed, lower-case.
    package static func purpose(_ text: String) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        return trimmed[..<end].lowercased()
    }
}

extension ConsentState: CustomStringConvertible, CustomReflectable {
    /// How many purposes there are, without what was said.
    public var description: String {
        "ConsentState(\(self.gdpr.count) GDPR purposes, CCPA: \(self.ccpaDataSaleOptOut == nil ? "no" : "yes"))"
    }

    /// A mirror with the purposes only.
    public var customMirror: Mirror {
        Mirror(self, children: ["gdpr": self.gdpr.keys.sorted()])
    }
}
