// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import Testing

@testable import SignetInfobip

/// The nine invariants of the model, each in the shortest story that breaks without it; the search tries them in all others.
@Suite struct InfobipInvariantTests {
    @Test func invariant1WhatAnAppSavesStaysInTheScopeOfItsCall() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.event()
        let scope = scene.last.id
        scene.call(.depersonalize)
        scene.save("OfNobody")
        #expect(scene.memory.people.all.map(\.id) == [scope, scene.last.id])
        #expect(scene.memory.people.all[0].edits.changes == InfobipScene.change("OfAnn"))
        #expect(!scene.memory.people.all[0].events.isEmpty && scene.last.events.isEmpty)
        #expect(scene.last.edits.changes == InfobipScene.change("OfNobody"))
    }

    @Test func invariant2OnlyADepersonalizeAndAForcedPersonalizeOpenAScope() {
        var scene = InfobipScene(of: "ann")
        let scope = scene.last.id
        for call in [InfobipCall.fetchUser, .fetchInstallation, .saveUser(InfobipScene.change("A"))] {
            scene.call(call)
        }
        scene.personalize("ann")
        #expect(scene.last.id == scope && scene.memory.people.all.count == 1)
        // The service would refuse it, or merge ann's data into bob.
        #expect(scene.personalize("bob") == "throws rejected")
        #expect(scene.last.id == scope)
        scene.personalize("bob", forces: true)
        #expect(scene.last.id != scope)
        let forced = scene.last.id
        scene.call(.depersonalize)
        #expect(scene.last.id != forced)
    }

    /// An opt-out came while it waited for the address or a token.
    @Test(arguments: [false, true]) func whatIsTakenBackLeavesThePersonOfBefore(saves: Bool) throws {
        var scene = InfobipScene(of: "ann")
        if saves { scene.save("OfAnn") }
        scene.personalize("bob", forces: true)
        _ = scene.machine.endAll(.failure(.optedOut))
        let before = scene.memory
        // What waits for ann, or bob's personalize.
        let first = scene.next()
        #expect(scene.machine.takeBack().count == 1)
        #expect(scene.memory == before && scene.machine.inFlight == nil)
        #expect(scene.next() == first)
        #expect(first == (saves ? "save OfAnn, last attempt" : "force bob"))
    }

    @Test func invariant3DataOfAScopeGoesOutOnlyWhileTheServiceHasItsPersonAndOneRequestAtATime() {
        var scene = InfobipScene()
        scene.personalize("ann")
        scene.save("OfAnn")
        scene.event()
        #expect(scene.next() == "attach ann")
        #expect(scene.machine.next(now: .seconds(9), milliseconds: 0) == .busy)
        scene.unanswered()
        #expect(scene.next() == "attach ann")
        scene.answer()
        #expect(scene.settle() == ["save OfAnn", "events 1"])
    }

    @Test func invariant4ABarrierIsWrittenDownBeforeItGoesAndOnlyItOrALaterOneFollows() throws {
        var scene = InfobipScene(of: "ann")
        scene.personalize("bob", forces: true)
        #expect(scene.next() == "force bob")
        #expect(scene.text == "1: [ann; force bob] moving to 1 from 0")
        try scene.kill()
        #expect(scene.text == "1: [ann; force bob] moving to 1")
        #expect(scene.next() == "force bob")
        scene.unanswered()
        scene.personalize("carl", forces: true)
        scene.call(.depersonalize)
        #expect(scene.settle() == ["detach"])
        #expect(scene.text == "1: [nobody] known 0")
    }

    @Test func invariant4AForcedPersonalizeWithoutATokenPutsADepersonalizeBeforeItselfOnce() throws {
        var scene = InfobipScene(of: "ann")
        scene.personalize("bob", forces: true)
        scene.next()
        try scene.kill()
        let noToken = SignetError(.tokenUnavailable, "no")
        scene.answer(.failed(noToken, mayHaveHappened: false))
        #expect(scene.next() == "detach")
        scene.answer()
        #expect(scene.next() == "force bob")
        scene.answer(.failed(noToken, mayHaveHappened: false))
        #expect(scene.settle() == ["force bob"])
    }

    @Test func invariant5AForcedPersonalizeThatItsCallerSawFailLeavesNobody() {
        var scene = InfobipScene(of: "ann")
        scene.personalize("bob", forces: true)
        scene.save("OfBob")
        #expect(scene.unanswered() == "save, tell failed, end throws serverFailure")
        #expect(scene.text == "1: [ann; detach] moving to 1, parked bob")
        #expect(scene.settle() == ["detach"])
        scene.personalize("bob")
        #expect(scene.settle() == ["attach bob", "save OfBob"])
    }

    @Test func invariant5ARefusedForcedPersonalizeReturnsToWhoIsSurelyThere() {
        var scene = InfobipScene(of: "ann")
        scene.personalize("bob", forces: true)
        scene.save("OfBob")
        scene.refused()
        #expect(scene.text == "1: [ann] known 0, parked bob")
    }

    @Test func invariant5ARefusalAfterSilenceIsNotBelieved() {
        var nobody = InfobipScene()
        nobody.personalize("ann")
        nobody.unanswered()
        nobody.refused()
        #expect(nobody.text == "1: [detach] moving to 0")
        var named = InfobipScene(of: "ann")
        named.personalize("ann", firstName: "A")
        named.unanswered()
        named.refused()
        #expect(named.text == "1: [ann look] moving to 0")
        #expect(named.settle() == ["look"])
        named.personalize("ann")
        named.unanswered()
        named.refused()
        named.next()
        named.answer(.user(InfobipScene.user("bob")))
        #expect(named.text == "1: [detach] moving to 0")
    }

    /// `rejected` says that nothing has changed, and never will.
    @Test func invariant5WhatIsRepeatedIsNotReportedAsRejected() {
        var memory = InfobipMemory(application: "a")
        memory.token = InfobipScene.token
        var scene = InfobipScene(memory)
        scene.personalize("ann")
        scene.call(.awaitRegistration)
        #expect(scene.next() == "register")
        #expect(scene.refused() == "tell failed, end throws notRegistered, end throws rejected")
        #expect(scene.text == "none: [attach ann] known 0")
        // A bare 4xx is a proxy's.
        scene.answer()
        scene.personalize("ann")
        #expect(scene.next() == "attach ann")
        let bare = InfobipStateMachine.Answer.failed(InfobipScene.refusal, mayHaveHappened: true)
        #expect(scene.answer(bare) == "save, tell failed, end throws unexpectedAnswer")
        #expect(scene.settle() == ["attach ann"])
        scene.personalize("bob", forces: true)
        #expect(scene.answer(bare) == "save, tell failed, end throws unexpectedAnswer")
        #expect(scene.settle() == ["detach"])
    }

    @Test func invariant6ThereIsOneAttemptForWhatALeavingPersonHasAndNoneForNobody() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.event()
        scene.call(.depersonalize)
        #expect(scene.next() == "save OfAnn, last attempt")
        scene.unanswered()
        #expect(scene.next() == "events 1")
        scene.unanswered()
        #expect(scene.next() == "detach")
        scene.answer()
        #expect(scene.text == "1: [nobody] known 0, parked ann")
        scene.save("OfNobody")
        scene.unanswered()
        scene.personalize("ann", forces: true)
        scene.unanswered()
        let dropped = scene.next() == "force ann" ? scene.answer() : ""
        #expect(dropped.contains("drop changes 1"))
        // It returns for the name.
        #expect(scene.settle() == ["save OfAnn", "events 1"])
    }

    @Test func invariant6ALogOutDoesNotWaitForAToken() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.machine.hasToken = false
        scene.call(.depersonalize)
        #expect(scene.settle() == ["detach"])
        #expect(scene.text == "1: [nobody] known 0, parked ann")
    }

    @Test func invariant6ANewerValueStrikesAnOlderOneThatWaits() {
        var scene = InfobipScene(of: "ann")
        scene.save("Old")
        scene.machine.hasToken = false
        scene.call(.depersonalize)
        _ = scene.settle()
        scene.machine.hasToken = true
        scene.personalize("ann")
        scene.save("New")
        #expect(scene.settle() == ["attach ann", "save New"])
        #expect(scene.memory.people.parked.isEmpty)
    }

    @Test func invariant7ALostRegistrationEndsNoBarrier() {
        var scene = InfobipScene(of: "ann")
        scene.call(.fetchUser)
        scene.gone()
        #expect(scene.text == "lost: [ann attach ann] moving to 0")
        #expect(scene.settle() == ["register", "attach ann", "fetch"])
        scene.call(.depersonalize)
        scene.gone()
        #expect(scene.settle() == ["register", "detach"])
        scene.save("OfNobody")
        scene.gone()
        #expect(scene.text == "lost: [edit OfNobody] known 0")
        #expect(scene.settle() == ["register", "save OfNobody"])
    }

    @Test func invariant7ARefusedRestoreLeavesNobody() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.gone()
        scene.answer()
        scene.refused()
        #expect(scene.text == "2: [detach] moving to 0, parked ann")
    }

    /// An erasure of somebody who has left may come while a personalize of theirs is on the wire.
    @Test func whatIsForgottenOnTheWireIsTakenBackWhateverTheAnswer() throws {
        var scene = InfobipScene()
        scene.personalize("ann")
        #expect(scene.next() == "attach ann")
        scene.call(.depersonalize)
        _ = scene.machine.forgetLeft()
        // A kill now leaves a record that can be read.
        _ = try InfobipMemory(decoding: scene.memory.encoded())
        var refused = scene
        refused.refused()
        #expect(refused.settle().contains("detach"))
        scene.answer(.user(InfobipScene.user("ann")))
        #expect(scene.settle().contains("detach"))
        #expect(scene.last.claim == .anonymous)
    }

    /// A refused personalize leaves whoever was there, but not whom the app has erased since.
    @Test func whoIsForgottenIsNotReturnedTo() throws {
        var scene = InfobipScene(of: "ann")
        scene.personalize("bob", forces: true)
        var early = scene
        _ = early.machine.forgetLeft()
        _ = try InfobipMemory(decoding: early.memory.encoded())
        early.refused()
        #expect(early.settle() == ["detach"])
        #expect(scene.next() == "force bob")
        _ = scene.machine.forgetLeft()
        scene.refused()
        #expect(scene.settle() == ["detach"])
        #expect(scene.last.claim == .anonymous)
    }

    /// A forced personalize takes the place of a depersonalize, which is then not done by whatever ends next.
    @Test func aDepersonalizeThatWasReplacedIsPending() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        #expect(scene.next() == "save OfAnn")
        scene.call(.depersonalize)
        scene.personalize("bob", forces: true)
        let said = scene.personalize("carol", forces: true)
        let answered = scene.answer()
        #expect(said.contains("end pending"))
        #expect(!answered.contains("end done"))
    }

    /// Both callers ask for the same value, and the refusal is of the first one's alone.
    @Test func whatIsAskedForAgainIsNotRefusedWithWhatIsOnTheWire() {
        var scene = InfobipScene()
        var changes = InfobipInstallationChanges()
        changes.isPushRegistrationEnabled = false
        scene.call(.saveInstallation(changes))
        #expect(scene.next() == "saveInstallation")
        changes.applicationUserID = .set("u")
        #expect(scene.call(.saveInstallation(changes)) == "waits, save")
        #expect(scene.refused() == "save, tell failed, refused, end throws rejected")
        #expect(!scene.machine.profile.isPushRegistrationEnabled)
        #expect(scene.answer() == "save, tell installation, end done")
        #expect(!scene.machine.profile.isPushRegistrationEnabled)
        #expect(!scene.machine.hasPendingChanges)
    }

    /// A log-out leaves a lead; another device may have changed all names that a customer is known by.
    @Test func invariant8ACustomerWithOtherNamesIsARename() {
        let rows: [(InfobipIdentity, InfobipPersonType, String)] = [
            (InfobipIdentity(phones: ["38591"]), .customer, "1: [somebody edit A] known 0"),
            (InfobipIdentity(phones: ["38591"]), .lead, "1: [detach] moving to 0"),
            (InfobipIdentity(externalUserID: "ann"), .customer, "1: [somebody edit A] known 0"),
            (InfobipIdentity(externalUserID: "ann"), .lead, "1: [detach] moving to 0, parked ann"),
        ]
        for (identity, type, text) in rows {
            var memory = InfobipScene(of: "ann").memory
            memory.last.claim = .named(identity)
            var scene = InfobipScene(memory)
            scene.call(.fetchUser)
            scene.next()
            scene.save("A")
            var user = InfobipScene.user(nil)
            user.phones = ["38592"]
            user.type = type
            scene.answer(.user(user))
            #expect(scene.text == text)
        }
    }

    @Test func invariant8AFetchTellsALogOutFromARename() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.call(.fetchUser)
        scene.unanswered()
        scene.call(.fetchUser)
        scene.next()
        if scene.next() == "-" { scene.unanswered() }
        scene.machine.backOff.clear()
        var renamed = InfobipScene(of: "ann")
        renamed.call(.fetchUser)
        renamed.next()
        renamed.save("OfAnn")
        renamed.answer(.user(InfobipScene.user("anna")))
        #expect(renamed.text == "1: [anna edit OfAnn] known 0")
        var out = InfobipScene(of: "ann")
        out.call(.fetchUser)
        out.next()
        out.save("OfAnn")
        out.answer(.user(InfobipScene.user(nil)))
        #expect(out.text == "1: [detach] moving to 0, parked ann")
    }

    @Test func invariant8AnAttachThatNamesSomebodyElseIsNoRename() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        scene.personalize("ann")
        scene.next()
        scene.answer(.user(InfobipScene.user("bob")))
        #expect(scene.text == "1: [bob] known 0, parked ann")
    }

    @Test func invariant8AFetchWhoseScopeHasBarriersWaitingIsIgnored() {
        var scene = InfobipScene(of: "ann")
        scene.call(.fetchUser)
        scene.next()
        scene.personalize("ann")
        scene.answer(.user(InfobipScene.user(nil)))
        #expect(scene.text == "1: [ann attach ann] known 0")
    }

    @Test func invariant9TheAppSeesTheSnapshotAndTheWaitingEditsOfTheLastScope() {
        var scene = InfobipScene(of: "ann")
        scene.save("OfAnn")
        #expect(scene.machine.user == InfobipScene.user("ann", firstName: "OfAnn"))
        scene.call(.depersonalize)
        #expect(scene.machine.user == InfobipUser())
        scene.save("OfNobody")
        #expect(scene.machine.user == InfobipScene.user(nil, firstName: "OfNobody"))
    }
}
