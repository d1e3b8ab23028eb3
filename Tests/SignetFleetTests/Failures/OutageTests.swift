// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// What users see while the database is away, slow, or gone with what it had.
@Suite(.watched, .serialized) struct OutageTests {
    @Test func withoutTheEnginePagesGoOnAndIdentityCallsFailUnsent() async throws {
        try await Fleet.with(PostgresServer.start()) { fleet in
            let a = try await fleet.member("a") { $0.whenUnreachable = .logOnly }
            let b = try await fleet.member("b")
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.login("v", customer: "c-1"))
            try await a.expect(.log("v", count: 2, name: "before"))
            try await a.expect(.open("w", identifies: false))
            try await a.expect(.login("w", customer: "c-2"))
            let calls = fleet.platform.identityCalls.count
            try await fleet.server.stop()
            try await a.expect(.log("v", count: 2, name: "open"))
            try await a.expect(.open("w", identifies: false))
            try await a.expect(.log("w", count: 2, name: "unread"))
            #expect(try await a.call(.login("v", customer: "c-3")).error == "storeUnreachable")
            #expect(try await b.call(.open("x", identifies: false)).error == "storeUnreachable")
            #expect(fleet.platform.identityCalls.count == calls)
            try await fleet.server.start()
            let names = ["before-0", "before-1", "open-0", "open-1", "unread-0", "unread-1"]
            await until("all events have arrived") { Set(names).isSubset(of: fleet.platform.customEvents.keys) }
            #expect(fleet.platform.customEvents == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
            try await until("the other replica works again") {
                try await b.call(.open("x", identifies: false)).error == nil
            }
        }
    }

    @Test func anEngineThatIsAwayBetweenAnswerAndCommitCostsNothing() async throws {
        let server = try await PostgresServer.start()
        try await Fleet.with(server) { fleet in
            // The crash of the server takes its time on a busy machine, and the login must not end before.
            let a = try await fleet.member("a") { $0.requestTimeout = 8 }
            try await a.expect(.open("v", identifies: false))
            let before = try await a.expect(.login("v", customer: "c-1")).state
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let login = a.call(.login("v", customer: "c-2"))
            await gate.arrived()
            try await server.crash()
            gate.open()
            // The slot lasts five seconds longer than a request; the commit is tried as long.
            #expect(try await login.error == "storeUnreachable")
            #expect(try await a.call(.state("v")).state?.mpid == before?.mpid)
            try await server.start()
            try await until("a repetition goes through") {
                try await a.call(.login("v", customer: "c-2")).error == nil
            }
            let user = try await a.expect(.state("v")).state?.mpid
            #expect(user != before?.mpid)
            let mpid = try #require(user).user
            #expect(fleet.platform.emulator.user(mpid)?.identities[.customerID] == ["c-2"])
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    @Test func anEngineThatCrashesCountsNothingTwice() async throws {
        try await Fleet.with(PostgresServer.start()) { fleet in
            let a = try await fleet.member("a") { $0.sessionTimeout = 10 }
            try await a.expect(.open("v", identifies: false))
            let state = try await a.expect(.login("v", customer: "c-1")).state
            let session = try #require(state?.session)
            try await a.expect(.log("v", count: 5, name: "before"))
            try await fleet.server.crash()
            try await a.expect(.log("v", count: 5, name: "after"))
            try await fleet.server.start()
            await until("the session has ended") { fleet.platform.perSession("session_end")[session] != nil }
            await until("all events have arrived") { fleet.platform.customEvents.count == 10 }
            #expect(fleet.platform.customEvents.values.allSatisfy { $0 == 1 })
            #expect(fleet.platform.perSession("session_start")[session] == 1)
            #expect(fleet.platform.perSession("session_end")[session] == 1)
        }
    }

    @Test func aFailoverWithLostWritesHasOneWinner() async throws {
        let server = try await PostgresServer.start()
        try await Fleet.with(server) { fleet in
            let replication = try TCPProxy(to: server.port)
            let standby = try await server.startStandby(primary: replication.port)
            let url = Secret(
                "postgres://postgres@127.0.0.1:\(server.port),127.0.0.1:\(standby)/\(fleet.database)?sslmode=disable"
            )
            let (a, b) = (try await fleet.member("a", url: url), try await fleet.member("b", url: url))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            let kept = try await a.expect(.login("v", customer: "c-kept")).state?.mpid
            await until("the standby has the user") {
                do {
                    let sql = "select count(*) from signet.mention where mpid = \(kept ?? 0)"
                    try await server.run(
                        "[ $(as psql -qXAt -h $folder -p \(standby) -U postgres -d \(fleet.database) -c '\(sql)') = 1 ]"
                    )
                    return true
                } catch {
                    return false
                }
            }
            replication.set(.holds)
            try await a.expect(.login("v", customer: "c-lost"))
            try await server.crash()
            try await server.promoteStandby(at: standby)
            try await until("a replica reads from the new primary") { try await b.call(.refresh("v")).error == nil }
            #expect(try await b.expect(.state("v")).state?.mpid == kept)
            // Both at once: one wins, or one after the other; both replicas agree in the end.
            async let first = a.call(.login("v", customer: "c-a"))
            async let second = b.call(.login("v", customer: "c-b"))
            let errors = try await [first.error, second.error]
            #expect(errors.contains(nil), "\(errors)")
            try await until("both agree") {
                let states = [try await a.call(.refresh("v")), try await b.call(.refresh("v"))]
                return states.allSatisfy { $0.error == nil } && states[0].state == states[1].state
            }
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }
}

extension Int64 {
    /// The user of a number that a member has told.
    var user: MPID {
        get throws { try #require(MPID(rawValue: self)) }
    }
}
#endif
