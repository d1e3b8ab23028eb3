//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Something about products, promotions or impressions (Events API v2, `commerce_event`).
public struct Commerce: Sendable, Hashable {
    /// What the event is about.
    package enum Subject: Sendable, Hashable {
        case action(ProductAction)
        case promotions(Promotion.Action, [Promotion])
        case impressions([ProductImpression])
    }

    package let subject: Subject
    /// The ISO 4217 code of the currency, such as `EUR`.
    public var currency: String?
    /// The screen on which it happened.
    public var screen: String?
    /// Whether nobody did it: shown by itself.
    public var isNonInteractive = false

    private init(subject: Subject, currency: String?) {
        self.subject = subject
        self.currency = currency
    }

    /// Somebody did something with products.
    public static func action(_ action: ProductAction, currency: String? = nil) -> Commerce {
        Commerce(subject: .action(action), currency: currency)
    }

    /// Promotions were shown or clicked.
    public static func promotions(_ action: Promotion.Action, _ promotions: [Promotion]) -> Commerce {
        Commerce(subject: .promotions(action, promotions), currency: nil)
    }

    /// Products were shown in lists.
    public static func impressions(_ impressions: [ProductImpression], currency: String? = nil) -> Commerce {
        Commerce(subject: .impressions(impressions), currency: currency)
    }
}

extension Commerce: CustomStringConvertible, CustomReflectable {
    /// What it is about, without details.
    public var description: String {
        switch self.subject {
        case .action(let action): "Commerce(\(action.kind.rawValue), \(action.products.count) products)"
        case .promotions(let action, let promotions): "Commerce(\(action.rawValue) of \(promotions.count) promotions)"
        case .impressions(let impressions): "Commerce(\(impressions.count) impressions)"
        }
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["commerce": self.description])
    }
}
