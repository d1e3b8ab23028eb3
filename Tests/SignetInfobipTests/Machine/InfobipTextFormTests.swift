// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet
@testable import SignetInfobip

/// Infobip compares texts by their bytes, and so does the machine.
@Suite struct InfobipTextFormTests {
    private static let (composed, decomposed) = ("Jos\u{E9}", "Jose\u{301}")

    @Test func identitiesAreTheSameByTheirBytes() {
        let identities = [Self.composed, Self.decomposed, Self.composed].map { InfobipIdentity(externalUserID: $0) }
        #expect(identities[0] != identities[1] && identities[0] == identities[2])
        #expect(Set(identities).count == 2)
        #expect(InfobipIdentity(phones: ["1"]) != InfobipIdentity(emails: ["1"]))
    }

    @Test func aSaveOfAnotherFormIsSent() {
        var scene = InfobipScene(of: "ann")
        for name in [Self.composed, Self.decomposed, Self.composed] {
            scene.save(name)
            #expect(scene.next().hasPrefix("save"))
            scene.answer()
        }
        scene.save(Self.composed)
        #expect(scene.next() == "-")
    }

    /// It would merge one person's data into another.
    @Test func aPersonOfAnotherFormIsAnotherPerson() {
        var scene = InfobipScene(of: Self.composed)
        #expect(scene.personalize(Self.decomposed).hasPrefix("throws"))
        #expect(scene.personalize(Self.composed) == "waits, save")
    }
}
