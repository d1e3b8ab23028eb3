// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@Suite struct UserTests {
    @Test func aUserIsDescribedWithoutIdentitiesAndAttributes() throws {
        let day = Date(timeIntervalSince1970: 0)
        let user = User(
            mpid: try #require(MPID(rawValue: 5)),
            identities: [.email: User.Identity(value: "MARK@example.com", firstSet: day)],
            attributes: ["tier": "MARKvalue"],
            isLoggedIn: true,
            isEphemeral: false,
            firstSeen: day,
            lastSeen: day
        )
        #expect("\(user)" == "User(5, known, identities: [email])")
        #expect(!"\(user.identities)".contains("MARK"))
        #expect(user.id == user.mpid)
    }
}
