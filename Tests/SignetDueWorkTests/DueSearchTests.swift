// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// What of the disk is looked at for due work, and when.
@Suite struct DueSearchTests {
    private func steps(_ search: inout DueSearch, refusing refused: Set<DueSearch.Step> = []) -> [DueSearch.Step] {
        var steps: [DueSearch.Step] = []
        while case .look(let step) = search.next() {
            steps.append(step)
            if refused.contains(step) { search.refused(step) }
        }
        return steps
    }

    @Test func allIsLookedAtOnceInOrder() {
        var search = DueSearch(parts: 2)
        #expect(self.steps(&search) == [.optOuts, .sessions, .outboxes, .marked(part: 0), .marked(part: 1)])
        #expect(search.next() == .found)
    }

    @Test func aPartThatCannotBeReadHoldsUpNoOther() {
        var search = DueSearch(parts: 3)
        #expect(self.steps(&search, refusing: [.sessions, .marked(part: 1)]).count == 6)
        // The pause was taken.
        #expect(self.steps(&search, refusing: [.marked(part: 1)]) == [.sessions, .marked(part: 1)])
        #expect(self.steps(&search) == [.marked(part: 1)])
        #expect(search.next() == .found)
    }

    @Test func eachPartComesAgainWithinTheHour() {
        var search = DueSearch(parts: 256)
        #expect(search.minute() == [.erasures])
        _ = self.steps(&search, refusing: [.marked(part: 7)])
        var seen: [DueSearch.Step] = []
        for _ in 0..<52 { seen += search.minute().filter { $0 != .erasures } }
        #expect(seen == (0..<256).map { .late(part: $0) })
        #expect(search.minute().dropFirst().first == .late(part: 0))
    }

    @Test func optOutsComeAgainEachMinuteUntilNoneIsLeft() {
        var search = DueSearch(parts: 0)
        _ = self.steps(&search, refusing: [.optOuts])
        #expect(search.minute() == [.erasures, .optOuts])
        #expect(search.minute() == [.erasures])
        search.optOutsAreLeft()
        #expect(search.minute() == [.erasures, .optOuts])
        search.refused(.optOuts)
        #expect(search.minute() == [.erasures, .optOuts])
    }
}
