// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct TombstoneTests {
    @Test func itKnowsTheUserAndDoesNotSayWho() throws {
        let mpid = try #require(MPID(rawValue: -6_504_934_091_054_997_508))
        var tombstone = Tombstone(of: mpid)
        tombstone.reach = 17
        let key = StateKey.tombstone(tombstone.id)
        let again = try #require(Tombstone(key: key, tombstone.encoded()))
        #expect(again == tombstone)
        #expect(again.names(mpid))
        #expect(!again.names(IdentityFixture.mpid(1)))
        let other = Tombstone(of: mpid)
        #expect(other.hash != tombstone.hash)
        #expect(Tombstone(key: key, tombstone.encoded() + [0]) == nil)
        #expect(Tombstone(key: key, []) == nil)
    }

    @Test func eventsOfAUserWhoCameBackAreNotMeant() throws {
        let mpid = IdentityFixture.mpid(7)
        var tombstone = Tombstone(of: mpid)
        tombstone.reach = 17
        var subjects = ErasureSubjects([Tombstone(of: IdentityFixture.mpid(8)), tombstone])
        let meant = [
            subjects.contains(mpid, 17), subjects.contains(mpid, 18), subjects.contains(IdentityFixture.mpid(8), .max),
            subjects.contains(IdentityFixture.mpid(9), 1), subjects.contains(mpid),
        ]
        #expect(meant == [true, false, true, false, true])
    }
}
