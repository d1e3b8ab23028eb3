// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import Signet

/// Each state of ``ErasureCheck`` with each answer.
@Suite struct ErasureCheckTests {
    /// Takes in the answers of flushes that were sent one second after the other, from the tenth second on.
    private static func after(_ answers: Int?...) -> (check: ErasureCheck, asks: [Bool]) {
        var check = ErasureCheck()
        let asks = answers.enumerated().map { check.flushed($1, sent: .seconds(10 + $0)) }
        return (check, asks)
    }

    @Test func untilAFlushIsAnsweredTheErasuresAreAskedFor() {
        #expect(ErasureCheck().isDue(at: .zero))
        #expect(ErasureCheck().isDue(at: .seconds(60)))
    }

    @Test func anAnswerThatNoneIsPendingCountsUntilTheNextIsLate() {
        let (first, asks) = Self.after(0)
        #expect(asks == [false])
        #expect(!first.isDue(at: .seconds(10)))
        #expect(!first.isDue(at: .seconds(11)))
        #expect(first.isDue(at: .seconds(10) + ErasureCheck.lifetime))
        #expect(!Self.after(0, 0).check.isDue(at: .seconds(12)))
    }

    @Test func anAnswerThatOneIsPendingAsksAtOnceAndAgain() {
        #expect(Self.after(1).asks == [true])
        let (check, asks) = Self.after(0, 1, 1)
        #expect(asks == [false, true, true])
        #expect(check.isDue(at: .seconds(12)))
        #expect(!Self.after(0, 1, 0).check.isDue(at: .seconds(12)))
    }

    @Test func aStoreThatDoesNotCountIsAskedEachTime() {
        let (check, asks) = Self.after(nil, 0, nil)
        #expect(asks == [false, false, false])
        #expect(check.isDue(at: .seconds(12)))
    }

    @Test func aFlushWithoutAnAnswerEndsWhatTheOneBeforeSaid() {
        var (check, _) = Self.after(0)
        check.unanswered()
        #expect(check.isDue(at: .seconds(10)))
    }

    @Test func anOlderAnswerDoesNotShortenWhatANewerSays() {
        var (check, _) = Self.after(0, 0, 0)
        let asks = check.flushed(0, sent: .seconds(11))
        #expect(!asks)
        #expect(!check.isDue(at: .seconds(13)))
    }
}
