// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct AttributeValueSumTests {
    @Test(arguments: [
        (AttributeValue.double(0.1), AttributeValue.double(0.2), AttributeValue.double(0.3)),
        (.double(1.1), .integer(2), .double(3.1)),
        (.integer(2), .double(1.1), .double(3.1)),
        (.double(19.99), .double(-19.99), .double(0)),
        (.double(4.35), .double(100.65), .double(105)),
        (.double(-0.7), .double(0.1), .double(-0.6)),
        (.double(1e-9), .integer(1), .double(1.000000001)),
        (.integer(.max), .double(0.5), .double(9223372036854775807.5)),
        (.integer(1), .integer(2), .integer(3)),
    ])
    func numbersAreAddedAsTheyAreWritten(first: AttributeValue, second: AttributeValue, sum: AttributeValue) {
        #expect(first.adding(second) == sum)
    }

    @Test(arguments: [1e300, -1e300, 1e-300, .leastNonzeroMagnitude, 1e60, 1e61])
    func farApartOnesAreAddedAsIEEE754Has(number: Double) {
        #expect(AttributeValue.double(number).adding(.double(number)) == .double(2 * number))
        let sum = AttributeValue.double(number).adding(1)
        #expect(sum == .double(number + 1))
    }

    @Test func aSumBeyondANumberIsNone() {
        #expect(AttributeValue.integer(.max).adding(1) == nil)
        #expect(AttributeValue.integer(.min).adding(-1) == nil)
        let greatest = AttributeValue.double(.greatestFiniteMagnitude)
        #expect(greatest.adding(greatest) == nil)
        #expect(AttributeValue.double(.nan).adding(1) == nil)
        #expect(AttributeValue.double(.infinity).adding(1) == nil)
    }

    @Test(arguments: [AttributeValue.string("1"), .bool(true), .list([1]), .null])
    func whatIsNoNumberHasNoSum(value: AttributeValue) {
        #expect(!value.isNumber)
        #expect(value.adding(1) == nil)
        #expect(AttributeValue.integer(1).adding(value) == nil)
    }
}
