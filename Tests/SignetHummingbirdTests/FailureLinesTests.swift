// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import Testing

@testable import SignetHummingbird

@Suite struct FailureLinesTests {
    @Test func theFirstHasALineAndThenOneInTenSecondsWithTheCount() {
        var lines = FailureLines()
        var counts: [Int] = []
        // Two requests a second, for 20 s.
        for half in 0...40 { if let count = lines.failed(at: .milliseconds(500 * half)) { counts.append(count) } }
        #expect(counts == [1, 20, 20])
    }

    @Test func aFailureLongAfterTheLastLineHasOne() {
        var lines = FailureLines()
        #expect(lines.failed(at: .seconds(1)) == 1)
        #expect(lines.failed(at: .seconds(10)) == nil)
        #expect(lines.failed(at: .seconds(500)) == 2)
    }
}
#endif
