// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct TombstoneTests {
    @Test func itKnowsTheUserAndDoesNotSayWho() throws {
        let mpid = try #require(MPID(rawValue: -6_504_934_091_054_997_508))
        var tombstone = Tombstone(of: mpid)
        tombstone.reach = 17
        let again = try Tombstone(decoding: tombstone.encoded())
        #expect(again == tombstone)
        #expect(again.names(mpid))
        #expect(!again.names(IdentityFixture.mpid(1)))
        #expect(!again.isSpreading)
        let spreading = Tombstone(spreading: mpid, workspace: [1, 2])
        #expect(try Tombstone(decoding: spreading.encoded()) == spreading)
        #expect(spreading.isSpreading && spreading.names(mpid))
        #expect(spreading.hash == Tombstone.hash(mpid, workspace: [1, 2]))
        let other = Tombstone(of: mpid)
        #expect(other.hash != tombstone.hash)
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
