// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct SessionTotalsTests {
    private static let timeout = Duration.seconds(60)
    private let one = MPID(rawValue: 1)
    private let two = MPID(rawValue: 2)

    private func machine(_ mode: SignetConfiguration.Sessions.Mode = .application) -> SessionStateMachine {
        var machine = SessionStateMachine(rules: SessionRules(mode: mode))
        _ = machine.begin(at: .at(0), newID: UUID.init)
        return machine
    }

    @Test func foregroundTimeIsTheLengthWithoutTheTimesInBackground() throws {
        var machine = self.machine()
        machine.count(nil, at: .at(10))
        _ = machine.enterBackground(at: .at(20), Self.timeout)
        // An event in the background moves the end, and is no foreground time.
        machine.count(nil, at: .at(30))
        _ = machine.enterForeground(at: .at(50), Self.timeout, newID: UUID.init)
        machine.count(nil, at: .at(55))
        _ = machine.enterBackground(at: .at(60), Self.timeout)
        machine.count(nil, at: .at(70))
        let actions = machine.timeOut(at: .at(200), Self.timeout)
        guard case .end(let totals, _) = try #require(actions.first) else { return }
        #expect(totals.summary.length == .seconds(70))
        #expect(totals.summary.foregroundLength == .seconds(30))
        #expect(totals.summary.interruptionCount == 2)
        #expect(totals.summary.eventCount == 4)
    }

    @Test func anEndInBackgroundWithoutEventsCountsTheForegroundAlone() throws {
        var machine = self.machine()
        _ = machine.enterBackground(at: .at(20), Self.timeout)
        guard case .end(let totals, _) = try #require(machine.timeOut(at: .at(500), Self.timeout).first) else { return }
        #expect(totals.summary.length == .seconds(20))
        #expect(totals.summary.foregroundLength == .seconds(20))
    }

    @Test func aSessionThatBeginsInBackgroundHasNoForegroundTime() throws {
        var machine = SessionStateMachine(rules: SessionRules(mode: .application))
        _ = machine.enterBackground(at: .at(0), Self.timeout)
        _ = machine.begin(at: .at(100), newID: UUID.init)
        machine.count(nil, at: .at(130))
        #expect(machine.totals?.summary.length == .seconds(30))
        #expect(machine.totals?.summary.foregroundLength == .zero)
        #expect(machine.totals?.summary.interruptionCount == 0)
    }

    @Test func onAServerAllTimeIsForeground() {
        var machine = self.machine(.server)
        _ = machine.enterBackground(at: .at(5), Self.timeout)
        machine.count(nil, at: .at(30))
        #expect(machine.totals?.summary.foregroundLength == .seconds(30))
        #expect(machine.totals?.summary.interruptionCount == 0)
    }

    @Test func usersStandInTheirOrderAndWhoComesBackIsNamedAgain() {
        var machine = self.machine()
        machine.count(nil, at: .at(1))
        machine.use(self.two)
        machine.count(self.one, at: .at(2))
        machine.count(self.two, at: .at(3))
        machine.count(self.one, at: .at(4))
        machine.use(nil)
        machine.use(self.one)
        #expect(machine.totals?.mpids == [self.two, self.one, self.two, self.one].compactMap(\.self))
        #expect(machine.totals?.events == 4)
    }

    /// The next start counts what the journal tells: it comes to the same.
    @Test func theSessionAndItsRecordCountUsersAlike() {
        let users = [self.one, self.one, self.two, self.one, MPID(rawValue: 9), self.two, self.two, self.one]
        var machine = self.machine()
        var record = machine.totals
        for user in users {
            machine.count(user, at: .at(1))
            record?.use(user)
        }
        #expect(machine.totals?.mpids == record?.mpids)
        #expect(record?.mpids.count == 6)
        for user in [MPID(rawValue: 9), self.one, self.two].compactMap(\.self) {
            machine.forget(user)
            record?.forget(user)
            #expect(machine.totals?.mpids == record?.mpids)
        }
        #expect(record?.mpids == [])
    }

    /// Two who take turns do not fill the memory; somebody new is named all the same.
    @Test func thereIsAnEndToBeingNamedAgain() {
        var machine = self.machine()
        var record = machine.totals
        for turn in 0..<1000 {
            let user = turn % 2 == 0 ? self.one : self.two
            machine.use(user)
            record?.use(user)
        }
        machine.use(MPID(rawValue: 9))
        record?.use(MPID(rawValue: 9))
        #expect(machine.totals?.mpids.count == SessionTotals.returnLimit + 1)
        #expect(machine.totals?.mpids == record?.mpids)
    }

    @Test func whoHasNotBeenAwayOnceAnotherIsErasedIsNamedOnce() {
        var machine = self.machine()
        for user in [self.one, self.two, self.one] { machine.use(user) }
        if let two = self.two { machine.forget(two) }
        #expect(machine.totals?.mpids == [self.one].compactMap(\.self))
    }

    @Test func attributesGoWithTheirSession() {
        var machine = self.machine()
        machine.attributes = ["a": .integer(1)]
        #expect(machine.totals?.attributes == ["a": .integer(1)])
        _ = machine.end(at: .at(5), Self.timeout)
        #expect(machine.attributes == nil)
        machine.attributes = ["b": .integer(1)]
        _ = machine.begin(at: .at(6), newID: UUID.init)
        #expect(machine.attributes == [:])
    }

    @Test func whatCountsNothingChangesNothing() {
        var machine = SessionStateMachine(rules: SessionRules(mode: .application))
        machine.count(self.one, at: .at(1))
        machine.use(self.one)
        #expect(machine.totals == nil)
    }
}
