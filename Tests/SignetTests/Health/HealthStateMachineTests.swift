// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct HealthStateMachineTests {
    private typealias Machine = HealthStateMachine

    private static func at(_ seconds: Int64, clockAhead milliseconds: Int64 = 0) -> Machine.Moment {
        Machine.Moment(uptime: .seconds(seconds), milliseconds: 1_000_000 + seconds * 1000 + milliseconds)
    }

    typealias Unreachable = FleetConfiguration.Unreachable

    private static let fine = Machine.Facts(stage: .running, appended: 5)

    private static func names(
        _ machine: inout Machine,
        _ seconds: Int64,
        _ facts: Machine.Facts = Self.fine
    ) -> [String] {
        machine.review(facts, at: Self.at(seconds)).map(\.name)
    }

    @Test(arguments: [LifecycleStateMachine.Stage.idle, .stopping, .ended])
    func aRuntimeThatDoesNotRunIsNotReady(stage: LifecycleStateMachine.Stage) {
        var machine = Machine()
        #expect(Self.names(&machine, 1, Machine.Facts(stage: stage, appended: 0)) == ["not_running"])
        #expect(Self.names(&machine, 2) == [])
    }

    @Test func aDiskThatRefusedIsWellWithTheNextEvent() throws {
        var machine = Machine()
        machine.diskRefused(.diskFull, appended: 5, at: Self.at(1))
        machine.diskRefused(.diskFailed, appended: 5, at: Self.at(7))
        let reason = try #require(machine.review(Self.fine, at: Self.at(9)).first)
        #expect(reason.kind == .diskRefusesWrites(.diskFailed))
        #expect(reason.since.milliseconds == 1_001_000)
        #expect(Self.names(&machine, 10, Machine.Facts(stage: .running, appended: 6)) == [])
    }

    @Test func aDiskThatRefusedIsWellWithTheNextRecord() {
        var machine = Machine()
        machine.diskRefused(.diskFull, appended: 5, at: Self.at(1))
        machine.diskAccepted()
        #expect(Self.names(&machine, 2) == [])
    }

    // MARK: - Identity and due work

    @Test func threeRefusedInstallationsWithoutASuccessAreAReason() throws {
        var machine = Machine()
        for second in 1...5 {
            machine.identityRefused("v1", .unauthorized, httpStatus: 401, at: Self.at(Int64(second)))
        }
        machine.identityRefused("v2", .unauthorized, httpStatus: 401, at: Self.at(6))
        #expect(Self.names(&machine, 7) == [])
        machine.identityRefused("v3", .unauthorized, httpStatus: 403, at: Self.at(8))
        let reason = try #require(machine.review(Self.fine, at: Self.at(9)).first)
        #expect(reason.kind == .identityRefused(.unauthorized, httpStatus: 403))
        #expect(reason.since.milliseconds == 1_001_000)
        #expect(!reason.stopsCalls)
        machine.identityAccepted()
        #expect(Self.names(&machine, 10) == [])
        machine.identityRefused("v4", .unauthorized, httpStatus: 401, at: Self.at(11))
        #expect(Self.names(&machine, 12) == [])
    }

    @Test func workThatIsDueForAMinuteIsOverdue() throws {
        var machine = Machine()
        var facts = Self.fine
        facts.overdue = [
            Machine.Overdue(kind: "identity", count: 7, since: .seconds(10), code: .serverFailure),
            Machine.Overdue(kind: "sessions", count: 1, since: .seconds(11), code: nil),
        ]
        #expect(Self.names(&machine, 69, facts) == [])
        let reasons = machine.review(facts, at: Self.at(70))
        let reason = try #require(reasons.first)
        #expect(reasons.count == 1)
        #expect(reason.kind == .workOverdue(kind: "identity", count: 7, code: .serverFailure))
        #expect(reason.since.milliseconds == 1_010_000)
        #expect(reason.details == "identity, 7 installations, serverFailure")
        #expect(Self.names(&machine, 80, facts) == ["work_overdue", "work_overdue"])
        #expect(Self.names(&machine, 81) == [])
    }

    @Test func eventsInMemorySayThatTheDiskRefuses() {
        var machine = Machine()
        #expect(Self.names(&machine, 1, .init(stage: .running, appended: 5, inMemory: 2)) == ["disk_refuses_writes"])
        #expect(Self.names(&machine, 2, .init(stage: .running, appended: 7)) == [])
    }

    private static let fillings: [(UInt64, [String])] = [
        (79, []), (80, ["storage_nearly_full"]), (98, ["storage_nearly_full"]), (99, ["storage_full"]),
    ]

    @Test(arguments: Self.fillings)
    func theStorageIsNearlyFullAndFull(bytes: UInt64, expected: [String]) {
        var machine = Machine()
        let facts = Machine.Facts(stage: .running, appended: 5, liveBytes: bytes, limitBytes: 100)
        #expect(Self.names(&machine, 1, facts) == expected)
    }

    @Test func aStorageThatDropsTheOldestRefusesNothingAndStopsNoCall() {
        var machine = Machine()
        var facts = Machine.Facts(stage: .running, appended: 5, liveBytes: 100, limitBytes: 100)
        facts.failures.remove(.fullStorage)
        let reasons = machine.review(facts, at: Self.at(1))
        #expect(reasons.map(\.name) == ["storage_nearly_full"])
        #expect(SignetHealth.degraded(reasons).acceptsCalls)
    }

    @Test func aRefusalForWantOfRoomLastsUntilThereIsRoom() {
        var machine = Machine()
        machine.storageRefused()
        func facts(_ bytes: UInt64) -> Machine.Facts {
            Machine.Facts(stage: .running, appended: 5, liveBytes: bytes, limitBytes: 100)
        }
        #expect(Self.names(&machine, 1, facts(90)) == ["storage_full"])
        #expect(Self.names(&machine, 2, facts(70)) == [])
        #expect(Self.names(&machine, 3, facts(90)) == ["storage_nearly_full"])
    }

    @Test func aPauseLastsUntilTheNextTryHasAnAnswer() throws {
        var machine = Machine()
        machine.uploadsPaused(.init(end: .seconds(30), httpStatus: 503, code: .serverFailure), at: Self.at(10))
        machine.uploadsPaused(.init(end: .seconds(90), httpStatus: nil, code: .timedOut), at: Self.at(31))
        let reason = try #require(machine.review(Self.fine, at: Self.at(40)).first)
        #expect(reason.since.milliseconds == 1_010_000)
        guard case .uploadsPaused(let until, nil, .timedOut) = reason.kind else {
            Issue.record("\(reason)")
            return
        }
        #expect(until.milliseconds == 1_090_000)
        #expect(Self.names(&machine, 150) == ["uploads_paused"])
        #expect(Self.names(&machine, 151) == [])
        machine.uploadsPaused(.init(end: .seconds(300), httpStatus: 401, code: .unauthorized), at: Self.at(200))
        machine.uploadsResumed()
        #expect(Self.names(&machine, 201) == [])
    }

    @Test func theStoreIsAwayUntilItAnswers() {
        var machine = Machine()
        machine.storeFailed(.storeUnreachable, .readings, at: Self.at(1))
        #expect(Self.names(&machine, 9999) == ["store_unreachable"])
        machine.storeAnswered(.readings, at: Self.at(5))
        #expect(Self.names(&machine, 10_000) == [])
    }

    @Test func oneFailureOfTheStoreIsNoReasonNorAreThoseOfOneMoment() {
        var machine = Machine()
        for _ in 0..<3 { machine.storeFailed(.storeUnreachable, .readings, at: Self.at(1)) }
        #expect(Self.names(&machine, 1) == [])
        #expect(Self.names(&machine, 5) == [])
        machine.storeAnswered(.readings, at: Self.at(5))
        machine.storeFailed(.storeUnreachable, .readings, at: Self.at(7))
        #expect(Self.names(&machine, 8) == [])
    }

    @Test func aStoreThatFailsAgainASecondLaterIsAwaySinceTheFirst() throws {
        var machine = Machine()
        machine.storeFailed(.storeUnreachable, .readings, at: Self.at(1))
        machine.storeFailed(.storeFailed, .readings, at: Self.at(2))
        let reason = try #require(machine.review(Self.fine, at: Self.at(2)).first)
        #expect(reason.kind == .storeUnreachable(.storeFailed, calls: [.readings, .commits, .flushes]))
        #expect(reason.since.milliseconds == 1_001_000)
    }

    @Test func aStoreIsAwayFiveSecondsAfterAFailureWithoutAnAnswer() {
        var machine = Machine()
        machine.storeFailed(.storeUnreachable, .readings, at: Self.at(1))
        #expect(Self.names(&machine, 5) == [])
        #expect(Self.names(&machine, 6) == ["store_unreachable"])
    }

    /// Readings go on while a standby is away.
    @Test func callsOfOneKindFailThoughTheStoreAnswersOthers() throws {
        var machine = Machine()
        for second in Int64(1)...3 {
            machine.storeFailed(.outcomeUnknown, .commits, at: Self.at(second))
            machine.storeAnswered(.readings, at: Self.at(second))
            machine.storeAnswered(.flushes, at: Self.at(second))
        }
        let reason = try #require(machine.review(Self.fine, at: Self.at(3)).first)
        #expect(reason.description == "store_unreachable (outcomeUnknown, commits)")
        #expect(reason.stopsCalls)
        #expect(Self.names(&machine, 62) == ["store_unreachable"])
        #expect(Self.names(&machine, 63) == [])
        machine.storeFailed(.outcomeUnknown, .commits, at: Self.at(70))
        #expect(Self.names(&machine, 70) == [])
        machine.storeFailed(.outcomeUnknown, .commits, at: Self.at(71))
        #expect(Self.names(&machine, 71) == ["store_unreachable"])
        machine.storeAnswered(.commits, at: Self.at(72))
        #expect(Self.names(&machine, 72) == [])
    }

    @Test func oneCommitThatFailedIsNoReasonWhileTheStoreAnswersReadings() {
        var machine = Machine()
        machine.storeFailed(.storeUnreachable, .commits, at: Self.at(1))
        machine.storeAnswered(.readings, at: Self.at(2))
        #expect(Self.names(&machine, 9) == [])
    }

    /// As where no row was due: commits may hang all the same.
    @Test func aCallThatChangedNothingSaysThatTheStoreIsReachedAndNoMore() {
        var machine = Machine()
        for second in Int64(1)...3 {
            machine.storeFailed(.outcomeUnknown, .commits, at: Self.at(second))
            machine.storeReached(.commits, at: Self.at(second))
        }
        #expect(Self.names(&machine, 4) == ["store_unreachable"])
        machine.storeFailed(.storeUnreachable, .commits, at: Self.at(5))
        machine.storeReached(.commits, at: Self.at(6))
        #expect(Self.names(&machine, 6) == [])
    }

    @Test func flushesThatFailAloneStopNoCalls() throws {
        var machine = Machine()
        for second in Int64(1)...3 {
            machine.storeFailed(.storeUnreachable, .flushes, at: Self.at(second))
            machine.storeAnswered(.readings, at: Self.at(second))
        }
        let health = SignetHealth.degraded(machine.review(Self.fine, at: Self.at(3)))
        #expect(health.reasons.map(\.name) == ["store_unreachable"])
        #expect(health.acceptsCalls)
    }

    @Test(
        arguments: [
            (SignetError.Code.storeUnreachable, Unreachable.fail), (.storeUnreachable, .logOnly),
            (.storeFailed, .logOnly), (.workspaceMismatch, .logOnly),
        ],
        [true, false]
    )
    func aStoreThatIsAwayStopsCallsUnlessTheyGoOnWithoutIt(failure: (SignetError.Code, Unreachable), isRunning: Bool) {
        var machine = Machine()
        machine.storeFailed(failure.0, .readings, at: Self.at(1))
        var facts = Machine.Facts(stage: isRunning ? .running : .stopping, appended: 5)
        if failure.1 == .logOnly { facts.failures.remove(.unreachableStore) }
        let health = SignetHealth.degraded(machine.review(facts, at: Self.at(9)))
        #expect(health.reasons.contains { $0.name == "store_unreachable" })
        #expect(health.acceptsCalls == (isRunning && failure.1 == .logOnly && failure.0 != .workspaceMismatch))
    }

    @Test func lostEventsCountForTenMinutes() {
        var machine = Machine()
        machine.eventsLost(3, at: Self.at(0))
        machine.eventsLost(4, at: Self.at(500))
        #expect(machine.review(Self.fine, at: Self.at(1099)).map(\.kind) == [.eventsLost(7)])
        #expect(Self.names(&machine, 1100) == [])
        machine.eventsLost(1, at: Self.at(1200))
        #expect(machine.review(Self.fine, at: Self.at(1200)).map(\.kind) == [.eventsLost(1)])
    }

    @Test func aClockThatDiffersFromTheStoresIsAReasonUntilItAgrees() {
        var machine = Machine()
        machine.clockOffset(.seconds(-3), at: Self.at(1))
        #expect(machine.review(Self.fine, at: Self.at(2)).map(\.kind) == [.clockOff(by: .seconds(-3))])
        machine.clockOffset(nil, at: Self.at(3))
        #expect(Self.names(&machine, 4) == [])
    }

    @Test func aClockThatWasSetIsAReasonForTenMinutes() {
        var machine = Machine()
        #expect(machine.review(Self.fine, at: Self.at(1)).isEmpty)
        #expect(machine.review(Self.fine, at: Self.at(2, clockAhead: 5000)).isEmpty)
        let set = machine.review(Self.fine, at: Self.at(3, clockAhead: -1000))
        #expect(set.map(\.kind) == [.clockJumped(by: .seconds(-6))])
        #expect(machine.review(Self.fine, at: Self.at(602, clockAhead: -1000)).map(\.name) == ["clock_jumped"])
        #expect(machine.review(Self.fine, at: Self.at(603, clockAhead: -1000)).isEmpty)
    }

    @Test func aFullStorageRefusesEventsAndStopsNoOtherCall() {
        var machine = Machine()
        let reasons = machine.review(
            Machine.Facts(stage: .running, appended: 5, liveBytes: 100, limitBytes: 100),
            at: Self.at(1)
        )
        #expect(reasons.map(\.name) == ["storage_full"])
        #expect(SignetHealth.degraded(reasons).acceptsCalls)
    }

    @Test func theGraverReasonsComeFirst() {
        var machine = Machine()
        machine.clockOffset(.seconds(2), at: Self.at(1))
        machine.uploadsPaused(.init(end: .seconds(90), httpStatus: nil, code: .timedOut), at: Self.at(1))
        machine.diskRefused(.diskFull, appended: 5, at: Self.at(1))
        let reasons = machine.review(Self.fine, at: Self.at(2))
        #expect(reasons.map(\.name) == ["disk_refuses_writes", "uploads_paused", "clock_off"])
        #expect(!SignetHealth.degraded(reasons).acceptsCalls)
        #expect(SignetHealth.degraded(Array(reasons.dropFirst())).acceptsCalls)
    }
}
