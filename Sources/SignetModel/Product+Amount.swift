// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Decimal

extension ProductAction {
    /// The total of the action, else the sum over its products; nil if that is beyond all numbers.
    ///
    /// Amounts are computed as decimals: three pieces at 0.1 cost 0.3, unlike in binary fractions.
    package var amount: Double? {
        if let total = self.total { return total }
        var sum = Decimal(0)
        for product in self.products {
            guard let amount = product.decimalAmount else { return self.binaryAmount }
            sum += amount
        }
        return Double("\(sum)").flatMap { $0.isFinite ? $0 : nil } ?? self.binaryAmount
    }

    /// The sum of IEEE 754, for amounts that are too large for decimals.
    private var binaryAmount: Double? {
        let sum = self.products.reduce(0) { $0 + $1.binaryAmount }
        return sum.isFinite ? sum : nil
    }
}

extension Product {
    /// The total of the product, else its price times its quantity; one piece and no price if they are missing.
    fileprivate var decimalAmount: Decimal? {
        if let total = self.total { return Decimal(asWritten: total) }
        guard let price = Decimal(asWritten: self.price ?? 0), let quantity = Decimal(asWritten: self.quantity ?? 1)
        else { return nil }
        return price * quantity
    }

    fileprivate var binaryAmount: Double {
        self.total ?? (self.price ?? 0) * (self.quantity ?? 1)
    }
}

extension Decimal {
    /// Makes the number that the shortest text of a double says, which is the number as it was written.
    ///
    /// Nil for one whose product with another one could be beyond 10^127.
    init?(asWritten number: Double) {
        guard number.isFinite, number == 0 || (1e-60...1e60).contains(abs(number)) else { return nil }
        self.init(string: "\(number)")
    }
}
