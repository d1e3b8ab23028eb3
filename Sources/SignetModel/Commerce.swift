// SPDX-License-Identifier: Apache-2.0

/// An event about products, promotions or impressions (Events API v2, `commerce_event`).
public struct Commerce: Sendable, Hashable {
    /// An action and the promotions it applies to.
    public struct PromotionAction: Sendable, Hashable {
        /// The action.
        public var action: Promotion.Action
        /// The promotions, at most 500.
        public var promotions: [Promotion]

        /// Makes an action.
        public init(_ action: Promotion.Action, _ promotions: [Promotion]) {
            self.action = action
            self.promotions = promotions
        }
    }

    /// The action on products; nil for none.
    public var productAction: ProductAction?
    /// The action on promotions; nil for none.
    public var promotionAction: PromotionAction?
    /// Products that were shown in lists, at most 500 lists.
    public var impressions: [ProductImpression]
    /// The ISO 4217 code of the currency, such as `EUR`.
    public var currency: String?
    /// The screen on which it happened.
    public var screen: String?
    /// True for an event that no user caused, such as an automatic display.
    public var isNonInteractive = false

    /// Makes one event of several things that happened together, such as a click on a product in a list beside a promotion.
    ///
    /// Logging an event without any of them fails.
    ///
    /// - Parameters:
    ///   - productAction: The action on products.
    ///   - promotionAction: The action on promotions.
    ///   - impressions: Products that were shown in lists.
    ///   - currency: The ISO 4217 code of the currency of all prices.
    public init(
        productAction: ProductAction? = nil,
        promotionAction: PromotionAction? = nil,
        impressions: [ProductImpression] = [],
        currency: String? = nil
    ) {
        self.productAction = productAction
        self.promotionAction = promotionAction
        self.impressions = impressions
        self.currency = currency
    }

    /// Makes an event about an action on products.
    public static func action(_ action: ProductAction, currency: String? = nil) -> Commerce {
        Commerce(productAction: action, currency: currency)
    }

    /// Makes an event about promotions that were shown or clicked.
    public static func promotions(_ action: Promotion.Action, _ promotions: [Promotion]) -> Commerce {
        Commerce(promotionAction: PromotionAction(action, promotions))
    }

    /// Makes an event about products that were shown in lists.
    public static func impressions(_ impressions: [ProductImpression], currency: String? = nil) -> Commerce {
        Commerce(impressions: impressions, currency: currency)
    }
}

extension Commerce: CustomStringConvertible, CustomReflectable {
    /// The kinds of actions and their counts, without details.
    public var description: String {
        var parts: [String] = []
        if let action = self.productAction {
            parts.append("\(action.kind.rawValue), \(action.products.count) products")
        }
        if let promotion = self.promotionAction {
            parts.append("\(promotion.action.rawValue) of \(promotion.promotions.count) promotions")
        }
        if !self.impressions.isEmpty { parts.append("\(self.impressions.count) impressions") }
        return "Commerce(\(parts.joined(separator: "; ")))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["commerce": self.description])
    }
}

/// Products that were shown in a list (Events API v2, `ProductImpression`).
public struct ProductImpression: Sendable, Hashable {
    /// The name of the list.
    public var list: String
    /// The products in the list.
    public var products: [Product]

    /// Makes an impression.
    public init(list: String, products: [Product]) {
        self.list = list
        self.products = products
    }
}

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
