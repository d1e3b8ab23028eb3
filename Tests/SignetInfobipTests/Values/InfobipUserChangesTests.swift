// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import Testing

@testable import SignetInfobip

struct InfobipUserChangesTests {
    private static func changes(_ generator: inout some RandomNumberGenerator) -> InfobipUserChanges {
        func change<Value>(_ values: [Value]) -> Patch<Value> {
            let number = Int.random(in: 0..<4, using: &generator)
            return number == 0 ? .clear : number == 1 ? .untouched : .set(values[number % values.count])
        }
        var changes = InfobipUserChanges()
        changes.externalUserID = change(["a", "b"])
        changes.firstName = change(["a", "b"])
        changes.middleName = change(["a", "b"])
        changes.lastName = change(["a", "b"])
        changes.gender = change([InfobipGender.male, .female])
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
            var base = InfobipUser().applying(Self.changes(&generator))
            let wanted = base.applying(first).applying(second)
            #expect(base.applying(first.then(second)) == wanted)
            var edits = InfobipEdits(first, number: 1)
            let sent = edits
            edits.set(second, number: 2)
            #expect(base.applying(edits.changes) == wanted)
            edits.remove(sent: sent)
            #expect(edits.fields == second.fields)
            #expect(base.applying(first).applying(edits.changes) == wanted)
            base = base.applying(first)
            #expect(base.applying(first) == base)
        }
    }

    @Test func untouchedIsNothing() {
        var changes = InfobipUserChanges()
        #expect(changes.isEmpty)
        changes.customAttributes["a"] = .untouched
        #expect(changes.isEmpty)
        changes.customAttributes["a"] = .clear
        #expect(!changes.isEmpty)
    }

    @Test func installationsAreChangedLikewise() {
        var first = InfobipInstallationChanges()
        first.isPrimary = true
        first.applicationUserID = .set("u")
        first.customAttributes["a"] = .set(1)
        var second = InfobipInstallationChanges()
        second.applicationUserID = .clear
        second.isPushRegistrationEnabled = false
        let both = first.then(second)
        var edits = InfobipEdits(first, number: 1)
        let sent = edits
        edits.set(second, number: 2)
        #expect(edits.changes == both)
        edits.remove(sent: sent)
        #expect(edits.changes == second)
        let profile = InfobipInstallation().applying(both)
        #expect(profile.isPrimary)
        #expect(!profile.isPushRegistrationEnabled)
        #expect(profile.applicationUserID == nil)
        #expect(profile.customAttributes == ["a": 1])
        #expect(!both.isEmpty)
    }

    @Test func nothingOfAPersonIsShown() {
        var changes = InfobipUserChanges()
        changes.firstName = .set("hunter2")
        changes.customAttributes = ["a": .set("hunter2"), "l": .set([["m": "hunter2"]])]
        let profile = InfobipUser().applying(changes)
        let identity = InfobipIdentity(phones: ["hunter2"], externalUserID: "hunter2")
        var device = InfobipInstallation()
        device.pushServiceToken = "hunter2"
        let bodies: [Any] = [
            UserPatchBody(changes), PersonalizeBody(identity: identity, attributes: nil),
            InstallationPatchBody(InfobipInstallationChanges(), pushServiceToken: "hunter2"),
            InstallationBody(
                device,
                system: InfobipSystemData(.init(), pushServiceType: "GCM", notificationsEnabled: nil)
            ),
        ]
        let values: [Any] = [changes, profile, identity, changes.customAttributes, profile.customAttributes]
        for value in values + bodies {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(dumped)\(String(reflecting: value))".contains("hunter2"))
        }
    }
}
