// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetTransport
import Testing

@testable import SignetServer

/// What waits for pages that do not read, or went before they began to.
@Suite struct ExchangeFeedTests {
    private static let exchange = Exchange(
        TransportRequest(method: .post, url: "http://emulator/", body: Array(repeating: 0, count: 1 << 20)),
        path: "/a",
        response: .success(TransportResponse(status: 200)),
        at: 1
    )

    @Test func aPageIsToldOfNumbersAndNotOfBodies() async throws {
        let feed = ExchangeFeed(ExchangeLog(count: 10, bytes: 1 << 20))
        let (number, updates) = try #require(feed.subscribe())
        for _ in 0..<300 { feed.add(Self.exchange) }
        feed.finish(number)
        var numbers: [Int] = []
        for await each in updates {
            #expect(each.summary.count < 500)
            numbers.append(each.number)
        }
        // It was too slow for the first ones.
        #expect(numbers == Array(45...300))
    }

    @Test func whoGoesBeforeReadingIsForgotten() {
        let feed = ExchangeFeed(ExchangeLog(count: 10, bytes: 1 << 20))
        for _ in 0..<(3 * ExchangeFeed.subscriberLimit) {
            let subscription = feed.subscribe()
            #expect(subscription != nil)
        }
        #expect(feed.subscriberCount == 0)
        let held = (0..<ExchangeFeed.subscriberLimit).map { _ in feed.subscribe() }
        #expect(feed.subscribe() == nil)
        #expect(held.count == feed.subscriberCount)
    }

    @Test func afterTheEndNobodyListens() {
        let feed = ExchangeFeed(ExchangeLog(count: 10, bytes: 1 << 20))
        feed.finish()
        #expect(feed.subscribe() == nil)
    }
}
#endif
