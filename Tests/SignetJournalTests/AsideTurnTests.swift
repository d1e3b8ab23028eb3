// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct AsideTurnTests {
    private enum Event { case request, begin, end, close }

    /// The answer of the last event after the ones before it.
    private func answer(_ events: Event...) -> Bool? {
        var turn = AsideTurn()
        var answer: Bool?
        for event in events {
            switch event {
            case .request: answer = turn.request()
            case .begin: answer = turn.begin()
            case .end: answer = turn.end()
            case .close: turn.close()
            }
        }
        return answer
    }

    @Test func theFirstRequestIsHandedOver() {
        #expect(self.answer(.request) == true)
        #expect(self.answer(.begin) == false)
        #expect(self.answer(.end) == false)
    }

    @Test func aRequestWhileOneWaitsIsMerged() {
        #expect(self.answer(.request, .request) == false)
        #expect(self.answer(.request, .begin) == true)
        #expect(self.answer(.request, .request, .begin, .end) == false)
        #expect(self.answer(.request, .end) == false)
    }

    @Test func requestsWhileOneRunsAreHandedOverOnceAfterIt() {
        #expect(self.answer(.request, .begin, .request) == false)
        #expect(self.answer(.request, .begin, .request, .end) == true)
        #expect(self.answer(.request, .begin, .request, .request, .end, .begin, .end) == false)
        #expect(self.answer(.request, .begin, .request, .end, .request) == false)
        #expect(self.answer(.request, .begin, .begin) == false)
    }

    @Test func afterItsEndARequestIsHandedOverAgain() {
        #expect(self.answer(.request, .begin, .end, .request) == true)
        #expect(self.answer(.request, .begin, .end, .begin) == false)
        #expect(self.answer(.request, .begin, .end, .end) == false)
    }

    @Test func nothingBeginsOrIsHandedOverAfterTheClose() {
        #expect(self.answer(.close, .request) == false)
        #expect(self.answer(.close, .begin) == false)
        #expect(self.answer(.close, .end) == false)
        #expect(self.answer(.request, .close, .begin) == false)
        #expect(self.answer(.request, .begin, .request, .close, .end) == false)
    }
}
