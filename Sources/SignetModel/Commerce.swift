//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Something about products, promotions or impressions (Events API v2, `commerce_event`).
public struct Commerce: Sendable, Hashable {
    /// What was done with promotions, and with which.
    public struct PromotionAction: Sendable, Hashable {
        /// What was done.
        public var action: Promotion.Action
        /// With which, at most 500.
        public var promotions: [Promotion]

        /// Says what was done.
        public init(_ action: Promotion.Action, _ promotions: [Promotion]) {
            self.action = action
            self.promotions = promotions
        }
    }

    /// What somebody did with products; nil for nothing.
    public var productAction: ProductAction?
    /// What was done with promotions; nil for nothing.
    public var promotionAction: PromotionAction?
    /// Products that were shown in lists, at most 500 lists; empty for none.
    public var impressions: [ProductImpression]
    /// The ISO 4217 code of the currency, such as `EUR`.
    public var currency: String?
    /// The screen on which it happened.
    public var screen: String?
    /// Whether nobody did it: shown by itself.
    public var isNonInteractive = false

    /// Makes one event of several things that happened together, such as a click on a product in a list beside a promotion.
    ///
    /// An event about nothing is refused where it is logged.
    ///
    /// - Parameters:
    ///   - productAction: What somebody did with products.
    ///   - promotionAction: What was done with promotions.
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

    /// Somebody did something with products.
    public static func action(_ action: ProductAction, currency: String? = nil) -> Commerce {
        Commerce(productAction: action, currency: currency)
    }

    /// Promotions were shown or clicked.
    public static func promotions(_ action: Promotion.Action, _ promotions: [Promotion]) -> Commerce {
        Commerce(promotionAction: PromotionAction(action, promotions))
    }

    /// Products were shown in lists.
    public static func impressions(_ impressions: [ProductImpression], currency: String? = nil) -> Commerce {
        Commerce(impressions: impressions, currency: currency)
    }
}

extension Commerce: CustomStringConvertible, CustomReflectable {
    /// What it is about, without details.
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
