// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet

/// What the platform is told of the push token, and when.
@Suite struct PushTokenTests {
    private static func change(_ plan: IdentityPlan?) -> [String?]? {
        guard case .modify(_, let changes, nil) = plan, changes.count == 1 else { return nil }
        return [changes[0].old, changes[0].new]
    }

    @Test func aTokenIsDueOnlyWhenThePlatformDoesNotKnowIt() {
        var state = IdentityFixture.state(of: 1)
        #expect(state.pushTokenChange == nil)
        state.devices.set("t-1", for: .pushToken)
        #expect(state.pushTokenChange?.old == nil)
        #expect(state.pushTokenChange?.new == "t-1")
        state.directory.tell([.pushToken: "t-1"], of: IdentityFixture.mpid(1))
        #expect(state.pushTokenChange == nil)
        state.devices.set(nil, for: .pushToken)
        #expect(state.pushTokenChange?.old == "t-1")
        #expect(state.pushTokenChange?.new == nil)
        state.devices.set("t-1", for: .pushToken)
        #expect(state.pushTokenChange == nil)
    }

    @Test func noCallIsNeededWhileNobodyIsKnown() {
        var machine = IdentityStateMachine(restoring: IdentityFixture.empty)
        machine.setDeviceIdentity("t-1", for: .pushToken)
        #expect(!machine.needsPushTokenCall)
    }

    @Test func noCallIsNeededWhileOptedOut() {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        machine.setOptedOut(true)
        #expect(!machine.needsPushTokenCall)
        machine.setOptedOut(false)
        #expect(machine.needsPushTokenCall)
    }

    @Test func tokensThatComeWhileOneWaitsAreOneCallWithTheLastToken() throws {
        var machine = IdentityFixture.machine()
        let login = try required(machine.send(IdentityFixture.login))
        machine.setDeviceIdentity("t-1", for: .pushToken)
        #expect(machine.needsPushTokenCall)
        _ = machine.begin(.pushToken, mayWait: true, now: IdentityFixture.now)
        machine.setDeviceIdentity("t-2", for: .pushToken)
        #expect(!machine.needsPushTokenCall)
        let next = try required(machine.finish(login.number, with: IdentityFixture.reply(1), now: 0)?.next)
        #expect(!machine.needsPushTokenCall)
        guard case .send(let plan) = machine.startSending(next, now: 0) else {
            Issue.record("The token is to be told.")
            return
        }
        #expect(Self.change(plan) == [nil, "t-2"])
        _ = machine.finish(next, with: try IdentityFixture.modified(), now: 0)
        #expect(!machine.needsPushTokenCall)
    }

    @Test func aTokenThatChangesWhileOneIsBeingToldNeedsAnotherCall() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        let first = try required(machine.send(.pushToken))
        machine.setDeviceIdentity("t-2", for: .pushToken)
        #expect(machine.needsPushTokenCall)
        _ = machine.finish(first.number, with: try IdentityFixture.modified(), now: 0)
        let plan = machine.send(.pushToken)?.plan
        #expect(Self.change(plan) == ["t-1", "t-2"])
    }

    @Test func aTokenThatALoginHasToldIsNotToldAgain() {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        #expect(!machine.needsPushTokenCall)
    }

    @Test func aCallWhoseTokenWasToldMeanwhileEndsWithoutARequestAndWithoutAFailure() throws {
        var machine = IdentityFixture.machine()
        let first = try required(machine.send(.search([.email: "e"])))
        _ = machine.begin(IdentityFixture.login, mayWait: true, now: 0)
        machine.setDeviceIdentity("t-1", for: .pushToken)
        guard case .wait(let token) = machine.begin(.pushToken, mayWait: true, now: 0) else {
            Issue.record("The slot is taken.")
            return
        }
        let login = try required(machine.finish(first.number, with: .found(.notFound), now: 0)?.next)
        _ = machine.startSending(login, now: 0)
        let next = machine.finish(login, with: IdentityFixture.reply(1), now: 0)?.next
        #expect(next == token)
        guard case .finish(let outcome, nil) = machine.startSending(token, now: 0) else {
            Issue.record("There is nothing to tell.")
            return
        }
        #expect(outcome.modified?.isSent == false)
    }

    @Test func aRemovedTokenIsToldEvenIfARequestWithoutItGoesFirst() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        machine.setDeviceIdentity(nil, for: .pushToken)
        // A request has no way to say that an identity is gone.
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        #expect(machine.needsPushTokenCall)
        let plan = machine.send(.pushToken)?.plan
        #expect(Self.change(plan) == ["t-1", nil])
    }

    @Test func aRemovedTokenNeedNotBeToldOfAUserWhoNeverHadIt() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        machine.setDeviceIdentity(nil, for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(2))
        #expect(!machine.needsPushTokenCall)
    }

    @Test func aRemovedTokenIsToldOfAUserWhoComesBackAndStillHasIt() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(2))
        machine.setDeviceIdentity(nil, for: .pushToken)
        _ = machine.exchange(.pushToken, try IdentityFixture.modified())
        #expect(!machine.needsPushTokenCall)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        #expect(Self.change(machine.send(.pushToken)?.plan) == ["t-1", nil])
    }

    @Test func aFailureLeavesTheTokenToBeTold() throws {
        var machine = IdentityFixture.machine()
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(.pushToken, .failed(SignetError(.serverFailure, "")))
        #expect(machine.isIdle)
        #expect(machine.needsPushTokenCall)
    }
}
