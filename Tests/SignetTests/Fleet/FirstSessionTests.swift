// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// The first session of a row, which a process begins before the row knows any: its id follows from the row's stamp.
struct FirstSessionTests {
    private let row = (key: UUID.random(), stamp: UUID.random())
    private let moment = InstallationMoment(
        now: SessionTimestamp(uptime: .seconds(100), milliseconds: 100_000),
        timeout: .seconds(60),
        context: 0,
        newSessionID: { .random() }
    )

    private var first: UUID { SharedIDs.session(after: self.row.stamp, of: self.row.key) }

    private var none: InstallationSession {
        InstallationSession(SessionStateMachine(rules: SessionRules(mode: .server)), interrupted: nil)
    }

    private func activity(_ session: UUID, started: Int64 = 98_000) -> LocalActivity {
        LocalActivity(session: session, started: started, last: 99_000, events: 3)
    }

    /// A session with events that the store was not told of.
    private func begun(_ id: UUID) -> InstallationSession {
        var session = self.none
        var machine = session.machine
        _ = machine.begin(at: self.moment.timestamp(98_000)) { id }
        session.set(machine)
        return session
    }

    @Test func itBeginsWithItsFirstEvent() throws {
        let moved = try #require(
            self.none.succeeded(by: self.activity(self.first), self.row, told: .min, at: self.moment)
        )
        let session = Session(uuid: self.first, startTime: Date(milliseconds: 98_000))
        #expect(moved.actions == [.begin(session, previous: nil)])
        #expect(moved.next.active?.events == 3)
        #expect(moved.next.active?.last.milliseconds == 99_000)
    }

    @Test func anotherOneDoesNotBegin() {
        // As of a process that took another stamp for the row's.
        let other = SharedIDs.session(after: .random(), of: self.row.key)
        #expect(self.none.succeeded(by: self.activity(other), self.row, told: .min, at: self.moment) == nil)
    }

    @Test func besideAnOpenOneItDoesNotBegin() {
        let open = self.begun(.random())
        #expect(open.succeeded(by: self.activity(self.first), self.row, told: .min, at: self.moment) == nil)
    }

    @Test func afterAnotherOneItDoesNotBegin() {
        var session = self.none
        let previous = PreviousSession(uuid: .random(), start: 0, length: 1)
        session.set(SessionStateMachine(rules: SessionRules(mode: .server), previous: previous))
        #expect(session.succeeded(by: self.activity(self.first), self.row, told: .min, at: self.moment) == nil)
        let next = SharedIDs.session(after: previous.uuid, of: self.row.key)
        #expect(session.succeeded(by: self.activity(next), self.row, told: .min, at: self.moment) != nil)
    }

    @Test func aReadingLeavesItWhileItIsNotTold() {
        var session = self.begun(self.first)
        session.adopt(nil, SharedPart(), [self.activity(self.first)], self.row, at: self.moment)
        #expect(session.machine.current?.uuid == self.first)
        session.adopt(nil, SharedPart(), [self.activity(self.first)], self.row, at: self.moment, isStrict: true)
        #expect(session.machine.current == nil)
    }

    @Test func aReadingOfARowWithAnotherStampEndsIt() {
        var session = self.begun(self.first)
        let other = (key: self.row.key, stamp: UUID.random())
        session.adopt(nil, SharedPart(), [self.activity(self.first)], other, at: self.moment)
        #expect(session.machine.current == nil)
    }

    @Test func aReadingEndsItOnceItIsToldElsewhere() {
        var session = self.begun(self.first)
        session.adopt(nil, SharedPart(), [], self.row, at: self.moment)
        #expect(session.machine.current == nil)
    }

    @Test func aCommitGoesOnWithIt() {
        let own = self.begun(self.first).machine
        var session = self.none
        session.resume(own, [self.activity(self.first)], self.row)
        #expect(session.machine.current?.uuid == self.first)
        session = self.none
        session.resume(own, [], self.row)
        #expect(session.machine.current == nil)
    }
}
