// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@testable import SignetInfobip
@testable import SignetIterable

/// The requests that the services may receive twice without harm.
@Suite(.watched) struct RepeatableRouteTests {
    @Test func lookUpsAndBatchesOfMParticleAreRepeatable() throws {
        let mpid = try #require(MPID(rawValue: 7))
        let routes: [Route] = [.identify, .login, .logout, .search, .modify(mpid), .alias, .events, .bulkEvents]
        #expect(routes.filter(\.isRepeatable) == [.identify, .login, .logout, .search, .events, .bulkEvents])
    }

    @Test func recordsWithAnIDAndTheCriteriaOfIterableAreRepeatable() {
        #expect(IterableRoute.allCases.filter(\.isRepeatable) == [.criteria, .trackEvent, .trackPurchase])
    }

    @Test func fetchesOfInfobipAreRepeatable() {
        let routes: [InfobipRoute] = [
            .createInstallation, .fetchInstallation("a"), .updateInstallation("a"), .expireInstallation("a"),
            .fetchUser("a"), .updateUser("a"), .personalize("a", []), .depersonalize("a"),
            .customEvents("a", isValidated: true), .customEvents("a", isValidated: false), .sessionReports("a"),
            .baseURL,
        ]
        #expect(routes.filter(\.isRepeatable) == [.fetchInstallation("a"), .fetchUser("a"), .baseURL])
    }
}
