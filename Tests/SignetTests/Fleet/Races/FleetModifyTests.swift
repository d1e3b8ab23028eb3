// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A modify that names no user is of the user who is current at the call, by the row and not by an old reading.
@Suite(.watched) struct FleetModifyTests {
    @Test func aModifyIsOfTheUserWhoHasComeOnAnotherReplica() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            #expect(there.currentUser?.mpid == first, "by its last reading")
            let result = try await there.modify([.email: "new@example.com"])
            #expect(result.user.mpid == second)
            #expect(there.currentUser?.mpid == second)
            try await here.refresh()
            #expect(here.currentUser?.identities[.email]?.value == "new@example.com")
            #expect(here.core.identityState.directory.identities(of: first)[.email] == nil)
        }
    }

    @Test func aModifyOfANamedUserIsOfThatUserWhoeverIsCurrentElsewhere() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user
            try await there.refresh()
            try await here.login([.customerID: "c-2"])
            var request = IdentityRequest(user: first)
            request[.email] = "new@example.com"
            #expect(try await there.modify(request).user.mpid == first.mpid)
        }
    }

    /// What stays: a login that this replica has sent before does not change whom a call that waits behind it is of.
    @Test func aModifyThatWaitsBehindALoginIsOfTheUserOfTheCall() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .login)
            async let login = here.login([.customerID: "c-2"])
            await gate.arrived()
            async let change = here.modify([.email: "new@example.com"], whenBusy: .wait(upTo: .seconds(30)))
            await until("a call that waits") {
                here.core.store.read { !$0.identity.waiting.isEmpty }
            }
            gate.open()
            let second = try await login.user.mpid
            #expect(second != first)
            #expect(try await change.user.mpid == first)
        }
    }

    @Test func aModifyWithoutTheStoreIsRefusedAndSendsNothing() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let sent = fleet[0].signet.transport.exchanges.count
            fleet[0].store.faults.injectAlways(.unreachable)
            let refusal = await code { () throws(SignetError) in
                _ = try await here.modify([.email: "new@example.com"])
            }
            #expect(refusal == .storeUnreachable)
            #expect(fleet[0].signet.transport.exchanges.count == sent)
        }
    }
}
