//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One line of a purchase (Events API v2, `Product`).
public struct Product: Sendable, Hashable {
    /// The id in your catalogue.
    public var id: String
    /// The name as shown.
    public var name: String?
    /// The price of one piece, in the event's currency.
    public var price: Double?
    /// How many pieces.
    public var quantity: Double?

    /// Makes a line.
    public init(id: String, name: String? = nil, price: Double? = nil, quantity: Double? = nil) {
        self.id = id
        self.name = name
        self.price = price
        self.quantity = quantity
    }
}
