//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials
import SignetModel
import SignetTestSupport
import Testing

struct UserProfileChangesTests {
    private static func changes(_ generator: inout some RandomNumberGenerator) -> UserProfileChanges {
        func change<Value>(_ values: [Value]) -> ProfileChange<Value> {
            let number = Int.random(in: 0..<4, using: &generator)
            return number == 0 ? .clear : number == 1 ? .untouched : .set(values[number % values.count])
        }
        var changes = UserProfileChanges()
        changes.externalUserID = change(["a", "b"])
        changes.firstName = change(["a", "b"])
        changes.middleName = change(["a", "b"])
        changes.lastName = change(["a", "b"])
        changes.gender = change([ProfileGender.male, .female])
        changes.birthday = change([CalendarDay(Date(timeIntervalSince1970: 0))])
        changes.phones = change([["12345"], []])
        changes.emails = change([["a@b"], ["c@d"]])
        changes.tags = change([["a"], ["b"]])
        for key in ["p", "q", "r"] {
            changes.customAttributes[key] = change([1, "x"])
        }
        return changes
    }

    // What was sent is `first`; meanwhile `second` came.
    @Test func editsThatComeMeanwhileAreNeitherLostNorDoubled() {
        var generator = SeededGenerator(defaultSeed: 0x5072_6F66)
        print("SIGNET_SEED=\(generator.seed)")
        for _ in 0..<2000 {
            let (first, second) = (Self.changes(&generator), Self.changes(&generator))
            var base = UserProfile().applying(Self.changes(&generator))
            let wanted = base.applying(first).applying(second)
            #expect(base.applying(first.then(second)) == wanted)
            let left = first.then(second).without(first)
            #expect(base.applying(first).applying(left) == wanted)
            #expect(first.without(first).isEmpty)
            base = base.applying(first)
            #expect(base.applying(first) == base)
        }
    }

    @Test func untouchedIsNothing() {
        var changes = UserProfileChanges()
        #expect(changes.isEmpty)
        changes.customAttributes["a"] = .untouched
        #expect(changes.isEmpty)
        changes.customAttributes["a"] = .clear
        #expect(!changes.isEmpty)
    }

    @Test func theIdentityCanBeTakenOut() {
        var changes = UserProfileChanges()
        changes.phones = .set(["12345"])
        changes.emails = .clear
        changes.externalUserID = .set("a")
        #expect(changes.withoutIdentity.isEmpty)
        changes.firstName = .set("A")
        #expect(changes.withoutIdentity.firstName == .set("A"))
        #expect(changes.withoutIdentity.phones == .untouched)
    }

    @Test func installationsAreChangedLikewise() {
        var first = InstallationProfileChanges()
        first.isPrimary = true
        first.applicationUserID = .set("u")
        first.customAttributes["a"] = .set(1)
        var second = InstallationProfileChanges()
        second.applicationUserID = .clear
        second.isPushRegistrationEnabled = false
        let both = first.then(second)
        let left = both.without(first)
        #expect(left == second)
        let profile = InstallationProfile().applying(both)
        #expect(profile.isPrimary)
        #expect(!profile.isPushRegistrationEnabled)
        #expect(profile.applicationUserID == nil)
        #expect(profile.customAttributes == ["a": 1])
        #expect(!both.isEmpty)
        #expect(both.without(both).isEmpty)
    }

    @Test func nothingOfAPersonIsShown() {
        var changes = UserProfileChanges()
        changes.firstName = .set("hunter2")
        changes.customAttributes = ["a": .set("hunter2"), "l": .set([["m": "hunter2"]])]
        let profile = UserProfile().applying(changes)
        let identity = ProfileIdentity(phones: ["hunter2"], externalUserID: "hunter2")
        for value in [changes, profile, identity, changes.customAttributes, profile.customAttributes] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(dumped)\(String(reflecting: value))".contains("hunter2"))
        }
    }
}
