// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetWire

@Suite struct CommerceJSONTests {
    func text(_ purchase: Purchase) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        purchase.commerce.write(to: &writer)
        writer.endObject()
        return Samples.text(writer.bytes)
    }

    @Test func whatIsNotKnownIsNotSaid() {
        #expect(
            self.text(Purchase(transactionID: "t", total: 0))
                == #"{"product_action":{"action":"purchase","transaction_id":"t","total_amount":0.0}}"#
        )
    }

    @Test func productsKeepTheirOrder() {
        let purchase = Purchase(
            transactionID: "t",
            total: 12.5,
            currency: "EUR",
            products: [Product(id: "2", name: "b", price: 1.25, quantity: 10), Product(id: "1", price: -0.0)]
        )
        #expect(
            self.text(purchase)
                == #"{"product_action":{"action":"purchase","transaction_id":"t","total_amount":12.5,"products":["#
                + #"{"id":"2","name":"b","price":1.25,"quantity":10.0},{"id":"1","price":-0.0}]},"currency_code":"EUR"}"#
        )
    }
}
