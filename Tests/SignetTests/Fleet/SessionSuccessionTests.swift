// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite("What becomes of events whose session is not open") struct SessionSuccessionTests {
    private typealias Ending = SessionSuccession.Ending

    private let session = UUID.random()
    private let other = UUID.random()

    private func succession(isLast: Bool = false) -> SessionSuccession {
        SessionSuccession(of: self.session, isLast: isLast)
    }

    /// One that has come to its commit.
    private func committing() -> SessionSuccession {
        var succession = self.succession()
        let step = succession.read(isGone: false, openSession: nil)
        #expect(step == .ask)
        let next = succession.asked(isAwaited: false)
        #expect(next == .commit)
        succession.sends()
        return succession
    }

    // MARK: - The row

    @Test func withoutASessionOrWithAnotherOneTheOthersAreAsked() {
        for row in [nil, self.other] {
            let succession = self.succession()
            let step = succession.read(isGone: false, openSession: row)
            #expect(step == .ask)
        }
    }

    @Test func atTheEndOfAProcessNoOtherIsAsked() {
        for row in [nil, self.other] {
            let succession = self.succession(isLast: true)
            let step = succession.read(isGone: false, openSession: row)
            #expect(step == .commit)
        }
    }

    @Test(arguments: [false, true]) func aSessionThatAnotherProcessHasBegunIsToldAgain(isLast: Bool) {
        let succession = self.succession(isLast: isLast)
        let step = succession.read(isGone: false, openSession: self.session)
        #expect(step == .end(.waits(isAnswered: true)))
    }

    @Test(arguments: [false, true]) func aRemovedRowHasNoSessions(isLast: Bool) {
        let succession = self.succession(isLast: isLast)
        let step = succession.read(isGone: true, openSession: self.session)
        #expect(step == .end(.gone))
    }

    // MARK: - The others

    @Test func anotherReplicaWithEventsOfTheSessionBeforeIsAwaited() {
        let succession = self.succession()
        _ = succession.read(isGone: false, openSession: self.other)
        let step = succession.asked(isAwaited: true)
        #expect(step == .end(.waits(isAnswered: true)))
    }

    // MARK: - The commit

    @Test func theCommitSaysWhatBecameOfThem() {
        let succession = self.committing()
        #expect(succession.committed(isBegun: true, openSession: self.session) == .begun)
        #expect(succession.committed(isBegun: false, openSession: self.session) == .waits(isAnswered: true))
        #expect(succession.committed(isBegun: false, openSession: self.other) == .late)
        #expect(succession.committed(isBegun: false, openSession: nil) == .late)
    }

    // MARK: - Failures, in each state

    private static let codes: [SignetError.Code] = [
        .storeUnreachable, .storeBusy, .storeFailed, .cancelled, .outcomeUnknown, .closed, .diskFailed, .newerFormat,
    ]

    /// What must become of the events before the commit was sent.
    private func expected(beforeTheCommit code: SignetError.Code) -> Ending {
        [.storeUnreachable, .storeBusy, .storeFailed, .cancelled].contains(code) ? .waits(isAnswered: false) : .late
    }

    @Test(arguments: Self.codes) func beforeTheCommitNothingIsChanged(code: SignetError.Code) {
        let succession = self.succession()
        #expect(succession.failed(code, isGone: false) == self.expected(beforeTheCommit: code))
        _ = succession.read(isGone: false, openSession: nil)
        #expect(succession.failed(code, isGone: false) == self.expected(beforeTheCommit: code))
        _ = succession.asked(isAwaited: false)
        #expect(succession.failed(code, isGone: false) == self.expected(beforeTheCommit: code))
    }

    /// It may have begun the session: told again, the events would count twice.
    @Test(arguments: Self.codes) func aCommitThatWasCutOffMayHaveCounted(code: SignetError.Code) {
        let isNotMade = code == .storeUnreachable || code == .storeBusy || code == .storeFailed
        #expect(self.committing().failed(code, isGone: false) == (isNotMade ? .waits(isAnswered: false) : .late))
        var last = self.succession(isLast: true)
        _ = last.read(isGone: false, openSession: nil)
        last.sends()
        #expect(last.failed(code, isGone: false) == (isNotMade ? .waits(isAnswered: false) : .late))
    }

    @Test(arguments: Self.codes) func aFailureOnARemovedRowIsNone(code: SignetError.Code) {
        #expect(self.succession().failed(code, isGone: true) == .gone)
        #expect(self.committing().failed(code, isGone: true) == .gone)
    }
}
