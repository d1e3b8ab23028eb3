// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet

/// Whose word on an identity of the device counts: the last one of the app, whichever way it came.
///
/// The device has the token t-1, and the platform knows. A call is made, and at some moment the app sets t-2. A cell says what
/// was sent, what the device has then, and after `due` what is still to be told.
@Suite struct DeviceIdentityRuleTests {
    enum Call: String, CaseIterable {
        case start, login, loginWithToken, loginWithoutToken, modify, modifyAway

        var call: IdentityCall {
            switch self {
            case .start: .start(nil)
            case .login: .transition(.login, [.customerID: "c-1"])
            case .loginWithToken: .transition(.login, [.customerID: "c-1", .pushToken: "t-9"])
            case .loginWithoutToken: .transition(.login, [.customerID: "c-1", .pushToken: nil])
            case .modify: .modify([.pushToken: "t-9"])
            case .modifyAway: .modify([.pushToken: nil])
            }
        }
    }

    enum Moment: String, CaseIterable {
        case never, before, beforeItIsSent, beforeItsAnswer
    }

    static let table: [(call: Call, cells: [String])] = [
        (.start, ["t-1 > t-1", "t-2 > t-2", "t-2 > t-2", "t-1 > t-2 due t-1 t-2"]),
        (.login, ["t-1 > t-1", "t-2 > t-2", "t-2 > t-2", "t-1 > t-2 due t-1 t-2"]),
        (.loginWithToken, ["t-9 > t-9", "t-9 > t-9", "t-2 > t-2", "t-9 > t-2 due t-9 t-2"]),
        (.loginWithoutToken, ["- > - due t-1 -", "- > - due t-1 -", "t-2 > t-2", "- > t-2 due t-1 t-2"]),
        (
            .modify,
            ["t-1 to t-9 > t-9", "t-1 to t-9 > t-9", "nothing > t-2 due t-1 t-2", "t-1 to t-9 > t-2 due t-9 t-2"]
        ),
        (.modifyAway, ["t-1 to - > -", "t-1 to - > -", "nothing > t-2 due t-1 t-2", "t-1 to - > t-2 due - t-2"]),
    ]

    @Test func theTableIsComplete() {
        #expect(Self.table.map(\.call) == Call.allCases)
        #expect(Self.table.allSatisfy { $0.cells.count == Moment.allCases.count })
    }

    @Test(arguments: Call.allCases) func theLastWordCounts(call: Call) throws {
        let cells = try #require(Self.table.first { $0.call == call }).cells
        for (moment, cell) in zip(Moment.allCases, cells) {
            #expect(try Self.outcome(of: call, moment) == cell, "\(moment)")
        }
    }

    private static func outcome(of call: Call, _ moment: Moment) throws -> String {
        var machine = IdentityFixture.machine(of: 1)
        let first = IdentityCall.transition(.login, [.customerID: "c-1", .pushToken: "t-1"])
        _ = machine.exchange(first, IdentityFixture.reply(1))
        if moment == .before { machine.setDeviceIdentity("t-2", for: .pushToken) }
        guard case .start(let number) = machine.begin(call.call, mayWait: false, now: IdentityFixture.now) else {
            return "not begun"
        }
        if moment == .beforeItIsSent { machine.setDeviceIdentity("t-2", for: .pushToken) }
        var sent = "nothing"
        if case .send(let plan) = machine.startSending(number, now: IdentityFixture.now) {
            if moment == .beforeItsAnswer { machine.setDeviceIdentity("t-2", for: .pushToken) }
            switch plan {
            case .transition(_, let known, _, _, _):
                sent = known[.pushToken] ?? "-"
                _ = machine.finish(number, with: IdentityFixture.reply(1), now: IdentityFixture.now)
            case .modify(_, let changes, _):
                sent = changes.map { "\($0.old ?? "-") to \($0.new ?? "-")" }.joined()
                _ = machine.finish(number, with: try IdentityFixture.modified(), now: IdentityFixture.now)
            case .search:
                sent = "a search"
            }
        }
        let due = machine.state.pushTokenChange.map { " due \($0.old ?? "-") \($0.new ?? "-")" } ?? ""
        return "\(sent) > \(machine.state.devices.values[.pushToken] ?? "-")\(due)"
    }

