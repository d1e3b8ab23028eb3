// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// The manager at each of its suspensions: what is called, fails or ends while it waits.
@Suite(.watched) struct IterableManagerTests {
    private static let ann = IterableUserID.userID("ann")

    private static func identify(_ id: IterableUserID, _ manager: IterableManager) async throws(SignetError) {
        try await manager.identify(id, token: nil, IdentityResolution())
    }

    /// A visitor of whom an unknown user is being made: the request for that is under way.
    private static func activate(_ rig: IterableRig) async throws -> IterableRig.Question {
        try await rig.manager.setConsent(true)
        await rig.question().answer(200, IterableWorld.onSignup)
        await rig.services.criteria.untilFetched()
        #expect(try await rig.track("signup") == .buffered)
        return await rig.question()
    }

    /// An unknown user of whom the service knows everything.
    private static func makeUnknown(_ rig: IterableRig) async throws {
        let session = try await Self.activate(rig)
        session.answer()
        #expect(await rig.done() == "unknownuser/consent")
        #expect(await rig.done() == "events/track")
        await rig.manager.untilSettled()
    }

    // MARK: - Calls

    @Test func callsReturnWithTheDiskAndNeverWaitForTheService() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        #expect(try await rig.track("a") == .queued)
        try await rig.run { rig in
            let receipt = try await rig.track("b")
            #expect(receipt == .queued)
            let first = await rig.question()
            #expect(first.body.contains(#""eventName":"a""#))
            _ = try await rig.track("c")
            first.answer()
            for _ in 0..<2 { await rig.done() }
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.state == .known(Self.ann))
        }
    }

    @Test func aCallerWhoWasCancelledHasAskedAllTheSame() async throws {
        let rig = try IterableRig()
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                do throws(SignetError) { try await Self.identify(Self.ann, rig.manager) } catch { Issue.record(error) }
            }
        }
        #expect(await rig.manager.machine.state == .resolving(Self.ann))
    }

    @Test func whatTheDiskDoesNotTakeHasNotHappened() async throws {
        let rig = try IterableRig()
        try await Self.identify(Self.ann, rig.manager)
        rig.disk(isBroken: true)
        let before = await rig.manager.machine.memory
        #expect(await rig.refusal(of: "a") == .diskFull)
        #expect(await code { () async throws(SignetError) in try await rig.manager.logout() } == .diskFull)
        #expect(await code { () async throws(SignetError) in try await rig.manager.setConsent(true) } == .diskFull)
        #expect(await rig.manager.machine.memory == before)
        #expect(await rig.manager.machine.records.isEmpty)
        rig.disk(isBroken: false)
        #expect(try await rig.track("a") == .queued)
    }

    // MARK: - Late answers

    @Test func anUnknownUserWhoIsMadeAfterConsentWasTakenBackIsNobody() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            let session = try await Self.activate(rig)
            try await rig.manager.setConsent(false)
            session.answer()
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.state == .noConsent)
            #expect(await rig.manager.machine.records.isEmpty)
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.track("a")
            #expect(await rig.done() == "events/track")
        }
    }

    @Test func anUnknownUserWhoIsMadeWhileTheVisitorBecomesKnownIsMerged() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            let session = try await Self.activate(rig)
            try await Self.identify(Self.ann, rig.manager)
            session.answer()
            #expect(await rig.done() == "events/session")
            #expect(await rig.done() == "users/merge")
        }
    }

    // MARK: - Failures

    @Test func whatHasNoAnswerIsToldAgainAfterAPauseByTheSameName() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.track("a")
            let first = await rig.question()
            first.fail()
            await rig.manager.untilSettled()
            await rig.clock.untilNextSleeper(isDueIn: .seconds(5))
            rig.clock.advance(by: .seconds(5))
            let second = await rig.question()
            #expect(second.body == first.body)
            second.answer()
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.state == .known(Self.ann))
        }
    }

    @Test func anAnswerThatTheDiskCannotNoteDownIsNotAskedForAgain() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.track("a")
            let question = await rig.question()
            rig.disk(isBroken: true)
            question.answer()
            await rig.manager.untilSettled()
            #expect(await rig.manager.machine.records.isEmpty)
            // The answer, and that nothing is owed any more.
            #expect(rig.statistics.current.statesNotSaved == 2)
            rig.disk(isBroken: false)
        }
    }

    @Test func theEndOfTheRuntimeLeavesWhatIsUnderWayToTheNextStart() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.track("a")
            _ = await rig.question()
        }
        #expect(await rig.manager.machine.underWay == nil)
        #expect(await rig.manager.machine.records.count == 1)
        #expect(await !rig.manager.isWorking)
        try await rig.run { rig in
            await rig.manager.resume()
            #expect(await rig.done() == "events/track")
        }
    }

    @Test func whoWaitsIsAnsweredAtTheEnd() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.identify(Self.ann, rig.manager)
            _ = try await rig.track("a")
            _ = await rig.question()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { await rig.manager.untilSettled() } }
                await until("three visitors that settle") { await rig.manager.settling.count >= 3 }
                await rig.manager.stop()
                await group.waitForAll()
            }
            #expect(await rig.manager.settling.isEmpty)
        }
    }

    // MARK: - Merges

    @Test func aMergeThatIsRefusedAfterItsAnswerWasLostIsDone() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.makeUnknown(rig)
            rig.home.login("ann")
            try await rig.manager.follow()
            let merge = await rig.question()
            #expect(merge.route == "users/merge")
            merge.fail()
            await rig.clock.untilNextSleeper(isDueIn: .seconds(5))
            rig.clock.advance(by: .seconds(5))
            await rig.question().answer(400, #"{"code":"UnknownUserIdError","msg":"no"}"#)
            await rig.manager.untilSettled()
            #expect(rig.home.ended == ["ann done"])
        }
    }

    @Test(arguments: [400, 409])
    func aMergeThatIsRefusedWithoutThatHasFailed(status: Int) async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.makeUnknown(rig)
            rig.home.login("ann")
            try await rig.manager.follow()
            // Answered, so it is certain that it was not done.
            await rig.question().answer(429)
            await rig.clock.untilNextSleeper(isDueIn: .seconds(5))
            rig.clock.advance(by: .seconds(5))
            await rig.question().answer(status, #"{"code":"Refused","msg":"no"}"#)
            await rig.manager.untilSettled()
            #expect(rig.home.ended == ["ann failed"])
        }
    }

    @Test func aLaterProcessDoesNotKnowWhetherAMergeWasSent() async throws {
        let rig = try IterableRig()
        try await rig.run { rig in
            try await Self.makeUnknown(rig)
            rig.home.login("ann")
            try await rig.manager.follow()
            #expect(await rig.question().route == "users/merge")
        }
        let (memory, records) = try IterableStore(
            ServiceRecords(rig.store, of: rig.services.definition, installation: 0)
        ).load { Issue.record("\($0)") }
        let next = IterableStateMachine(
            restoring: memory,
            records: records,
            isEnabled: true,
            threshold: 3,
            queueLimit: 3
        )
        #expect(next.uncertainMerge != nil)
    }
}
