// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetTestSupport
import Testing
import signet_fleet_member

/// One identity request at a time, whatever happens to the replica that sends it.
@Suite(.watched, .serialized) struct SlotTests {
    /// The time that the slot of the visitor lasts; 0 if it is free.
    static func slotMilliseconds(_ fleet: Fleet) async throws -> Int {
        try await fleet.number(
            """
            select coalesce(max(slot_until - floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 0) from signet.live
            where k = \(Fleet.key("v")) and slot is not null
            """
        )
    }

    @Test(arguments: Fleet.Way.allCases)
    func theSameLoginOnTwoReplicasAtOnceGoesThroughOnce(way: Fleet.Way) async throws {
        try await Fleet.with(way) { fleet in
            let (a, b) = (try await fleet.member("a"), try await fleet.member("b"))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let first = a.call(.login("v", customer: "c-1"))
            await gate.arrived()
            #expect(try await b.call(.login("v", customer: "c-1")).error == "requestInProgress")
            gate.open()
            let winner = try await first
            #expect(winner.error == nil && winner.state?.mpid != nil)
            // Read your writes: the next request may land on the other replica.
            let state = try #require(try await b.expect(.open("v", identifies: false)).state)
            #expect(state.mpid == winner.state?.mpid && state.isLoggedIn && state.stamp == winner.state?.stamp)
            #expect(state.session == winner.state?.session)
            #expect(fleet.platform.identityCalls.count == 1)
            #expect(try await Self.slotMilliseconds(fleet) == 0)
        }
    }

    @Test(arguments: Fleet.Way.allCases)
    func theSlotOfAKilledReplicaIsFreeWithin15Seconds(way: Fleet.Way) async throws {
        try await Fleet.with(way) { fleet in
            let (a, b) = (try await fleet.member("a"), try await fleet.member("b"))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let lost = a.call(.login("v", customer: "c-1"))
            await gate.arrived()
            await a.killed()
            do {
                Issue.record("a killed replica has answered: \(try await lost)")
            } catch is MemberProcess.Ended {}
            let left = try await Self.slotMilliseconds(fleet)
            #expect((1...15_000).contains(left))
            #expect(try await b.call(.login("v", customer: "c-2")).error == "requestInProgress")
            // The platform has carried it out; only the answer is lost.
            gate.open()
            try await until("the slot is free") {
                let answer = try await b.call(.login("v", customer: "c-2"))
                // On a busy machine the store may not answer within its limit: then nothing is sent, and it is tried again.
                #expect([nil, "requestInProgress", "storeUnreachable"].contains(answer.error))
                return answer.error == nil
            }
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    @Test(arguments: [MemberStop.beforeSend, .afterAnswer])
    func theAnswerOfAReplicaThatStoodStillIsSuperseded(stop: MemberStop) async throws {
        try await Fleet.with { fleet in
            let (a, b) = (try await fleet.member("a"), try await fleet.member("b"))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            try await a.expect(.stop(at: stop, path: "/v1/login"))
            async let late = a.call(.login("v", customer: "c-late"))
            await a.stopped()
            try await until("the slot of the stopped replica is over") {
                try await b.call(.login("v", customer: "c-winner")).error == nil
            }
            let winner = try #require(try await b.expect(.state("v")).state)
            a.signal(SIGCONT)
            // Two things are due when it goes on: the answer, and the limit of the request; either is first.
            let error = try await late.error
            #expect(error == "superseded" || error == "timedOut", "\(error ?? "none")")
            let states = [
                try await a.expect(.open("v", identifies: false)).state, try await b.expect(.refresh("v")).state,
            ]
            #expect(states.map { $0?.mpid } == [winner.mpid, winner.mpid])
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    /// The time of the slot is set in SQL: the answer comes within the limit of the request, so that only the fence of the commit
    /// refuses it.
    @Test(arguments: [MemberStop.beforeSend, .afterAnswer])
    func theAnswerOfAReplicaThatHasLostItsSlotIsSuperseded(stop: MemberStop) async throws {
        try await Fleet.with { fleet in
            let (a, b) = (try await fleet.member("a"), try await fleet.member("b"))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            try await a.expect(.stop(at: stop, path: "/v1/login"))
            async let late = a.call(.login("v", customer: "c-late"))
            await a.stopped()
            try await fleet.server.sql("update signet.live set slot_until = 0", in: fleet.database)
            let winner = try await b.expect(.login("v", customer: "c-winner")).state?.mpid
            a.signal(SIGCONT)
            #expect(try await late.error == "superseded")
            let states = [
                try await a.expect(.refresh("v")).state?.mpid, try await b.expect(.refresh("v")).state?.mpid,
            ]
            #expect(states == [winner, winner])
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    @Test func aReplyThatWasLostBehindAnotherCommitIsFoundByItsTag() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port)
            let b = try await fleet.member("b")
            try await a.expect(.open("v", identifies: false))
            // The consent of this customer is known here: nothing is read before the commit.
            try await a.expect(.login("v", customer: "c-1"))
            try await a.expect(.setConsent("v", true))
            try await a.expect(.logout("v"))
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let login = a.call(.login("v", customer: "c-1"))
            await gate.arrived()
            proxy.set(.dropsReplies(after: 0))
            gate.open()
            try await until("the commit has freed the slot") { try await Self.slotMilliseconds(fleet) == 0 }
            let user = try await b.expect(.open("v", identifies: false)).state?.mpid
            #expect(user != nil)
            try await b.expect(.setAttribute("v", name: "drink", value: "tea"))
            proxy.set(.passes)
            let answer = try await login
            #expect(answer.error == nil, "\(answer.message ?? "")")
            #expect(answer.state?.mpid == user)
            #expect(try await a.expect(.refresh("v")).state?.attributes == ["drink": "tea"])
            #expect(fleet.platform.identityCalls.count == 3)
        }
    }
}
#endif
