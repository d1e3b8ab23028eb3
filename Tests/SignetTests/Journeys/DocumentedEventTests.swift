// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What is documented of events and uploads and had no test of its own.
@Suite struct DocumentedEventTests {
    /// The names of the Events API, by hand: a kind that is missing or misspelt is seen.
    @Test func theTenProductActionsTwoPromotionsAndImpressionsHaveTheirNames() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let names = [
            "add_to_cart", "remove_from_cart", "checkout", "checkout_option", "click", "view_detail", "purchase",
            "refund", "add_to_wishlist", "remove_from_wish_list",
        ]
        let products = [Product(id: "p", price: 2, quantity: 3)]
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v")
            for name in names {
                let kind = try #require(ProductAction.Kind(rawValue: name))
                var action = ProductAction(kind, products: products, transactionID: "t-1")
                action.total = 6
                try visitor.log(.commerce(.action(action, currency: "EUR")))
            }
            try visitor.log(.commerce(.promotions(.view, [Promotion(id: "p")])))
            try visitor.log(.commerce(.promotions(.click, [Promotion(id: "p")])))
            try visitor.log(.commerce(.impressions([ProductImpression(list: "l", products: products)])))
            return try await visitor.initialIdentifyResult().user.mpid
        }
        let data = signet.emulator.events(of: mpid).filter { $0.type == "commerce_event" }.map(\.data)
        #expect(data.compactMap { $0["product_action"]?["action"]?.string } == names)
        #expect(data.prefix(10).allSatisfy { $0["currency_code"]?.string == "EUR" })
        #expect(data.prefix(10).allSatisfy { $0["product_action"]?["transaction_id"]?.string == "t-1" })
        #expect(data.prefix(10).allSatisfy { $0["product_action"]?["total_amount"]?.number?.double == 6 })
        #expect(data.compactMap { $0["promotion_action"]?["action"]?.string } == ["view", "click"])
        #expect(data.last?["product_impressions"]?.array?.first?["product_impression_list"]?.string == "l")
        #expect(ProductAction.Kind.allCases.count == names.count)
    }

    /// In a vendor's SDK timed events are the whole app's.
    @Test func aTimedEventIsOfItsInstallation() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let mpids = try await signet.run { signet in
            let (one, two) = (try await signet.runtime.open("one"), try await signet.runtime.open("two"))
            try one.beginTimedEvent(.custom("level"))
            signet.clock.advance(by: .seconds(1))
            try two.beginTimedEvent(.custom("level"))
            signet.clock.advance(by: .seconds(1))
            try one.endTimedEvent("level")
            try two.endTimedEvent("level", attributes: ["EventLength": "mine"])
            return [
                try await one.initialIdentifyResult().user.mpid, try await two.login([.customerID: "two"]).user.mpid,
            ]
        }
        let lengths = mpids.flatMap { signet.emulator.events(of: $0) }.filter { $0.name == "level" }
            .compactMap { $0.customAttributes["EventLength"] }
        #expect(Set(lengths) == ["2000", "mine"])
    }

    @Test func theLimitsOfDeliveryAreTheDocumentedOnes() {
        let configuration = SignetConfiguration(apiKey: "k", secret: "s", directory: "/nowhere")
        #expect(configuration.identity.requestTimeout == .seconds(10))
        #expect(configuration.identity.maximumInFlight == 64)
        #expect(configuration.events.maximumInFlight == 4)
        #expect(configuration.events.maximumBatchesPerSecond == 270)
        #expect(configuration.events.priorityUploadDelay == .seconds(1))
    }
}
