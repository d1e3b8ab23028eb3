// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct ProductAmountTests {
    private static let cases: [([Product], Double)] = [
        ([Product(id: "t", price: 0.1, quantity: 3)], 0.3), ([Product(id: "t", price: 4, quantity: 2.5)], 10),
        ([Product(id: "t", price: 10, quantity: 0.4)], 4), ([Product(id: "t", price: 10, quantity: 2, total: 15)], 15),
        ([Product(id: "t", price: 19.99)], 19.99), ([Product(id: "t", quantity: 2)], 0), ([], 0),
        ([Product(id: "t", price: 0.1), Product(id: "u", price: 0.2), Product(id: "v", total: 1.1)], 1.4),
        ([Product(id: "t", price: 4.35, quantity: 100)], 435), ([Product(id: "t", price: 1e70, quantity: 2)], 2e70),
        ([Product(id: "t", price: -0.7), Product(id: "u", price: 0.1)], -0.6),
    ]

    @Test(arguments: Self.cases)
    func itIsComputedFromTotalsPricesAndQuantitiesAsWritten(products: [Product], amount: Double) {
        #expect(ProductAction(.purchase, products: products).amount == amount)
    }

    @Test func theTotalOfTheActionWins() {
        let tea = Product(id: "t", price: 10, quantity: 2)
        #expect(ProductAction(.purchase, products: [tea], total: 18).amount == 18)
    }

    @Test func oneBeyondAllNumbersIsNone() {
        let all = Product(id: "t", price: .greatestFiniteMagnitude, quantity: 2)
        #expect(ProductAction(.purchase, products: [all]).amount == nil)
    }
}
