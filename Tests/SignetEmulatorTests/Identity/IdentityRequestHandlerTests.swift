// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct IdentityRequestHandlerTests {
    private static func platform(
        _ strategy: IdentityStrategy = .conversion,
        unique: Set<IdentityType>? = nil,
        login: Set<IdentityType>? = nil,
        immutable: Set<IdentityType> = [],
        priority: [IdentityType] = [.customerID, .email, .other, .iosVendorID, .deviceApplicationStamp],
        ephemeral: EphemeralRule = .never
    ) -> Platform {
        var configuration = EmulatorConfiguration(
            strategy: strategy,
            priority: priority,
            uniqueIdentities: unique,
            loginIdentities: login,
            immutableIdentities: immutable,
            mpids: .counting(from: 1)
        )
        configuration.ephemeralRule = ephemeral
        return Platform(configuration)
    }

    // MARK: Answers

    @Test func anAnswerHasTheDocumentedMembers() async {
        let platform = Self.platform()
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        let answer = await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"])
        #expect(answer.status == 200)
        #expect(answer.json["mpid"] == "1")
        #expect(answer.json["is_logged_in"] == true)
        #expect(answer.json["is_ephemeral"] == false)
        #expect(answer.json["matched_identities"] == ["ios_idfv": "v"])
        #expect(answer.json["context"]?.string?.isEmpty == false)
        #expect(answer.json.object?.count == 5)
        #expect(answer.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(answer.headers["X-MP-Max-Age"] == "86400")
    }

    @Test func aNewUserMatchedNothing() async {
        let answer = await Self.platform().resolve("identify", ["ios_idfv": "v"])
        #expect(answer.json["matched_identities"] == [:])
        #expect(answer.isLoggedIn == false)
    }

    @Test func identifyWithALoginIdentityIsLoggedIn() async {
        #expect(await Self.platform().resolve("identify", ["customerid": "c"]).isLoggedIn == true)
    }

    @Test func theContextIsAnotherEachTime() async {
        let platform = Self.platform()
        let first = await platform.resolve("identify", ["ios_idfv": "v"]).json["context"]
        let second = await platform.resolve("identify", ["ios_idfv": "v"]).json["context"]
        #expect(first != second)
    }

    @Test(arguments: [(EphemeralRule.never, false, false), (.anonymousUsers, true, false), (.always, true, true)])
    func theEphemeralRuleIsChosen(rule: EphemeralRule, anonymous: Bool, known: Bool) async {
        let platform = Self.platform(ephemeral: rule)
        #expect(await platform.resolve("identify", ["ios_idfv": "v"]).json["is_ephemeral"] == .bool(anonymous))
        #expect(await platform.resolve("login", ["customerid": "c"]).json["is_ephemeral"] == .bool(known))
    }

    @Test func returnMatchesCanBeSwitchedOff() async {
        let platform = Self.platform()
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        let body = Platform.identityBody(["ios_idfv": "v"])
        #expect(await platform.post("/v1/identify?return_matches=false", body).json["matched_identities"] == nil)
        #expect(
            await platform.post("/v1/identify?return_matches=true", body).json["matched_identities"]
                == ["ios_idfv": "v"]
        )
    }

    // MARK: Reading only

    @Test func readOnlyChangesNothing() async {
        let platform = Self.platform()
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        let before = platform.emulator.users()
        platform.time.advance(by: .seconds(5))
        for call in ["identify", "login"] {
            let body = Platform.identityBody(["ios_idfv": "v", "email": "e"])
            #expect(await platform.post("/v1/\(call)?read_only=true", body).mpid == 1)
        }
        for call in ["identify", "login", "logout"] {
            let body = Platform.identityBody(["ios_idfv": "w"])
            #expect(await platform.post("/v1/\(call)?read_only=true", body).status == 404)
        }
        #expect(platform.emulator.users() == before)
    }

    @Test func searchChangesNothing() async {
        let platform = Self.platform()
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        let before = platform.emulator.users()
        platform.time.advance(by: .seconds(5))
        let found = await platform.resolve("search", ["ios_idfv": "v", "email": "e"])
        #expect(found.mpid == 1)
        #expect(found.json["matched_identities"] == ["ios_idfv": "v"])
        let missed = await platform.resolve("search", ["ios_idfv": "w"])
        #expect(missed.status == 404)
        #expect(missed.errorCode == "NOT_FOUND")
        #expect(platform.emulator.users() == before)
    }

    // MARK: Ties

    private static func tied() async -> Platform {
        let platform = Self.platform()
        for number in 1...3 {
            #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == Int64(number))
            platform.time.advance(by: .seconds(1))
        }
        return platform
    }

    @Test func thePreviousUserBreaksALastTie() async {
        #expect(await Self.tied().resolve("identify", ["ios_idfv": "v"], previous: 2).mpid == 2)
    }

    @Test func elseTheUserSeenLastBreaksIt() async {
        let platform = await Self.tied()
        #expect(await platform.resolve("identify", ["ios_idfv": "v"]).mpid == 3)
        platform.time.advance(by: .seconds(1))
        _ = await platform.resolve("identify", ["ios_idfv": "v"], previous: 1)
        #expect(await platform.resolve("identify", ["ios_idfv": "v"], previous: 99).mpid == 1)
    }

    @Test func elseTheSmallestNumberBreaksIt() async {
        let platform = Self.platform()
        for _ in 1...3 {
            _ = await platform.resolve("logout", ["ios_idfv": "v"])
        }
        #expect(await platform.resolve("identify", ["ios_idfv": "v"]).mpid == 1)
    }

    // MARK: Login identities

    @Test func aKnownUserGoesBeforeAnAnonymousOneOfAMoreImportantType() async {
        for strategy in [IdentityStrategy.conversion, .link, .isolation] {
            let platform = Self.platform(strategy, login: [.customerID], priority: [.iosVendorID, .customerID])
            #expect(await platform.resolve("login", ["customerid": "c"]).mpid == 1)
            #expect(await platform.resolve("identify", ["ios_idfv": "v"]).mpid == 2)
            #expect(await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"]).mpid == 1, "\(strategy)")
        }
    }

    @Test func aSetLoginIdentityIsReplacedOnlyByAMoreImportantOne() async {
        let platform = Self.platform(login: [.customerID, .email])
        _ = await platform.resolve("login", ["customerid": "c", "email": "old"])
        _ = await platform.resolve("login", ["customerid": "c", "email": "new"])
        #expect(platform.record(1)?["email"] == ["new"])
        _ = await platform.resolve("login", ["customerid": "d", "email": "new"])
        #expect(platform.record(1) == ["customerid": ["c"], "email": ["new"]])
        #expect(platform.emulator.users().count == 1)
    }

    @Test func aNewCustomerOnAKnownDeviceIsANewUser() async {
        let platform = Self.platform()
        _ = await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"])
        #expect(await platform.resolve("login", ["customerid": "d", "ios_idfv": "v"], previous: 1).mpid == 2)
        #expect(platform.record(1) == ["customerid": ["c"], "ios_idfv": ["v"]])
    }

    @Test func loginWithoutALoginIdentityActsLikeIdentify() async {
        for strategy in IdentityStrategy.allCases where strategy != .isolation {
            let platform = Self.platform(strategy)
            #expect(await platform.resolve("identify", ["ios_idfv": "v"]).mpid == 1)
            #expect(await platform.resolve("login", ["ios_idfv": "v"]).mpid == 1, "\(strategy)")
        }
    }

    @Test func isolationRefusesALoginWithoutALoginIdentity() async {
        let answer = await Self.platform(.isolation).resolve("login", ["ios_idfv": "v"])
        #expect(answer.status == 400)
        #expect(answer.errorCode == "LOOKUP_ERROR")
        #expect(answer.errorMessage == "CleanCutStrategy login action is missing the login identity type.")
    }

    // MARK: Logout

    @Test func aLogoutLeavesLoginIdentitiesWithTheirOwner() async {
        for strategy in IdentityStrategy.allCases where strategy != .bestMatch {
            let platform = Self.platform(strategy)
            let customer = ["customerid": "c", "ios_idfv": "v"]
            let known = await platform.resolve("login", customer).mpid ?? 0
            let answer = await platform.resolve("logout", customer)
            #expect(answer.isLoggedIn == false, "\(strategy)")
            #expect(answer.mpid != known)
            #expect(platform.record(known) == ["customerid": ["c"], "ios_idfv": ["v"]])
            #expect(await platform.resolve("logout", ["customerid": "c"]).status == 400)
        }
    }

    @Test func isolationReturnsToNobodyWhenTheDeviceIsNew() async {
        let platform = Self.platform(.isolation)
        _ = await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"])
        #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == 2)
        #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == 2)
        #expect(await platform.resolve("logout", ["ios_idfv": "w"]).mpid == 3)
    }

    // MARK: Source

    @Test func linkRemembersThePreviousAnonymousUser() async {
        let platform = Self.platform(.link)
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        _ = await platform.resolve("logout", ["ios_idfv": "w"])
        #expect(await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"], previous: 2).mpid == 3)
        #expect(platform.user(3)?.source?.rawValue == 2)
    }

    @Test func linkNeverRemembersAKnownUserAsSource() async {
        let platform = Self.platform(.link)
        _ = await platform.resolve("login", ["customerid": "c"])
        _ = await platform.resolve("login", ["customerid": "d"], previous: 1)
        #expect(platform.user(2)?.source == nil)
    }

    // MARK: Immutable identities

    @Test func anImmutableIdentityNeverChanges() async {
        let platform = Self.platform(immutable: [.customerID])
        _ = await platform.resolve("login", ["customerid": "c"])
        #expect(await platform.modify(1, "customerid", from: "c", to: "d").status == 400)
        #expect(await platform.modify(1, "customerid", from: "c", to: nil).status == 400)
        #expect(await platform.modify(1, "customerid", from: "c", to: "c").status == 200)
        #expect(platform.record(1) == ["customerid": ["c"]])
    }

    @Test func anImmutableIdentityIsNeverTaken() async {
        let platform = Self.platform(immutable: [.customerID])
        _ = await platform.resolve("login", ["customerid": "c"])
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        #expect(await platform.modify(2, "customerid", from: nil, to: "c").status == 400)
        #expect(platform.record(1) == ["customerid": ["c"]])
        #expect(platform.record(2) == ["ios_idfv": ["v"]])
    }

    // MARK: Orphans and times

    @Test func anOrphanIsNeverFoundButCanBeGivenAnIdentityAgain() async {
        let platform = Self.platform(unique: [.customerID, .email])
        _ = await platform.resolve("identify", ["email": "e"])
        _ = await platform.resolve("login", ["customerid": "c"])
        _ = await platform.modify(2, "email", from: nil, to: "e")
        #expect(platform.user(1)?.isOrphaned == true)
        #expect(await platform.resolve("login", ["customerid": "c", "email": "e"], previous: 1).mpid == 2)
        #expect(await platform.resolve("search", ["other": "o"], previous: 1).status == 404)
        #expect(await platform.modify(1, "other", from: nil, to: "o").status == 200)
        #expect(platform.user(1)?.isOrphaned == false)
        #expect(await platform.resolve("search", ["other": "o"]).mpid == 1)
    }

    @Test func aUniqueIdentityIsTakenOnLoginToo() async {
        let platform = Self.platform(unique: [.customerID, .email])
        _ = await platform.resolve("identify", ["email": "e"])
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        #expect(await platform.resolve("login", ["customerid": "c", "ios_idfv": "v"]).mpid == 2)
        #expect(await platform.resolve("login", ["customerid": "c", "email": "e"]).mpid == 2)
        #expect(platform.user(1)?.isOrphaned == true)
    }

    @Test func firstSeenStaysAndLastSeenMoves() async {
        let platform = Self.platform()
        let start = platform.time.date()
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        platform.time.advance(by: .milliseconds(1500))
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        #expect(platform.user(1)?.firstSeen == start)
        #expect(platform.user(1)?.lastSeen == platform.time.date())
    }

    @Test func aTakenNumberIsNotGivenAgain() async {
        let configuration = EmulatorConfiguration(mpids: .listed([7, 7, 0, 8]))
        let platform = Platform(configuration)
        #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == 7)
        #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == 8)
        #expect(await platform.resolve("logout", ["ios_idfv": "v"]).mpid == 9)
    }
}
