// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// The users of an installation in a directory have the limit of a row of a shared store.
@Suite struct LeavingUsersTests {
    /// Customers as logins make them, each seen a second after the one before; the last one is current.
    private static func till(_ count: Int) -> IdentityState {
        var state = IdentityFixture.empty
        for number in 1...Int64(count) {
            _ = state.directory.resolve(
                to: IdentityFixture.mpid(number),
                isLoggedIn: true,
                isLogin: true,
                isEphemeral: false,
                request: [.customerID: "customer-\(number)"],
                now: IdentityFixture.now + number * 1000
            )
        }
        return state
    }

    private static func numbers(_ users: [MPID]) -> [Int64] { users.map(\.rawValue) }

    @Test func of2000CustomersTheLatestHaveRoom() throws {
        var till = Self.till(2000)
        let limit = SharedStoreLimits.valueBytes
        #expect(till.encoded().count > 2 * limit)
        let (leaving, size) = till.leaving(toFit: limit, in: 1) { _, _ in false }
        till.leave(leaving)
        #expect(till.encoded().count == size && size <= limit)
        #expect(Self.numbers(leaving.users) == Array(1...Int64(leaving.users.count)))
        #expect(till.directory.entries.count == 2000 - leaving.users.count)
        #expect(till.directory.current == IdentityFixture.mpid(2000))
        // No more than needed.
        var oneMore = Self.till(2000)
        oneMore.leave(LeavingUsers(users: leaving.users.dropLast()))
        #expect(oneMore.encoded().count > limit)
    }

    @Test func usersWithUnsentFactsLeaveLast() throws {
        var till = Self.till(6)
        till.directory.entries[IdentityFixture.mpid(1)]?.changed = ["plan": 1]
        till.directory.entries[IdentityFixture.mpid(2)]?.removals = ["plan": 2]
        till.directory.entries[IdentityFixture.mpid(3)]?.unsentConsent = 3
        // Only a batch with events brings it, and their events are delivered in any case.
        till.directory.entries[IdentityFixture.mpid(4)]?.unsentConsent = 4
        till.directory.entries[IdentityFixture.mpid(4)]?.consentForEvents = 4
        let all = till.leaving(toFit: 1, in: 1) { _, _ in false }
        #expect(Self.numbers(all.leaving.users) == [4, 5, 1, 2, 3])
        #expect(all.size > 1)
        let strict = till.leaving(toFit: 1, in: 1) { $1.hasUnsentFacts }
        #expect(Self.numbers(strict.leaving.users) == [4, 5])
        #expect(strict.size > all.size)
    }

    @Test func theCurrentUserStaysAndTheConsentOfTheOthersIsReturned() {
        var till = Self.till(3)
        let consent = ConsentState(gdpr: ["ads": Consent(false)])
        till.directory.entries[IdentityFixture.mpid(2)]?.consent = consent
        let departures = till.directory.leave([3, 2, 1].map(IdentityFixture.mpid))
        #expect(departures == [UserDirectory.Departure(mpid: IdentityFixture.mpid(2), consent: consent)])
        #expect(Array(till.directory.entries.keys) == [IdentityFixture.mpid(3)])
    }
}
