// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// The examples of the guides for ties and for protected users: two and eight.
struct LookUpTableTests {
    static let e1 = "ed.hyde@example.com"
    static let e2 = "h.jekyll.md@example.com"

    // Ties (guides, components): two users share an e-mail, which takes a modify, as an identify would find the first.
    private static func tied(priority: [IdentityType]) async -> Platform {
        let platform = Platform(
            EmulatorConfiguration(strategy: .conversion, priority: priority, mpids: .listed([1, 2, 3]))
        )
        _ = await platform.resolve("identify", ["ios_idfv": "1234", "other": "AAAA"])
        _ = await platform.resolve("identify", ["android_aaid": "2345", "other": "BBBB"])
        _ = await platform.modify(1, "email", from: nil, to: e2)
        _ = await platform.modify(2, "email", from: nil, to: e2)
        return platform
    }

    @Test func theNextTypeOfThePriorityBreaksATie() async {
        let platform = await Self.tied(priority: [.customerID, .email, .other, .iosVendorID, .androidAdvertisingID])
        let answer = await platform.resolve("search", ["email": Self.e2, "other": "AAAA", "ios_idfv": "2345"])
        #expect(answer.mpid == 1)
    }

    @Test func aTypeThatTheRequestLacksBreaksNoTie() async {
        let platform = await Self.tied(priority: [.customerID, .email, .iosVendorID, .androidAdvertisingID])
        let answer = await platform.resolve("search", ["email": Self.e2, "android_aaid": "2345"])
        #expect(answer.mpid == 2)
    }

    // Protection (guides, user data): user 1234 with all three identities, user 5678 with the other e-mail.
    private static func protected(
        login: Set<IdentityType> = [],
        immutable: Set<IdentityType> = [],
        unique: Set<IdentityType> = []
    ) async -> Platform {
        let platform = Platform(
            EmulatorConfiguration(
                strategy: .conversion,
                priority: [.customerID, .email, .iosVendorID],
                uniqueIdentities: unique,
                loginIdentities: login,
                immutableIdentities: immutable,
                mpids: .listed([1234, 5678, 9999])
            )
        )
        let jekyll = ["customerid": "h.jekyll.85", "email": e1, "ios_idfv": "1234"]
        #expect(await platform.resolve("identify", jekyll).mpid == 1234)
        #expect(await platform.resolve("identify", ["email": e2]).mpid == 5678)
        return platform
    }

    @Test func oneOfTwoLoginIdentitiesIsEnough() async {
        let platform = await Self.protected(login: [.email, .customerID])
        #expect(await platform.resolve("identify", ["email": Self.e1]).mpid == 1234)
    }

    @Test func aLoginIdentityFindsItsUserFromANewDevice() async {
        let platform = await Self.protected(login: [.email])
        #expect(await platform.resolve("identify", ["email": Self.e2, "ios_idfv": "5678"]).mpid == 5678)
    }

    @Test func aKnownUserIsNotFoundByTheDevice() async {
        let platform = await Self.protected(login: [.email])
        #expect(await platform.resolve("identify", ["ios_idfv": "1234"]).mpid == 9999)
        #expect(platform.record(9999) == ["ios_idfv": ["1234"]])
    }

    @Test func anImmutableIdentityFindsItsUser() async {
        let platform = await Self.protected(immutable: [.customerID])
        #expect(await platform.resolve("search", ["customerid": "h.jekyll.85"]).mpid == 1234)
    }

    @Test func aSearchWithoutTheImmutableIdentityFindsNobody() async {
        let platform = await Self.protected(immutable: [.customerID])
        let answer = await platform.resolve("search", ["email": Self.e2])
        #expect(answer.status == 404)
        #expect(answer.errorMessage == "User Profile Not Found")
    }

    @Test func aSearchForAnUnknownImmutableIdentityCreatesNobody() async {
        let platform = await Self.protected(immutable: [.customerID])
        #expect(await platform.resolve("search", ["customerid": "9101"]).status == 404)
        #expect(platform.emulator.users().count == 2)
    }

    @Test func aUniqueIdentityIsTakenFromWhoeverHasIt() async {
        let platform = await Self.protected(unique: [.email])
        let answer = await platform.modify(1234, "email", from: Self.e1, to: Self.e2)
        #expect(answer.json["change_results"] == [["identity_type": "email", "modified_mpid": "5678"]])
        #expect(platform.record(1234)?["email"] == [Self.e2])
        #expect(platform.user(5678)?.isOrphaned == true)
    }

    @Test func anIdentityThatIsNotUniqueIsShared() async {
        let platform = await Self.protected()
        let answer = await platform.modify(1234, "email", from: Self.e1, to: Self.e2)
        #expect(answer.json == ["change_results": []])
        #expect(platform.record(1234)?["email"] == [Self.e2])
        #expect(platform.record(5678)?["email"] == [Self.e2])
    }
}
