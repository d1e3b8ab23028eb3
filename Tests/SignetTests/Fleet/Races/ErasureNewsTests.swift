// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import Signet

/// Each state of ``ErasureNews`` with each answer.
@Suite struct ErasureNewsTests {
    /// Takes in the answers of flushes that were sent one second after the other, from the tenth second on.
    private static func after(_ answers: Int?...) -> (news: ErasureNews, asks: [Bool]) {
        var news = ErasureNews()
        let asks = answers.enumerated().map { news.flushed($1, sent: .seconds(10 + $0)) }
        return (news, asks)
    }

    @Test func untilAFlushIsAnsweredTheErasuresAreAskedFor() {
        #expect(ErasureNews().isDue(at: .zero))
        #expect(ErasureNews().isDue(at: .seconds(60)))
    }

    @Test func anAnswerThatNoneIsPendingCountsUntilTheNextIsLate() {
        let (first, asks) = Self.after(0)
        #expect(asks == [false])
        #expect(!first.isDue(at: .seconds(10)))
        #expect(!first.isDue(at: .seconds(11)))
        #expect(first.isDue(at: .seconds(10) + ErasureNews.lifetime))
        #expect(!Self.after(0, 0).news.isDue(at: .seconds(12)))
    }

    @Test func anAnswerThatOneIsPendingAsksAtOnceAndAgain() {
        #expect(Self.after(1).asks == [true])
        let (news, asks) = Self.after(0, 1, 1)
        #expect(asks == [false, true, true])
        #expect(news.isDue(at: .seconds(12)))
        #expect(!Self.after(0, 1, 0).news.isDue(at: .seconds(12)))
    }

    @Test func aStoreThatDoesNotCountIsAskedEachTime() {
        let (news, asks) = Self.after(nil, 0, nil)
        #expect(asks == [false, false, false])
        #expect(news.isDue(at: .seconds(12)))
    }

    @Test func aFlushWithoutAnAnswerEndsWhatTheOneBeforeSaid() {
        var (news, _) = Self.after(0)
        news.unanswered()
        #expect(news.isDue(at: .seconds(10)))
    }

    @Test func anOlderAnswerDoesNotShortenWhatANewerSays() {
        var (news, _) = Self.after(0, 0, 0)
        let asks = news.flushed(0, sent: .seconds(11))
        #expect(!asks)
        #expect(!news.isDue(at: .seconds(13)))
    }
}
