// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetWebVisitors

@Suite struct VisitorLimitTests {
    @Test func aBucketFillsAtItsRateAndNoHigher() throws {
        var bucket = TokenBucket(perSecond: 2, capacity: 3, at: .zero)
        let first = (0..<4).map { _ in bucket.take(at: .zero) }
        #expect(first == [true, true, true, false])
        // A clock that goes back takes nothing away and gives nothing.
        let one = [499, 500, 500, 100].map { bucket.take(at: .milliseconds($0)) }
        #expect(one == [false, true, false, false])
        let later = (0..<4).map { _ in bucket.take(at: .seconds(3600)) }
        #expect(later == [true, true, true, false])
    }

    @Test func aClientThatFloodsHasABucketOfItsOwn() throws {
        var buckets = VisitorBuckets(try VisitorLimit(perSecond: 1, burst: 2), at: .zero)
        let flood = (0..<3).map { _ in buckets.take("flood", at: .zero) }
        #expect(flood == [true, true, false])
        let (calm, unnamed) = (buckets.take("calm", at: .zero), buckets.take(nil, at: .zero))
        #expect(calm && unnamed)
        let refilled = buckets.take("flood", at: .seconds(1))
        #expect(refilled)
    }

    @Test func theNumberOfBucketsIsLimited() throws {
        var buckets = VisitorBuckets(try VisitorLimit(perSecond: 1, burst: 2), at: .zero, maximum: 3)
        // The fourth and fifth share the bucket of all others.
        let taken = ["a", "b", "c", "d", "e", "f"].map { buckets.take($0, at: .zero) }
        #expect(taken == [true, true, true, true, true, false] && buckets.count == 3)
        let tooLong = buckets.take(String(repeating: "x", count: 257), at: .zero)
        #expect(!tooLong)
        // Full again, they are forgotten for others.
        let later = buckets.take("g", at: .seconds(2))
        #expect(later && buckets.count == 1)
    }

    @Test(arguments: [(0, 1), (-1, 1), (Double.nan, 1), (.infinity, 1), (1, 0)])
    func aLimitThatLetsNobodyInIsAnError(perSecond: Double, burst: Int) {
        let error = #expect(throws: WebVisitorsError.self) { try VisitorLimit(perSecond: perSecond, burst: burst) }
        #expect(error?.code == .visitorRate)
    }
}
