// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetTransport
import Testing

@testable import SignetServer

/// The live page remembers so much and no more.
@Suite struct ExchangeLogTests {
    private static func exchange(_ size: Int = 0) -> Exchange {
        let request = TransportRequest(method: .post, url: "http://emulator/", body: Array(repeating: 0, count: size))
        return Exchange(request, path: "/", response: .success(TransportResponse(status: 200)), at: 1)
    }

    @Test func theLastOnesAreThereInOrder() {
        var log = ExchangeLog(count: 10, bytes: 1 << 20)
        for number in 1...1000 { #expect(log.append(Self.exchange()).number == number) }
        #expect(log.all.map(\.number) == Array(991...1000))
        #expect(log[990] == nil && log[995]?.number == 995)
        #expect(log.total == 1000)
    }

    @Test(arguments: [0, 1, 10, 1000]) func anyNumberMayBeAskedFor(exchanges: Int) {
        var log = ExchangeLog(count: 7, bytes: 1 << 20)
        for _ in 0..<exchanges { _ = log.append(Self.exchange()) }
        let first = max(1, exchanges - 6)
        for number in [.min, .min + 1, -1, 0, first - 1, exchanges + 1, .max - 1, .max] { #expect(log[number] == nil) }
        for number in first..<(exchanges + 1) { #expect(log[number]?.number == number) }
    }

    @Test func whatIsLetGoIsNotHeldEither() {
        var log = ExchangeLog(count: 500, bytes: 100_000)
        for number in 1...1200 {
            _ = log.append(Self.exchange(20_000))
            #expect(log.heldBytes <= 100_000)
            #expect(log[number]?.number == number)
            #expect(log[number - 5] == nil && log[number + 1] == nil)
        }
        for number in 1...1000 { #expect(log.append(Self.exchange()).number == number + 1200) }
        #expect(log.heldBytes <= 100_000 && log.all.map(\.number) == Array((2201 - log.all.count)...2200))
    }

    @Test func bytesAreBoundedButTheLastOneStays() {
        var log = ExchangeLog(count: 100, bytes: 10_000)
        for _ in 0..<50 { _ = log.append(Self.exchange(2000)) }
        #expect((1...5).contains(log.all.count))
        _ = log.append(Self.exchange(100_000))
        #expect(log.all.count == 1)
        _ = log.append(Self.exchange())
        #expect(log.all.count == 1)
    }
}
#endif
