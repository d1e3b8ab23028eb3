// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.Date

@testable import Signet
@testable import SignetIterable

@Suite struct TokenRetryPolicyTests {
    @Test func theDefaultsAreTheDocumentedOnes() {
        let policy = TokenRetryPolicy()
        #expect(policy.maximumAttempts == 10)
        #expect(policy.interval == .seconds(6))
        #expect(policy.growth == .constant)
    }

    @Test func constantPausesAreAlikeAndOthersDoubleUpToTheCap() {
        #expect((1...4).map { TokenRetryPolicy().pause(after: $0) } == Array(repeating: .seconds(6), count: 4))
        let growing = TokenRetryPolicy(growth: .exponential(cap: .seconds(40)))
        #expect((0...6).map { growing.pause(after: $0) } == [6, 6, 12, 24, 40, 40, 40].map { .seconds($0) })
        #expect(growing.pause(after: .max) == .seconds(40))
    }

    @Test(arguments: [
        TokenRetryPolicy(maximumAttempts: 0), TokenRetryPolicy(interval: .zero),
        TokenRetryPolicy(growth: .exponential(cap: .seconds(5))),
    ])
    func aPolicyThatCannotWorkIsRefused(policy: TokenRetryPolicy) {
        #expect(throws: SignetError.self) { try policy.validate() }
    }

    @Test func failuresShowNeitherTokenNorUser() {
        let failure = TokenFailure(
            subject: .email("ann@example.com"),
            reason: .expired,
            failedToken: "s3cret",
            date: Date(timeIntervalSince1970: 0),
            willTryAgain: true
        )
        var dumped = ""
        dump(failure, to: &dumped)
        for text in ["\(failure)", String(reflecting: failure), dumped] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("ann"))
        }
    }
}
