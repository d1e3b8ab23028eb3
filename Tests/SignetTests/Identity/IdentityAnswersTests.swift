// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// What the platform's answers change.
@Suite struct IdentityAnswersTests {
    private static let later = IdentityFixture.now + 5000

    @Test func theFirstUserOfAnInstallationAdoptsWhatWasThereBefore() throws {
        var machine = IdentityStateMachine(restoring: IdentityFixture.empty)
        let first = try required(machine.exchange(IdentityFixture.login, IdentityFixture.reply(1), now: Self.later))
        #expect(first.firstUser == IdentityFixture.mpid(1))
        #expect(first.isStateChanged)
        #expect(first.change?.previous == nil)
        #expect(first.change?.current.mpid == IdentityFixture.mpid(1))
        #expect(first.outcome.resolved?.previousUser == nil)
        let second = try required(machine.exchange(IdentityFixture.login, IdentityFixture.reply(2), now: Self.later))
        #expect(second.firstUser == nil)
    }

    @Test func anotherUserIsNewsWithThePreviousOne() throws {
        var machine = IdentityFixture.machine(of: 1)
        let finish = try required(machine.exchange(IdentityFixture.login, IdentityFixture.reply(2), now: Self.later))
        let result = try #require(finish.outcome.resolved)
        #expect(result.user.mpid == IdentityFixture.mpid(2))
        #expect(result.previousUser?.mpid == IdentityFixture.mpid(1))
        #expect(finish.change?.previous?.mpid == IdentityFixture.mpid(1))
        #expect(machine.state.directory.current == IdentityFixture.mpid(2))
    }

    @Test func theSameUserIsNoNewsAndHasNoPreviousOne() throws {
        var machine = IdentityFixture.machine(of: 1)
        let finish = try required(machine.exchange(IdentityFixture.login, IdentityFixture.reply(1), now: Self.later))
        #expect(finish.change == nil)
        #expect(finish.isStateChanged)
        #expect(finish.outcome.resolved?.previousUser == nil)
    }

    @Test func aUserWhoBecomesUnknownIsNewsWithoutAPreviousUserInTheResult() throws {
        var machine = IdentityFixture.machine(of: 1)
        let answer = IdentityFixture.reply(1, isLoggedIn: false)
        let finish = try required(machine.exchange(.transition(.logout, [:]), answer, now: Self.later))
        #expect(finish.change?.previous?.isLoggedIn == true)
        #expect(finish.change?.current.isLoggedIn == false)
        #expect(finish.outcome.resolved?.previousUser == nil)
    }

    @Test func usersThatDifferInTheUpperHalfOnlyAreTwo() throws {
        var machine = IdentityFixture.machine(of: 7)
        let answer = IdentityFixture.reply(7 + (1 << 32))
        let finish = try required(machine.exchange(IdentityFixture.login, answer, now: Self.later))
        #expect(finish.change?.previous?.mpid == IdentityFixture.mpid(7))
        #expect(finish.change?.current.mpid == IdentityFixture.mpid(7 + (1 << 32)))
    }

    @Test func whatThePlatformSaysOfTheUserIsKept() throws {
        var machine = IdentityFixture.machine(of: 1)
        let answer = IdentityFixture.reply(2, isLoggedIn: false, isEphemeral: true)
        let user = try required(machine.exchange(.transition(.identify, [:]), answer)?.outcome.resolved?.user)
        #expect(!user.isLoggedIn)
        #expect(user.isEphemeral)
    }

    @Test func aFailureChangesNothing() throws {
        var machine = IdentityFixture.machine(of: 1)
        let before = machine.state
        let finish = try required(
            machine.exchange(IdentityFixture.login, .failed(SignetError(.serverFailure, "")))
        )
        #expect(finish.outcome.code == .serverFailure)
        #expect(finish.change == nil)
        #expect(!finish.isStateChanged)
        #expect(machine.state == before)
    }

