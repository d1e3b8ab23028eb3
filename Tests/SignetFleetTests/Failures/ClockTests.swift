// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetTestSupport
import Testing
import signet_fleet_member

/// Clocks that somebody sets while visitors are there.
@Suite(.watched, .serialized) struct ClockTests {
    @Test(arguments: [3600, -3600])
    func aReplicaWhoseWallClockIsSetEndsNothingEarly(seconds: Int64) async throws {
        try await Fleet.with { fleet in
            let a = try await fleet.member("a")
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.login("v", customer: "c-1"))
            let session = try #require(try await a.expect(.log("v", count: 1, name: "before")).state?.session)
            try await a.expect(.setClock(ahead: seconds))
            try await fleet.look(at: "v", replicas: 1)
            try await a.expect(.open("v", identifies: false))
            #expect(try await a.expect(.log("v", count: 1, name: "after")).state?.session == session)
            let b = try await fleet.member("b")
            #expect(try await b.expect(.open("v", identifies: false)).state?.session == session)
            // Nor does a slot end early.
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let login = a.call(.login("v", customer: "c-2"))
            await gate.arrived()
            #expect((1...15_000).contains(try await SlotTests.slotMilliseconds(fleet)))
            #expect(try await b.call(.login("v", customer: "c-3")).error == "requestInProgress")
            gate.open()
            let winner = try await login
            #expect(winner.error == nil && winner.state?.session == session)
            #expect(try await b.expect(.open("v", identifies: false)).state?.mpid == winner.state?.mpid)
            try await b.expect(.log("v", count: 1, name: "beside"))
            for member in [a, b] { try await member.expect(.upload) }
            let platform = fleet.platform
            #expect(platform.customEvents == ["before-0": 1, "after-0": 1, "beside-0": 1])
            #expect(Set(platform.events.compactMap(\.sessionUUID)).map { $0.lowercased() } == [session])
            #expect(platform.perSession("session_end").isEmpty)
            // Stamped by the database's clock: both replicas within the minutes of this test.
            let stamps = platform.events.map(\.timestamp)
            let now = Int64(try await fleet.number(Fleet.now))
            #expect(stamps.allSatisfy { abs(now - $0) < 1_800_000 }, "\(stamps) are not of \(now)")
        }
    }

    /// Both replicas have seen the clock before: they move the moments of before along.
    @Test(arguments: [(-3600, 600), (3600, 600)])
    func anEngineWhoseClockIsSetEndsNothingEarly(seconds: Int, timeout: Int) async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            let a = try await fleet.member("a") { $0.sessionTimeout = timeout }
            let b = try await fleet.member("b") { $0.sessionTimeout = timeout }
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            try await a.expect(.login("v", customer: "c-1"))
            let session = try #require(try await a.expect(.log("v", count: 1, name: "before")).state?.session)
            try await fleet.setClock(ahead: seconds)
            try await fleet.look(at: "v", replicas: 2)
            for (member, name) in [(a, "a"), (b, "b")] {
                try await member.expect(.open("v", identifies: false))
                #expect(try await member.expect(.log("v", count: 1, name: name)).state?.session == session)
            }
            try await fleet.look(at: "v", replicas: 2)
            let login = try await b.expect(.login("v", customer: "c-2"))
            #expect(login.state?.session == session)
            #expect(try await a.expect(.open("v", identifies: false)).state?.mpid == login.state?.mpid)
            for member in [a, b] { try await member.expect(.upload) }
            #expect(fleet.platform.customEvents == ["before-0": 1, "a-0": 1, "b-0": 1])
            #expect(fleet.platform.perSession("session_start") == [session: 1])
            #expect(fleet.platform.perSession("session_end").isEmpty)
            #expect(fleet.platform.identityCalls.allSatisfy { !$0.overlapped })
        }
    }

    /// The database takes the slot for over, or for one of another clock: the platform has two requests, and one answer counts.
    @Test(arguments: [3600, -3600])
    func anEngineWhoseClockIsSetDuringALoginHasOneWinner(seconds: Int) async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            // Its answer is held while the other one waits for the slot.
            let a = try await fleet.member("a") { $0.requestTimeout = 120 }
            let b = try await fleet.member("b")
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let late = a.call(.login("v", customer: "c-late"))
            await gate.arrived()
            try await fleet.setClock(ahead: seconds)
            let winner = try await b.expect(.login("v", customer: "c-winner")).state?.mpid
            gate.open()
            #expect(try await late.error == "superseded")
            let states = [try await a.expect(.refresh("v")).state, try await b.expect(.refresh("v")).state]
            #expect(states.map { $0?.mpid } == [winner, winner] && winner != nil)
            #expect(fleet.platform.identityCalls.map(\.overlapped) == [false, true])
        }
    }
}
#endif