    @Test func whatAFailedRequestSaidOfTheDeviceIsNotTaken() {
        var machine = IdentityFixture.machine(of: 1)
        machine.setDeviceIdentity("t-1", for: .pushToken)
        for call in [Call.loginWithToken, .loginWithoutToken, .modify] {
            _ = machine.exchange(call.call, .failed(SignetError(.serverFailure, "")))
            #expect(machine.state.devices.values == [.pushToken: "t-1"], "\(call)")
        }
    }

    @Test func aModifyThatThePlatformNeedNotBeToldOfStillChangesTheDevice() throws {
        var machine = IdentityFixture.machine(of: 1)
        machine.setDeviceIdentity("idfa-1", for: .iosAdvertiserID)
        let action = machine.begin(.modify([.iosAdvertiserID: nil]), mayWait: false, now: IdentityFixture.now)
        guard case .finish(let outcome) = action else {
            Issue.record("There is nothing to send.")
            return
        }
        #expect(outcome.modified?.isSent == false)
        #expect(machine.state.devices.values.isEmpty)
    }

    @Test func aModifyOfAnotherUserChangesWhatThePlatformKnowsOfThemAndNotThisDevice() throws {
        var machine = IdentityFixture.machine(of: 1)
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        let one = try #require(machine.state.directory.user(IdentityFixture.mpid(1), now: IdentityFixture.now))
        _ = machine.exchange(.transition(.login, [.customerID: "c-2"]), IdentityFixture.reply(2))
        var request = IdentityRequest(user: one)
        request[.pushToken] = nil
        let call = try required(machine.send(.modify(request)))
        guard case .modify(let mpid, let changes, _) = call.plan else {
            Issue.record("no modify")
            return
        }
        #expect(mpid == IdentityFixture.mpid(1))
        #expect(changes == [IdentityChange(type: .pushToken, old: "t-1", new: nil)])
        _ = machine.finish(call.number, with: try IdentityFixture.modified(), now: IdentityFixture.now)
        #expect(machine.state.devices.values[.pushToken] == "t-1")
        #expect(machine.state.directory.identitiesTold(of: IdentityFixture.mpid(1))[.pushToken] == nil)
        #expect(!machine.needsPushTokenCall)
    }

    @Test func theIdentitiesOfTheDeviceAreNoneOfItsUsers() throws {
        var machine = IdentityFixture.machine(of: 1)
        let request: IdentityRequest = [.customerID: "c-1", .iosAdvertiserID: "idfa-1"]
        let finish = try required(machine.exchange(.transition(.login, request), IdentityFixture.reply(1)))
        #expect(finish.outcome.resolved?.user.identities.mapValues(\.value) == [.customerID: "c-1"])
        #expect(machine.state.devices.values == [.iosAdvertiserID: "idfa-1"])
    }

    @Test func aTokenThatThePlatformTookFromAnotherUserIsTheirsNoLonger() throws {
        var machine = IdentityFixture.machine(of: 1)
        machine.setDeviceIdentity("t-1", for: .pushToken)
        _ = machine.exchange(IdentityFixture.login, IdentityFixture.reply(1))
        machine.setDeviceIdentity(nil, for: .pushToken)
        _ = machine.exchange(.transition(.login, [.customerID: "c-2"]), IdentityFixture.reply(2))
        machine.setDeviceIdentity("t-1", for: .pushToken)
        let json = #"{"change_results":[{"identity_type":"push_token","modified_mpid":"1"}]}"#
        _ = machine.exchange(.pushToken, try IdentityFixture.modified(json))
        #expect(machine.state.directory.identitiesTold(of: IdentityFixture.mpid(1))[.pushToken] == nil)
        #expect(machine.state.directory.identitiesTold(of: IdentityFixture.mpid(2))[.pushToken] == "t-1")
    }
}
