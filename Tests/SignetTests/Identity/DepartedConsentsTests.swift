// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import Signet

@Suite struct DepartedConsentsTests {
    private static func consent(_ isGiven: Bool) -> ConsentState {
        ConsentState(gdpr: ["ads": Consent(isGiven, timestamp: Date(timeIntervalSince1970: 7))])
    }

    @Test func theLatestWordOfSomebodyCounts() {
        var departed = DepartedConsents()
        #expect(departed.consent(of: IdentityFixture.mpid(1)) == nil)
        departed.add(IdentityFixture.mpid(1), Self.consent(true), lastEvent: 1)
        departed.add(IdentityFixture.mpid(2), Self.consent(true), lastEvent: 2)
        departed.add(IdentityFixture.mpid(1), Self.consent(false), lastEvent: 3)
        #expect(departed.consent(of: IdentityFixture.mpid(1)) == Self.consent(false))
        #expect(departed.entries.map(\.lastEvent) == [2, 3])
        let isChanged = departed.remove { $0.lastEvent <= 2 }
        let isChangedAgain = departed.remove { $0.lastEvent <= 2 }
        #expect(isChanged && !isChangedAgain)
        #expect(departed.entries.map(\.mpid) == [IdentityFixture.mpid(1)])
    }

    @Test func theOldestMakeRoom() {
        var departed = DepartedConsents()
        for number in 1...Int64(DepartedConsents.limit) + 5 {
            departed.add(IdentityFixture.mpid(number), Self.consent(true), lastEvent: 1)
        }
        #expect(departed.entries.count == DepartedConsents.limit)
        #expect(departed.entries.first?.mpid == IdentityFixture.mpid(6))
    }

    @Test func theyComeBackFromTheirBytesAndNothingShorterDoes() {
        var departed = DepartedConsents()
        departed.add(IdentityFixture.mpid(-1), Self.consent(true), lastEvent: 0)
        departed.add(IdentityFixture.mpid(2), Self.consent(false), lastEvent: 9)
        let bytes = departed.encoded()
        #expect(DepartedConsents(bytes) == departed)
        for count in 0..<bytes.count { #expect(DepartedConsents(Array(bytes.prefix(count))) == nil) }
    }
}
