// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel
import SignetTransport
import Testing

@testable import SignetIterable

/// A copy of a logged event follows the rules of the event, and of records.
@Suite struct IterableRecordMirrorTests {
    private static let tea = Product(id: "t", price: 10, quantity: 0.4)

    private func copy(_ action: ProductAction, _ attributes: Attributes = [:]) throws -> IterableRecord {
        let event = Event.commerce(.action(action), attributes: attributes)
        return try #require(try IterableRecord(mirroring: event, now: 1))
    }

    @Test func aPurchaseCostsWhatItsProductsDo() throws {
        let action = ProductAction(.purchase, products: [Self.tea], transactionID: "o-1")
        let record = try self.copy(action, ["gift": true])
        #expect(record.kind == .purchase)
        #expect(record.members["total"]?.number?.double == 4)
        #expect(record.members["dataFields"]?["transactionId"]?.string == "o-1")
        #expect(record.members["dataFields"]?["gift"]?.bool == true)
        // Iterable takes whole pieces only.
        #expect(record.members["items"]?.array?.first?["quantity"]?.number?.int64 == 1)
    }

    @Test func aRefundKeepsItsIDAndItsTotal() throws {
        let refund = ProductAction(.refund, products: [Self.tea], transactionID: "o-1", total: 3.5)
        let fields = try #require(try self.copy(refund).members["dataFields"])
        #expect(fields["transactionId"]?.string == "o-1")
        #expect(fields["total"]?.number?.double == 3.5)
        #expect(fields["items"]?.array?.count == 1)
    }

    @Test(arguments: ["items", "total", "transactionId"])
    func anAttributeOfTheAppWins(name: String) throws {
        let refund = ProductAction(.refund, products: [Self.tea], transactionID: "o-1", total: 3.5)
        let fields = try #require(try self.copy(refund, [name: "the app's"]).members["dataFields"])
        #expect(fields[name]?.string == "the app's")
    }

    @Test func anotherActionHasNoFieldsThatItLacks() throws {
        let fields = try #require(try self.copy(ProductAction(.addToCart, products: [Self.tea])).members["dataFields"])
        #expect(fields["total"] == nil && fields["transactionId"] == nil)
        #expect(fields["items"]?.array?.count == 1)
    }

    @Test func theLimitsOfRecordsHold() {
        func code(_ event: Event) -> SignetError.Code? {
            do throws(SignetError) {
                _ = try IterableRecord(mirroring: event, now: 1)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.custom(String(repeating: "n", count: 255))) == nil)
        #expect(code(.custom(String(repeating: "n", count: 256))) == .invalidArgument)
        let long = Attributes((0..<17).map { ("k\($0)", AttributeValue.string(String(repeating: "v", count: 4096))) })
        #expect(code(.custom("long", attributes: long)) == .invalidArgument)
        let product = Product(id: "t", price: .greatestFiniteMagnitude, quantity: 2)
        #expect(code(.commerce(.action(ProductAction(.purchase, products: [product])))) == .invalidArgument)
    }
}
