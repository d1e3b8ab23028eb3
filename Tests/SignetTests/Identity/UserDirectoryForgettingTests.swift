// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct UserDirectoryForgettingTests {
    private static let now = IdentityFixture.now
    private static let (one, two, three) = (IdentityFixture.mpid(1), IdentityFixture.mpid(2), IdentityFixture.mpid(3))

    private static func directory(meeting mpids: MPID...) -> UserDirectory {
        var directory = UserDirectory(createdAt: Self.now)
        for mpid in mpids { Self.meet(mpid, in: &directory) }
        return directory
    }

    private static func meet(_ mpid: MPID, at now: Int64 = Self.now, in directory: inout UserDirectory) {
        _ = directory.resolve(
            to: mpid,
            isLoggedIn: true,
            isEphemeral: false,
            request: [.customerID: "c-\(mpid)"],
            now: now
        )
    }

    private static func anonymousAttributions(_ directory: UserDirectory) -> [String] {
        directory.anonymousAttributions.map {
            "\($0.upTo == .max ? "-" : "\($0.upTo)") \($0.mpid?.description ?? "erased")"
        }
    }

    @Test func nothingOfAUserIsLeft() throws {
        for met in [[Self.one], [Self.one, Self.two], [Self.two, Self.one], [Self.two, Self.one, Self.three]] {
            var state = IdentityFixture.empty
            for mpid in met { Self.meet(mpid, in: &state.directory) }
            state.context = "about the current user"
            let found1 = state.forget(Self.one, upTo: 9, now: Self.now)
            #expect(found1)
            #expect(!state.directory.mentioned.contains(Self.one))
            #expect(!String(decoding: state.encoded(), as: UTF8.self).contains("c-1"))
            var numbers: [Int64] = []
            try RecordDecoder.visit(state.encoded(), number: { numbers.append($0) }, text: { _ in })
            #expect(!numbers.contains(1))
            #expect(state.context == (met.last == Self.one ? nil : "about the current user"))
            #expect(state.directory.entries.count == met.count - 1)
        }
    }

    /// Who comes first after an erasure may have been here before, with attributes of their own.
    @Test func whatWasSetForNobodyGoesToAnOldUserOnlyWhereItFits() {
        var directory = Self.directory(meeting: Self.two, Self.one)
        directory.entries[Self.two]?.attributes = ["Tier": "own"]
        directory.entries[Self.two]?.removals = ["Color": 3, "other": 4]
        let found = directory.forget(Self.one, upTo: 9, now: Self.now)
        #expect(found)
        directory.anonymousAttributes = ["tier": "of nobody", "color": "red", "new": 1]
        Self.meet(Self.two, in: &directory)
        let entry = directory.entries[Self.two]
        #expect(entry?.attributes == ["Tier": "own", "Color": "red", "new": 1])
        #expect(entry?.removals == ["other": 4])
        #expect(directory.anonymousAttributes.isEmpty)
    }

    @Test func anOldUserHasNoMoreAttributesThanAllowedAfterwards() {
        var directory = Self.directory(meeting: Self.two, Self.one)
        for index in 0..<99 { directory.entries[Self.two]?.attributes["own\(index)"] = 1 }
        let found = directory.forget(Self.one, upTo: 9, now: Self.now)
        #expect(found)
        for index in 0..<100 { directory.anonymousAttributes["nobody\(index)"] = 1 }
        Self.meet(Self.two, in: &directory)
        #expect(directory.entries[Self.two]?.attributes.count == 100)
    }

    @Test func whoWasNeverHereChangesNothing() {
        let directory = Self.directory(meeting: Self.one)
        var other = directory
        let found2 = other.forget(Self.two, upTo: 9, now: Self.now)
        #expect(!found2)
        #expect(other == directory)
    }

    /// Events of nobody: erased with their heir, kept for an heir who stays, and the later ones for who comes next.
    @Test func whatIsLoggedAfterTheCurrentUserWasErasedIsForTheNext() {
        var directory = Self.directory(meeting: Self.one)
        let found3 = directory.forget(Self.one, upTo: 9, now: Self.now)
        #expect(found3)
        #expect(directory.current == nil)
        #expect(Self.anonymousAttributions(directory) == ["9 erased"])
        Self.meet(Self.two, in: &directory)
        #expect(Self.anonymousAttributions(directory) == ["9 erased", "- 2"])

        directory = Self.directory(meeting: Self.one, Self.two)
        let found4 = directory.forget(Self.two, upTo: 9, now: Self.now)
        #expect(found4)
        #expect(Self.anonymousAttributions(directory) == ["9 1"])
        Self.meet(Self.three, in: &directory)
        #expect(Self.anonymousAttributions(directory) == ["9 1", "- 3"])
        let found5 = directory.forget(Self.one, upTo: 20, now: Self.now)
        #expect(found5)
        #expect(Self.anonymousAttributions(directory) == ["9 erased", "- 3"])
        #expect(directory.isErased(9))
        #expect(!directory.isErased(10))
    }

    @Test func theFirstUserIsErasedWhileAnotherIsCurrent() {
        var directory = Self.directory(meeting: Self.one, Self.two)
        let found6 = directory.forget(Self.one, upTo: 9, now: Self.now)
        #expect(found6)
        #expect(directory.current == Self.two)
        #expect(Self.anonymousAttributions(directory) == ["9 erased", "- 2"])
    }

    @Test func whoComesBackIsANewUser() {
        var directory = Self.directory(meeting: Self.one)
        let found7 = directory.forget(Self.one, upTo: 9, now: Self.now + 1000)
        #expect(found7)
        Self.meet(Self.one, at: Self.now + 5000, in: &directory)
        #expect(Self.anonymousAttributions(directory) == ["9 erased", "- 1"])
        #expect(directory.entries[Self.one]?.firstSeen == Self.now + 1000)
        let found8 = directory.forget(Self.one, upTo: 30, now: Self.now)
        #expect(found8)
        // Neighbours with one fate are one.
        #expect(Self.anonymousAttributions(directory) == ["30 erased"])
    }

    @Test func theRecordKeepsWhoInherits() throws {
        var state = IdentityFixture.empty
        state.directory = Self.directory(meeting: Self.one, Self.two)
        _ = state.forget(Self.two, upTo: 1 << 46, now: Self.now + 7)
        let again = try IdentityState(decoding: state.encoded())
        #expect(again == state)
        #expect(again.directory.vacantSince == Self.now + 7)
        #expect(Self.anonymousAttributions(again.directory) == ["70368744177664 1"])
    }
}
