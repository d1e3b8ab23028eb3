// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What is sent, decided when the turn has come.
@Suite struct IdentityPlanTests {
    private static func transition(
        _ plan: IdentityPlan?
    ) throws -> (
        known: [IdentityType: String], previous: MPID?, context: String?
    ) {
        guard case .transition(_, let known, let previous, let context, _) = plan else {
            Issue.record("Not a transition: \(String(describing: plan))")
            return ([:], nil, nil)
        }
        return (known, previous, context)
    }

    private static func changes(_ plan: IdentityPlan?) -> (mpid: MPID, changes: [IdentityChange])? {
        guard case .modify(let mpid, let changes, _) = plan else { return nil }
        return (mpid, changes)
    }

    @Test func aRequestCarriesItsIdentitiesAndThoseOfTheDevice() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("vendor", for: .iosVendorID)
        machine.setDeviceIdentity("token", for: .pushToken)
        let plan = try Self.transition(machine.send(.transition(.login, [.email: "a@x", .customerID: nil]))?.plan)
        #expect(
            plan.known == [
                .email: "a@x", .iosVendorID: "vendor", .pushToken: "token",
                .deviceApplicationStamp: IdentityFixture.stamp.uuidString,
            ]
        )
    }

    @Test func theRequestsOwnDeviceIdentityWins() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("of the device", for: .androidAdvertisingID)
        let call = IdentityCall.transition(.identify, [.androidAdvertisingID: "of the request"])
        #expect(try Self.transition(machine.send(call)?.plan).known[.androidAdvertisingID] == "of the request")
    }

    @Test func anEmptyRequestIsTheDeviceAlone() throws {
        var machine = IdentityFixture.machine()
        let plan = try Self.transition(machine.send(.transition(.logout, [:]))?.plan)
        #expect(plan.known == [.deviceApplicationStamp: IdentityFixture.stamp.uuidString])
    }

    @Test func theStartCarriesWhatTheLastUserHad() throws {
        var machine = IdentityFixture.machine(of: 1, [.customerID: "c-1", .email: "a@x"])
        let plan = try Self.transition(machine.send(.start(nil))?.plan)
        #expect(plan.known[.customerID] == "c-1")
        #expect(plan.known[.email] == "a@x")
    }

    @Test func theStartWithARequestCarriesThatAlone() throws {
        var machine = IdentityFixture.machine(of: 1, [.customerID: "c-1", .email: "a@x"])
        let plan = try Self.transition(machine.send(.start([.other: "o"]))?.plan)
        #expect(plan.known[.customerID] == nil)
        #expect(plan.known[.other] == "o")
    }

    @Test func thePreviousUserIsWhoIsCurrentWhenTheTurnHasCome() throws {
        var machine = IdentityStateMachine(restoring: IdentityFixture.empty)
        let first = try required(machine.send(.transition(.identify, [:])))
        #expect(try Self.transition(first.plan).previous == nil)
        _ = machine.begin(IdentityFixture.login, mayWait: true, now: IdentityFixture.now)
        let finish = machine.finish(first.number, with: IdentityFixture.reply(-7), now: IdentityFixture.now)
        let next = try #require(finish?.next)
        guard case .send(let plan) = machine.startSending(next, now: IdentityFixture.now) else {
            Issue.record("Its turn has come.")
            return
        }
        #expect(try Self.transition(plan).previous == IdentityFixture.mpid(-7))
    }

    @Test func theContextOfTheLastAnswerIsSentBack() throws {
        var machine = IdentityFixture.machine()
        _ = machine.exchange(.transition(.identify, [:]), IdentityFixture.reply(1, context: "opaque"))
        let login = try required(machine.send(IdentityFixture.login))
        #expect(try Self.transition(login.plan).context == "opaque")
        _ = machine.finish(login.number, with: IdentityFixture.reply(1), now: IdentityFixture.now)
        #expect(try Self.transition(machine.send(IdentityFixture.login)?.plan).context == nil)
    }

    @Test func aSearchCarriesItsIdentitiesAlone() {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("vendor", for: .iosVendorID)
        let plan = machine.send(.search([.email: "a@x", .other: nil]))?.plan
        #expect(plan == .search(known: [.email: "a@x"]))
    }

    @Test func aModifySaysWhatDiffersFromWhatIsStored() {
        var machine = IdentityFixture.machine(of: 1, [.customerID: "c-1", .email: "a@x", .other: "o"])
        let request: IdentityRequest = [.customerID: "c-1", .email: "b@x", .other: nil, .other2: nil, .google: "g"]
        let plan = Self.changes(machine.send(.modify(request))?.plan)
        #expect(plan?.mpid == IdentityFixture.mpid(1))
        #expect(
            plan?.changes == [
                IdentityChange(type: .email, old: "a@x", new: "b@x"),
                IdentityChange(type: .google, old: nil, new: "g"),
                IdentityChange(type: .other, old: "o", new: nil),
            ]
        )
    }

    @Test func aModifyBelongsToWhoWasCurrentAtTheCall() throws {
        var machine = IdentityFixture.machine(of: 1)
        let login = try required(machine.send(.transition(.login, [.customerID: "c-2"])))
        _ = machine.begin(.modify([.email: "one@x"]), mayWait: true, now: IdentityFixture.now)
        let finish = machine.finish(login.number, with: IdentityFixture.reply(2), now: IdentityFixture.now)
        guard let next = finish?.next, case .send(let plan) = machine.startSending(next, now: IdentityFixture.now)
        else {
            Issue.record("Its turn has come.")
            return
        }
        #expect(Self.changes(plan)?.mpid == IdentityFixture.mpid(1))
        #expect(plan.route == .modify(IdentityFixture.mpid(1)))
    }

    @Test func aModifyOfARequestWithAUserBelongsToThatUser() throws {
        var machine = IdentityFixture.machine(of: 1, [.customerID: "c-1"])
        let one = try #require(machine.state.directory.user(IdentityFixture.mpid(1), now: IdentityFixture.now))
        _ = machine.exchange(.transition(.login, [.customerID: "c-2"]), IdentityFixture.reply(2))
        var request = IdentityRequest(user: one)
        request[.email] = "one@x"
        let plan = Self.changes(machine.send(.modify(request))?.plan)
        #expect(plan?.mpid == IdentityFixture.mpid(1))
        #expect(plan?.changes == [IdentityChange(type: .email, old: nil, new: "one@x")])
    }

    @Test func aModifyWithoutAUserFailsAndFreesTheSlot() {
        var machine = IdentityStateMachine(restoring: IdentityFixture.empty)
        guard case .finish(let outcome) = machine.begin(.modify([.email: "e"]), mayWait: false, now: 0) else {
            Issue.record("Nobody could be modified.")
            return
        }
        #expect(outcome.code == .noUser)
        #expect(machine.isIdle)
    }

    @Test func aModifyThatHasNothingLeftToSayWhenItsTurnComesIsASuccessWithoutARequest() throws {
        var machine = IdentityFixture.machine(of: 1)
        let first = try required(machine.send(.modify([.email: "a@x"])))
        guard case .wait(let second) = machine.begin(.modify([.email: "a@x"]), mayWait: true, now: 0) else {
            Issue.record("The slot is taken.")
            return
        }
        _ = machine.finish(first.number, with: try IdentityFixture.modified(), now: IdentityFixture.now)
        guard case .finish(let outcome, let next) = machine.startSending(second, now: IdentityFixture.now) else {
            Issue.record("There is nothing to send.")
            return
        }
        #expect(outcome.modified?.isSent == false)
        #expect(next == nil)
        #expect(machine.isIdle)
    }
}
