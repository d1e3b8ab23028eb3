// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// The bounds of a search for what a service refuses.
@Suite struct RefusalSearchTests {
    /// Sends pieces as a queue does: the older half first.
    private func search(_ count: Int, refusing isRefused: (Int) -> Bool) -> (requests: Int, given: Int, taken: Int) {
        var search = RefusalSearch(among: count)
        var parts = [Array(0..<count)]
        var (requests, given, taken) = (0, 0, 0)
        while let part = parts.popLast() {
            requests += 1
            guard part.contains(where: isRefused) else {
                search.accept()
                taken += part.count
                continue
            }
            switch search.refuse(part.count) {
            case .giveUp: given += part.count
            case .halve:
                parts.append(Array(part.dropFirst(part.count / 2)))
                parts.append(Array(part.prefix(part.count / 2)))
            }
        }
        return (requests, given, taken)
    }

    @Test(arguments: [1, 2, 3, 50, 100, 1000]) func oneBadOneIsFoundWhereverItIs(_ count: Int) {
        for bad in Set([0, count / 3, count / 2, count - 1]) {
            let outcome = self.search(count) { $0 == bad }
            #expect(outcome.given == 1 && outcome.taken == count - 1, "\(bad) of \(count)")
            #expect(outcome.requests <= 21)
        }
    }

    @Test func fourBadOnesAreFound() {
        let outcome = self.search(100) { [3, 30, 60, 97].contains($0) }
        #expect(outcome.given == 4 && outcome.taken == 96)
    }

    @Test(arguments: [2, 10, 100, 1000]) func whatIsWrongWithAllCostsTwiceTheLogarithm(_ count: Int) {
        let outcome = self.search(count) { _ in true }
        #expect(outcome.given == count && outcome.taken == 0)
        #expect(outcome.requests <= 22)
    }

    /// Two bad ones at the begin look like what is wrong with all; the rest is still tried.
    @Test func theRestOfABatchIsTriedOnceMore() {
        let outcome = self.search(100) { $0 < 2 }
        #expect(outcome.taken >= 97)
    }

    @Test func badOnesEverywhereEndTheSearch() {
        let outcome = self.search(1000) { $0.isMultiple(of: 2) }
        #expect(outcome.requests <= 2 * 40 + 1)
        #expect(outcome.given + outcome.taken == 1000)
    }
}