    @Test func aSearchChangesNothing() throws {
        var machine = IdentityFixture.machine(of: 1)
        let before = machine.state
        let match = SearchResult.Match(mpid: IdentityFixture.mpid(9), isLoggedIn: true, matchedIdentities: [:])
        let finish = try required(machine.exchange(.search([.email: "e"]), .found(.found(match))))
        guard case .searched(.found(match)) = finish.outcome else {
            Issue.record("The search found somebody.")
            return
        }
        #expect(!finish.isStateChanged)
        #expect(machine.state == before)
    }

    @Test func anAnswerOfAnotherKindIsAFailureAndFreesTheSlot() throws {
        var machine = IdentityFixture.machine(of: 1)
        let finish = try required(machine.exchange(IdentityFixture.login, .found(.notFound)))
        #expect(finish.outcome.code == .unexpectedAnswer)
        #expect(machine.isIdle)
    }

    @Test func aModifyStoresWhatItSetAndForgetsWhatItRemoved() throws {
        var machine = IdentityFixture.machine(of: 1, [.customerID: "c-1", .email: "a@x"])
        let finish = machine.exchange(.modify([.email: nil, .google: "g"]), try IdentityFixture.modified())
        let result = try #require(finish?.outcome.modified)
        #expect(result.isSent)
        #expect(result.user.identities.mapValues(\.value) == [.customerID: "c-1", .google: "g"])
        #expect(finish?.change == nil)
    }

    @Test func whoLostAnIdentityIsToldToTheCaller() throws {
        var machine = IdentityFixture.machine(of: 1)
        let json = #"{"change_results":[{"identity_type":"email","modified_mpid":"-9"}]}"#
        let finish = machine.exchange(.modify([.email: "e"]), try IdentityFixture.modified(json))
        #expect(
            finish?.outcome.modified?.affectedUsers == [
                ModifyResult.AffectedUser(mpid: IdentityFixture.mpid(-9), identityType: .email)
            ]
        )
    }

    @Test func aLateModifyOfAUserWhoIsNoLongerCurrentChangesThatUserOnly() throws {
        var machine = IdentityFixture.machine(of: 1)
        var request = IdentityRequest(
            user: try #require(machine.state.directory.user(IdentityFixture.mpid(1), now: IdentityFixture.now))
        )
        _ = machine.exchange(.transition(.login, [.customerID: "c-2"]), IdentityFixture.reply(2))
        request[.email] = "one@x"
        let finish = machine.exchange(.modify(request), try IdentityFixture.modified())
        #expect(finish?.outcome.modified?.user.mpid == IdentityFixture.mpid(1))
        #expect(finish?.change == nil)
        #expect(machine.state.directory.current == IdentityFixture.mpid(2))
        #expect(machine.state.directory.identities(of: IdentityFixture.mpid(1))[.email] == "one@x")
        #expect(machine.state.directory.identities(of: IdentityFixture.mpid(2)) == [.customerID: "c-2"])
    }

    @Test func anAnswerAfterTheEndIsNotTaken() throws {
        var machine = IdentityFixture.machine(of: 1)
        let before = machine.state
        let call = try required(machine.send(IdentityFixture.login))
        let told = machine.stop()
        #expect(told == [call.number])
        let finish = machine.finish(call.number, with: IdentityFixture.reply(2), now: 0)
        #expect(finish == nil)
        #expect(machine.state == before)
    }

    @Test func theAnswerToAWithdrawnCallerIsTaken() throws {
        var machine = IdentityFixture.machine(of: 1)
        let call = try required(machine.send(IdentityFixture.login))
        let action = machine.withdraw(call.number)
        #expect(action == .detached)
        let finish = machine.finish(call.number, with: IdentityFixture.reply(2), now: Self.later)
        #expect(finish?.change?.current.mpid == IdentityFixture.mpid(2))
        #expect(machine.isIdle)
    }
}
