// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// The pauses of automatic identifies, as a value.
@Suite struct IdentifyPausesTests {
    private var pauses = IdentifyPauses()

    private mutating func fail(
        _ code: SignetError.Code,
        of id: InstallationID = "v",
        after: Duration? = nil,
        at now: Int = 0
    ) {
        let error = SignetError(code, "It failed.", retryAfter: after)
        self.pauses.take(.failed(error), of: id, now: .seconds(now), jitter: 0)
    }

    @Test mutating func thePausesGrowAndEndWithAnAnswer() {
        var now = 0
        for length in [5, 15, 60, 120, 300, 300] {
            self.fail(.notConnected, at: now)
            #expect(self.pauses.error(of: "v", now: .seconds(now))?.retryAfter == .seconds(length))
            now += length
            #expect(self.pauses.error(of: "v", now: .seconds(now)) == nil)
        }
        self.pauses.take(.searched(.notFound), of: "v", now: .seconds(now), jitter: 0)
        #expect(self.pauses.count == 0)
    }

    @Test mutating func thePlatformsWishComesFirst() {
        self.fail(.throttled, after: .seconds(90))
        let error = self.pauses.error(of: "v", now: .seconds(1))
        #expect(error?.code == .throttled)
        #expect(error?.retryAfter == .seconds(89))
        #expect(self.pauses.error(of: "w", now: .zero) == nil)
    }

    @Test(arguments: [
        SignetError.Code.notRunning, .cancelled, .closed, .optedOut, .requestInProgress, .superseded, .notSent,
    ])
    mutating func anEndThatSaysNothingOfThePlatformPausesNothing(code: SignetError.Code) {
        self.fail(code)
        #expect(self.pauses.count == 0)
    }

    @Test mutating func memoryHasALimit() {
        for number in 0...IdentifyPauses.limit { self.fail(.timedOut, of: InstallationID("v-\(number)")) }
        #expect(self.pauses.count <= IdentifyPauses.limit)
        // Those whose pause is over go first.
        let last = InstallationID("v-\(IdentifyPauses.limit)")
        #expect(self.pauses.error(of: last, now: .zero) != nil)
    }
}
