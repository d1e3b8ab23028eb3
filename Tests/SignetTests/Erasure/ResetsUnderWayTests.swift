// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import Testing

@testable import Signet

/// An open asks for the resets of its id alone.
@Suite struct ResetsUnderWayTests {
    private static let first = InstallationReset(number: 1, id: "a")
    private static let second = InstallationReset(number: 2, id: "a")
    private static let other = InstallationReset(number: 3, id: "b")

    private static func underWay() -> ResetsUnderWay {
        var resets = ResetsUnderWay()
        for reset in [Self.second, Self.other, Self.first] { resets.begin(reset) }
        return resets
    }

    @Test func thoseOfAnIdComeOldestFirst() {
        let resets = Self.underWay()
        #expect(resets.withState(of: "a") == [Self.first, Self.second])
        #expect(resets.withState(of: "b") == [Self.other])
        #expect(resets.withState(of: "c") == [])
    }

    @Test func oneWithoutStateIsUnderWayButNotAskedFor() {
        var resets = Self.underWay()
        resets.removedState(of: Self.first)
        #expect(resets.withState(of: "a") == [Self.second])
        #expect(resets.all == [Self.first, Self.second, Self.other] && resets.withoutState == [Self.first])
    }

    @Test func aFinishedOneIsForgotten() {
        var resets = Self.underWay()
        resets.removedState(of: Self.first)
        resets.finished(Self.first)
        resets.finished(Self.other)
        #expect(resets.all == [Self.second] && resets.withoutState.isEmpty)
        #expect(resets.withState(of: "a") == [Self.second] && resets.withState(of: "b") == [])
    }
}
