// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// What the manager takes over from its installation before anything else: logins, what was logged, and opting out.
@Suite(.watched) struct IterableManagerFollowingTests {
    private static let ann = IterableUserID.userID("ann")

    private static func identify(_ id: IterableUserID, _ manager: IterableManager) async throws(SignetError) {
        try await manager.identify(id, token: nil, IdentityResolution())
    }

    /// Whose each waiting event is.
    private static func owners(_ manager: IterableManager) async -> [String] {
        let machine = await manager.machine
        return machine.records.map { record in
            let owner = machine.memory.turns.first { $0.owns(record.ordinal) }?.id.text ?? "visitor"
            return "\(record.record.eventName ?? "") \(owner)"
        }
    }

    // MARK: - Logins

    @Test func aLoginIsTakenOverBeforeTheNextCallAndOnce() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        let record = rig.home.login("bob")
        _ = try await rig.track("his")
        #expect(await Self.owners(rig.manager) == ["his bob"])
        #expect(await rig.manager.machine.memory.followed == record.id)
        // The app says otherwise to the visitor alone: what was taken over does not come again.
        try await rig.manager.logout()
        try await rig.manager.follow()
        #expect(await rig.manager.machine.memory.current == nil)
    }

    @Test func whileNobodyKnowsWhoCameNothingIsTaken() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        rig.home.fail(SignetError(.diskFailed, "no"))
        #expect(await rig.refusal(of: "a") == .diskFailed)
        rig.home.fail(nil)
        rig.home.login("bob")
        rig.disk(isBroken: true)
        #expect(await rig.refusal(of: "a") == .diskFull)
        #expect(await rig.manager.machine.memory.current?.id == Self.ann)
        rig.disk(isBroken: false)
        _ = try await rig.track("b")
        #expect(await Self.owners(rig.manager) == ["b bob"])
    }

    @Test func ofManyLoginsTheLastIsWatchedAndTheOthersAreSuperseded() async throws {
        let rig = try IterableRig()
        rig.home.login("ann")
        rig.home.login(nil)
        rig.home.login("bob")
        try await rig.manager.follow()
        #expect(rig.home.ended == ["ann superseded", "nobody superseded"])
        rig.home.login(nil)
        try await rig.manager.follow()
        #expect(rig.home.ended == ["ann superseded", "nobody superseded", "bob superseded", "nobody done"])
    }

    @Test func aLoginWhoseUserIsGivenAnotherAddressMeanwhileEndsToo() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            rig.home.login("ann@example.com")
            _ = try await rig.track("a")
            try await rig.manager.changeEmail("anna@example.com")
            #expect(await rig.done() == "users/updateEmail")
            #expect(await rig.done() == "events/track")
            await rig.manager.untilSettled()
            #expect(rig.home.ended == ["ann@example.com done"])
        }
    }

    @Test func aLoginWhoseWorkIsTakenBackWithConsentEndsToo() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await rig.manager.setConsent(true)
            await rig.question().answer(200, IterableWorld.onSignup)
            _ = try await rig.track("a")
            rig.home.login("ann")
            try await rig.manager.follow()
            #expect(await rig.question().route == "unknownuser/consent")
            #expect(rig.home.ended.isEmpty)
            try await rig.manager.setConsent(false)
            await rig.manager.untilSettled()
            #expect(rig.home.ended == ["ann done"])
        }
    }

    @Test func aLoginThatTheAppUndoesToTheVisitorAloneIsSuperseded() async throws {
        let rig = try IterableRig()
        rig.home.login("ann")
        _ = try await rig.track("a")
        try await rig.manager.logout()
        #expect(rig.home.ended == ["ann superseded"])
    }

    // MARK: - What was logged

    @Test func whatWasLoggedIsOfWhoeverWasThereThen() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        _ = rig.manager.adapter.mirror(MirroredRecord(record: .customEvent("hers", at: 1), after: nil))
        let record = rig.home.login("bob")
        _ = rig.manager.adapter.mirror(MirroredRecord(record: .customEvent("his", at: 1), after: record.id))
        rig.home.login("cy")
        _ = rig.manager.adapter.mirror(MirroredRecord(record: .customEvent("still his", at: 1), after: record.id))
        _ = try await rig.track("last")
        #expect(await Self.owners(rig.manager) == ["hers ann", "his bob", "still his bob", "last cy"])
    }

    @Test func tooMuchThatWasLoggedIsCountedAndOneJobTakesItAll() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        var jobs = 0
        for index in 0..<1002 {
            if rig.manager.adapter.mirror(MirroredRecord(record: .customEvent("\(index)", at: 1), after: nil)) {
                jobs += 1
            }
        }
        #expect(jobs == 1)
        #expect(rig.statistics.current.iterableRecordsDropped == [.limit: 2])
        await rig.manager.takeMirrored()
        #expect(await rig.manager.machine.records.count == 1000)
    }

    // MARK: - Opting out

    @Test func whoHasOptedOutIsNeitherKeptNorTold() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            for name in ["a", "b"] { _ = try await rig.track(name) }
            let late = await rig.question()
            rig.home.optOut(true)
            try await rig.manager.follow()
            #expect(rig.statistics.current.iterableRecordsDropped == [.optedOut: 2])
            #expect(await rig.manager.machine.records.isEmpty)
            late.answer()
            await rig.manager.untilSettled()
            #expect(try await rig.track("c") == .ignored(.optedOut))
            let push = IterablePushToken(token: "0a", platform: "APNS")
            #expect(try await rig.manager.setPushToken(push) == .ignored(.optedOut))
            let bob = IterableUserID.userID("bob")
            #expect(
                await code { () async throws(SignetError) in try await Self.identify(bob, rig.manager) } == .optedOut
            )
            #expect(await code { () async throws(SignetError) in try await rig.manager.setConsent(true) } == .optedOut)
            let change = await code { () async throws(SignetError) in try await rig.manager.changeEmail("a@example.com")
            }
            #expect(change == .optedOut)
            #expect(await rig.manager.machine.state == .known(Self.ann))
            rig.home.optOut(false)
            #expect(try await rig.track("d") == .queued)
            #expect(await rig.question().body.contains(#""eventName":"d""#))
        }
        // What was dropped is not on disk either.
        let (_, records) = try IterableStore(ServiceRecords(rig.store, of: rig.services.definition, installation: 0))
            .load { Issue.record("\($0)") }
        #expect(records.map(\.record.eventName) == ["d"])
    }

    @Test func anOptOutOfAnEarlierProcessHoldsFromTheStart() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        _ = try await rig.track("a")
        // Killed between the choice and what follows from it.
        rig.home.optOut(true)
        try await rig.run { rig in
            await rig.manager.resume()
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.records.isEmpty)
            #expect(await rig.manager.machine.underWay == nil)
            #expect(rig.statistics.current.iterableRecordsSent == 0)
        }
    }

    @Test func whileTheDiskRefusesAnOptOutNothingIsSent() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        _ = try await rig.track("a")
        rig.home.optOut(true)
        rig.disk(isBroken: true)
        try await rig.run { rig in
            await rig.manager.resume()
            await until("the manager rests") { await !rig.manager.isWorking }
            #expect(await rig.manager.machine.underWay == nil)
            #expect(await rig.manager.machine.records.count == 1)
            rig.disk(isBroken: false)
            let receipt = try await rig.track("b")
            #expect(receipt == .ignored(.optedOut))
            #expect(await rig.manager.machine.records.isEmpty)
        }
    }

    @Test func whatTheServiceIsToBeToldOfAUserWaitsWhileTheyHaveOptedOut() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.manager.setPushToken(IterablePushToken(token: "0a", platform: "APNS"))
            let first = await rig.question()
            #expect(first.route == "users/registerDeviceToken")
            try await rig.manager.changeEmail("ann@example.com")
            rig.home.optOut(true)
            try await rig.manager.follow()
            // It was asked before, so its answer counts; what comes after it is not asked.
            first.answer()
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.hasWork == false)
            rig.home.optOut(false)
            try await rig.manager.follow()
            #expect(await rig.done() == "users/updateEmail")
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.state == .known(Self.ann))
        }
    }
}
