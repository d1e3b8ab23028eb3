// SPDX-License-Identifier: Apache-2.0

/// A promotion that was shown or clicked (Events API v2, `Promotion`).
public struct Promotion: Sendable, Hashable {
    /// The kinds of action.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Shown.
        case view
        /// Clicked.
        case click
    }

    /// Your id of the promotion.
    public var id: String
    /// The name.
    public var name: String?
    /// The picture or text of the promotion.
    public var creative: String?
    /// The position of the promotion.
    public var position: String?

    /// Makes a promotion.
    public init(id: String, name: String? = nil, creative: String? = nil, position: String? = nil) {
        self.id = id
        self.name = name
        self.creative = creative
        self.position = position
    }
}
