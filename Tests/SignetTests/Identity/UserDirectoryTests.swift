// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import Signet

@Suite struct UserDirectoryTests {
    private static let now = IdentityFixture.now

    /// Makes a user current.
    private static func meet(
        _ mpid: Int64,
        at now: Int64,
        _ request: IdentityRequest = [:],
        isLoggedIn: Bool = false,
        in directory: inout UserDirectory
    ) -> (previous: MPID?, isChange: Bool) {
        directory.resolve(
            to: IdentityFixture.mpid(mpid),
            isLoggedIn: isLoggedIn,
            isEphemeral: false,
            request: request,
            now: now
        )
    }

    @Test func nobodyIsThereAtFirst() {
        let directory = UserDirectory(createdAt: Self.now)
        #expect(directory.currentUser(now: Self.now) == nil)
        #expect(directory.allUsers(now: Self.now).isEmpty)
        #expect(directory.identities(of: IdentityFixture.mpid(1)).isEmpty)
    }

    @Test func theFirstUserWasSeenSinceTheInstallationWasMade() {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now + 9000, in: &directory)
        _ = Self.meet(2, at: Self.now + 10_000, in: &directory)
        #expect(directory.entries[IdentityFixture.mpid(1)]?.firstSeen == Self.now)
        #expect(directory.entries[IdentityFixture.mpid(2)]?.firstSeen == Self.now + 10_000)
    }

    @Test func aUserIsFirstSeenOnce() {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, in: &directory)
        _ = Self.meet(2, at: Self.now + 1, in: &directory)
        _ = Self.meet(1, at: Self.now + 2, in: &directory)
        _ = Self.meet(2, at: Self.now + 3, in: &directory)
        #expect(directory.entries[IdentityFixture.mpid(2)]?.firstSeen == Self.now + 1)
    }

    /// Makes a user current after others, as an answer does.
    private static func follow(_ mpid: Int64, at now: Int64, in directory: inout UserDirectory) {
        let previous = Self.meet(mpid, at: now, in: &directory).previous
        _ = directory.forgetBlankUsers(after: previous, now: now)
    }

    @Test func ofUsersOfWhomNothingIsKnownTheFirstTheCurrentAndTheTenLastOnesStay() {
        var directory = UserDirectory(createdAt: Self.now)
        for number in 1...100 { Self.follow(Int64(number), at: Self.now + Int64(number), in: &directory) }
        let left = directory.allUsers(now: Self.now + 101).map(\.mpid.rawValue)
        #expect(left == Array((90...100).reversed()) + [1])
        // One who comes back was seen last.
        Self.follow(90, at: Self.now + 200, in: &directory)
        Self.follow(101, at: Self.now + 201, in: &directory)
        #expect(directory.entries[IdentityFixture.mpid(90)] != nil)
        #expect(directory.entries[IdentityFixture.mpid(91)] == nil)
    }

    @Test func whoWasJustLeftStaysThoughTheClockWentBack() {
        var directory = UserDirectory(createdAt: Self.now)
        for number in 1...20 { Self.follow(Int64(number), at: Self.now + 1_000_000 + Int64(number), in: &directory) }
        for number in 21...60 {
            Self.follow(Int64(number), at: Self.now + Int64(number), in: &directory)
            #expect(directory.entries[IdentityFixture.mpid(Int64(number - 1))] != nil)
            #expect(directory.entries.count == 12)
        }
    }

    @Test func whoHasAnythingStays() {
        let known: [(inout UserDirectory.Entry) -> Void] = [
            { $0.identities[.email] = UserDirectory.StoredIdentity(value: "a@b.c", firstSet: Self.now) },
            { $0.attributes["size"] = .string("large") },
            { $0.removals["size"] = 1 },
            { $0.consent = ConsentState() },
            { $0.isLoggedIn = true },
            { $0.unknown.add([1, 2, 3]) },
            { $0.deviceIdentities[.pushToken] = "token" },
        ]
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1000, at: Self.now, in: &directory)
        for (number, change) in known.enumerated() {
            let mpid = Int64(number + 1)
            _ = Self.meet(mpid, at: Self.now + mpid, in: &directory)
            var entry = directory.entries[IdentityFixture.mpid(mpid)] ?? UserDirectory.Entry(firstSeen: 0, lastSeen: 0)
            change(&entry)
            directory.entries[IdentityFixture.mpid(mpid)] = entry
        }
        for number in 100..<200 { Self.follow(Int64(number), at: Self.now + Int64(number), in: &directory) }
        for number in 1...known.count {
            #expect(directory.entries[IdentityFixture.mpid(Int64(number))] != nil, "\(number)")
        }
        #expect(directory.entries.count == known.count + 12)
    }

    @Test func theCurrentUserIsSeenNowAndOthersWhenTheyWereLeft() throws {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, in: &directory)
        _ = Self.meet(2, at: Self.now + 5000, in: &directory)
        let one = try #require(directory.user(IdentityFixture.mpid(1), now: Self.now + 60_000))
        let two = try #require(directory.user(IdentityFixture.mpid(2), now: Self.now + 60_000))
        #expect(one.lastSeen == Date(milliseconds: Self.now + 5000))
        #expect(two.lastSeen == Date(milliseconds: Self.now + 60_000))
    }

    @Test func aWallClockThatWentBackDoesNotTakeTheLastSightBack() throws {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now + 5000, in: &directory)
        let user = try #require(directory.currentUser(now: Self.now - 99_000))
        #expect(user.lastSeen == Date(milliseconds: Self.now + 5000))
    }

    @Test func everybodyIsListedOnceTheLastSeenFirst() {
        var directory = UserDirectory(createdAt: Self.now)
        for (index, mpid) in [5, -3, 8, 5, 2, 8].enumerated() {
            _ = Self.meet(Int64(mpid), at: Self.now + Int64(index) * 1000, in: &directory)
        }
        let all = directory.allUsers(now: Self.now + 60_000).map(\.mpid.rawValue)
        // 8 is current; 2 was left at 5 s, 5 at 4 s, -3 at 2 s.
        #expect(all == [8, 2, 5, -3])
    }

    @Test func theCurrentUserLeadsAlsoWhenTheClockWentBack() {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now + 90_000, in: &directory)
        _ = Self.meet(2, at: Self.now, in: &directory)
        _ = Self.meet(3, at: Self.now - 90_000, in: &directory)
        #expect(directory.allUsers(now: Self.now - 90_000).first?.mpid.rawValue == 3)
    }

    @Test func usersLeftInTheSameMomentAreListedByNumber() {
        var directory = UserDirectory(createdAt: Self.now)
        for mpid in [9, 4, 6, 1] { _ = Self.meet(Int64(mpid), at: Self.now, in: &directory) }
        #expect(directory.allUsers(now: Self.now).map(\.mpid.rawValue) == [1, 4, 6, 9])
    }

    @Test func aChangedValueKeepsTheDateItWasFirstSet() throws {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, [.email: "a@x"], in: &directory)
        _ = Self.meet(1, at: Self.now + 1000, [.email: "b@x", .other: "o"], in: &directory)
        let identities = try #require(directory.currentUser(now: Self.now)).identities
        #expect(identities[.email] == User.Identity(value: "b@x", firstSet: Date(milliseconds: Self.now)))
        #expect(identities[.other] == User.Identity(value: "o", firstSet: Date(milliseconds: Self.now + 1000)))
    }

    @Test func anIdentityThatWasRemovedBeginsAnew() throws {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, [.email: "a@x"], in: &directory)
        directory.store([.email: nil], for: IdentityFixture.mpid(1), now: Self.now + 1)
        #expect(directory.identities(of: IdentityFixture.mpid(1)).isEmpty)
        directory.store([.email: "a@x"], for: IdentityFixture.mpid(1), now: Self.now + 2)
        let user = try #require(directory.currentUser(now: Self.now))
        #expect(user.identities[.email]?.firstSet == Date(milliseconds: Self.now + 2))
    }

    @Test func whatARequestDoesNotMentionStays() {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, [.email: "a@x"], in: &directory)
        _ = Self.meet(1, at: Self.now, [.other: "o"], in: &directory)
        #expect(directory.identities(of: IdentityFixture.mpid(1)) == [.email: "a@x", .other: "o"])
    }

    @Test func nothingIsStoredForSomebodyWhoWasNeverHere() {
        var directory = UserDirectory(createdAt: Self.now)
        directory.store([.email: "a@x"], for: IdentityFixture.mpid(1), now: Self.now)
        #expect(directory.entries.isEmpty)
        let isSet = directory.setAttribute(.bool(true), for: "a", of: IdentityFixture.mpid(1))
        #expect(!isSet)
        #expect(directory.entries.isEmpty)
    }

    @Test func newsIsAnotherUserOrAnotherState() {
        var directory = UserDirectory(createdAt: Self.now)
        var met: [(previous: MPID?, isChange: Bool)] = []
        var expected: [(previous: MPID?, isChange: Bool)] = []
        met.append(Self.meet(1, at: Self.now, in: &directory))
        expected.append((nil, true))
        met.append(Self.meet(1, at: Self.now, in: &directory))
        expected.append((IdentityFixture.mpid(1), false))
        met.append(Self.meet(1, at: Self.now, isLoggedIn: true, in: &directory))
        expected.append((IdentityFixture.mpid(1), true))
        met.append(Self.meet(2, at: Self.now, isLoggedIn: true, in: &directory))
        expected.append((IdentityFixture.mpid(1), true))
        // Unknown for this user, known for the one before: still another user.
        met.append(Self.meet(1, at: Self.now, isLoggedIn: true, in: &directory))
        expected.append((IdentityFixture.mpid(2), true))
        #expect(met.map(\.previous) == expected.map(\.previous))
        #expect(met.map(\.isChange) == expected.map(\.isChange))
    }

    @Test func theFirstUserInheritsAttributesThatWereSetForNobody() {
        var directory = UserDirectory(createdAt: Self.now)
        for (key, value) in [("plan", AttributeValue.string("a")), ("gone", .string("g")), ("gone", nil)] {
            let isSet = directory.setAttribute(value, for: key, of: nil)
            #expect(isSet)
        }
        _ = Self.meet(1, at: Self.now, in: &directory)
        _ = Self.meet(2, at: Self.now, in: &directory)
        #expect(directory.entries[IdentityFixture.mpid(1)]?.attributes == ["plan": .string("a")])
        #expect(directory.entries[IdentityFixture.mpid(2)]?.attributes == [:])
        #expect(directory.anonymousAttributes.isEmpty)
    }

    @Test func anAttributeBelongsToTheUserItIsSetFor() {
        var directory = UserDirectory(createdAt: Self.now)
        _ = Self.meet(1, at: Self.now, in: &directory)
        _ = Self.meet(2, at: Self.now, in: &directory)
        let isSet = directory.setAttribute(.integer(4), for: "level", of: IdentityFixture.mpid(1))
        #expect(isSet)
        #expect(directory.entries[IdentityFixture.mpid(1)]?.attributes == ["level": .integer(4)])
        #expect(directory.entries[IdentityFixture.mpid(2)]?.attributes == [:])
        _ = directory.setAttribute(nil, for: "level", of: IdentityFixture.mpid(1))
        #expect(directory.entries[IdentityFixture.mpid(1)]?.attributes == [:])
    }

    @Test func aCurrentUserWhoIsNotThereIsNobody() {
        let directory = UserDirectory(createdAt: Self.now, entries: [:], current: IdentityFixture.mpid(1))
        #expect(directory.current == nil)
    }
}
