// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

@testable import SignetPostgres

/// A row that somebody keeps locked, and a synchronous standby that is away: pages go on, and the server keeps its connections.
@Suite(.watched, .serialized) struct LockTests {
    /// The connections of one replica.
    private static let connections = 4

    /// The number of the server's processes for the replicas.
    private static func processes(_ fleet: Fleet) async throws -> Int {
        try await fleet.number(
            "select count(*) from pg_stat_activity where datname = '\(fleet.database)' and application_name = 'signet' and pid <> pg_backend_pid()"
        )
    }

    @Test(arguments: Fleet.Way.allCases)
    func aLockedRowEndsNoOtherSession(way: Fleet.Way) async throws {
        try await Fleet.with(way) { fleet in
            let members = [
                try await fleet.member("a") { $0.sessionTimeout = 20 },
                try await fleet.member("b") { $0.sessionTimeout = 20 },
            ]
            let visitors = (0..<4).map { "v\($0)" }
            for id in visitors {
                for member in members { try await member.expect(.open(id, identifies: true)) }
                try await members[0].expect(.log(id, count: 1, name: "first"))
            }
            try await fleet.pass()
            let other = try PostgresStore(fleet.server.url(fleet.database), connections: 2, limit: .seconds(90))
            let lock = PostgresStatement(
                script: "select 1 from signet.live where k = \(Fleet.key("v0")) for update; select pg_sleep(80)"
            )
            let waits = "datname = '\(fleet.database)' and wait_event = 'PgSleep'"
            async let held: Bool = {
                do throws(SharedStoreError) {
                    _ = try await other.answer(lock, until: other.deadline)
                    return false
                } catch {
                    return true
                }
            }()
            try await until("the row is locked") {
                try await fleet.number("select count(*) from pg_stat_activity where \(waits)") == 1
            }
            // Longer than the timeout.
            let end = try await fleet.number(Fleet.now) + 24_000
            var step = 0
            while try await fleet.number(Fleet.now) < end {
                for id in visitors { try await members[step % 2].expect(.log(id, count: 1, name: "step")) }
                step += 1
                #expect(try await Self.processes(fleet) <= members.count * Self.connections)
                try await fleet.pass()
            }
            #expect(try await fleet.number("select count(*) from signet.live where session is not null") == 4)
            for member in members { #expect(try await member.call(.state("v1")).health == []) }
            try await fleet.server.sql("select pg_terminate_backend(pid) from pg_stat_activity where \(waits)")
            #expect(await held)
            await other.close()
            try await until("the flush of the row that was locked") {
                let skipped = try await fleet.number("select count(*) from signet.skipped")
                let told = try await fleet.number("select events from signet.live where k = \(Fleet.key("v0"))")
                return skipped == 0 && told > 1
            }
            try await until("all sessions are over") {
                try await fleet.number("select count(*) from signet.live where session is not null") == 0
            }
            // The row has an end before the journal of a replica does.
            try await until("the end of each session has arrived") {
                for member in members { try await member.expect(.upload) }
                return fleet.platform.events.count { $0.type == "session_end" } >= visitors.count
            }
            let events = fleet.platform.events
            #expect(events.count { $0.type == "session_start" } == visitors.count)
            #expect(events.count { $0.type == "session_end" } == visitors.count)
            #expect(events.count { $0.name?.hasPrefix("step-") ?? false } == visitors.count * step)
        }
    }

    @Test(arguments: Fleet.Way.allCases)
    func whileASynchronousStandbyIsAwayPagesGoOn(way: Fleet.Way) async throws {
        let server = try await PostgresServer.start()
        try await Fleet.with(server, port: way == .bouncer ? server.startBouncer() : nil) { fleet in
            let a = try await fleet.member("a") { $0.whenUnreachable = .logOnly }
            try await a.expect(.open("known", identifies: true))
            try await a.expect(.log("known", count: 1, name: "before"))
            try await fleet.pass()
            try await server.sql("alter system set synchronous_standby_names = 'nobody'")
            try await server.sql("select pg_reload_conf()")
            var size = 0
            try await until("commits wait for the standby") {
                size += 1
                return try await a.call(.setAttribute("known", name: "size", value: "\(size)")).error != nil
            }
            for number in 0..<6 {
                #expect(try await a.call(.open("new\(number)", identifies: true)).error == nil)
                #expect(try await a.call(.log("new\(number)", count: 1, name: "page")).error == nil)
                #expect(try await a.call(.open("known", identifies: true)).error == nil)
                #expect(try await a.call(.log("known", count: 1, name: "page")).error == nil)
                #expect(try await Self.processes(fleet) <= Self.connections)
            }
            try await until("the health says so") {
                try await a.call(.state("known")).health.contains { $0.hasPrefix("store_unreachable (") }
            }
            #expect(try await a.call(.state("known")).health.contains { $0.contains("commits") })
            try await server.sql("alter system reset synchronous_standby_names")
            try await server.sql("select pg_reload_conf()")
            // The runtime identifies those who do not return within a minute: this one is not waited for.
            for number in 0..<6 { try await a.expect(.open("new\(number)", identifies: true)) }
            try await until("all events are delivered, of seven users") {
                _ = try await a.call(.upload)
                return fleet.platform.events.count { $0.name?.hasPrefix("page-") ?? false } == 12
            }
            try await until("the health is ready") { try await a.call(.state("known")).health == [] }
            let emulator = fleet.platform.emulator
            let users = emulator.users().filter { user in
                emulator.events(of: user.mpid).contains { $0.name == "page-0" }
            }
            #expect(users.count == 7)
        }
    }
}
#endif
