// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing
import signet_fleet_member

@testable import SignetPostgres

/// The processes, the network and the database of the tests beside do what they say.
@Suite(.watched, .serialized) struct HarnessTests {
    // MARK: - Members

    @Test func aMemberWithoutAStoreDeliversOverHTTP() async throws {
        let platform = try FleetPlatform()
        let folder = try TemporaryFolder()
        let member = try MemberProcess(MemberConfiguration(directory: folder.path, platform: platform.url))
        try await member.ready()
        try await member.expect(.open("v", identifies: false))
        let state = try #require(try await member.expect(.login("v", customer: "c-1")).state)
        #expect(state.isLoggedIn && state.session != nil)
        #expect(try await member.expect(.log("v", count: 3, name: "visit")).logged == 3)
        #expect(try await member.call(.login("other", customer: "c-1")).error != nil)
        try await member.expect(.upload)
        #expect(platform.customEvents == ["visit-0": 1, "visit-1": 1, "visit-2": 1])
        #expect(platform.identityCalls.map(\.installation) == [state.stamp])
        #expect(platform.perSession("session_start") == [try #require(state.session): 1])
        try await member.expect(.shutdown)
        await member.ended()
        #expect(member.exitCode == 0)
    }

    @Test(arguments: [(MemberStop.beforeSend, 0), (.afterAnswer, 1)])
    func aMemberStopsAtItsPointAndGoesOn(stop: MemberStop, calls: Int) async throws {
        let platform = try FleetPlatform()
        let folder = try TemporaryFolder()
        let member = try MemberProcess(MemberConfiguration(directory: folder.path, platform: platform.url))
        try await member.ready()
        try await member.expect(.open("v", identifies: false))
        try await member.expect(.stop(at: stop, path: "/v1/login"))
        async let login = member.call(.login("v", customer: "c-1"))
        await member.stopped()
        #expect(platform.identityCalls.count == calls)
        member.signal(SIGCONT)
        #expect(try await login.error == nil)
        #expect(platform.identityCalls.count == 1)
        await member.killed()
    }

    @Test func whatAKilledMemberHadLoggedTheNextOneDelivers() async throws {
        let platform = try FleetPlatform()
        let folder = try TemporaryFolder()
        var configuration = MemberConfiguration(directory: folder.path, platform: platform.url)
        configuration.uploadInterval = 600
        let first = try MemberProcess(configuration)
        try await first.ready()
        try await first.expect(.open("v", identifies: false))
        try await first.expect(.login("v", customer: "c-1"))
        try await first.expect(.log("v", count: 2, name: "visit"))
        await first.killed()
        await #expect(throws: MemberProcess.Ended.self) { try await first.call(.state("v")) }
        let second = try MemberProcess(configuration)
        try await second.ready()
        try await second.expect(.upload)
        #expect(platform.customEvents == ["visit-0": 1, "visit-1": 1])
        await second.killed()
    }

    // MARK: - The platform

    @Test func twoRequestsOfOneInstallationInFlightAreCounted() async throws {
        let platform = try FleetPlatform()
        let gate = EmulatorGate()
        platform.emulator.faults.injectAlways(.held(gate), on: .login)
        let request = TransportRequest(
            method: .post,
            url: platform.url + "/v1/login",
            body: Array(#"{"known_identities":{"device_application_stamp":"S"}}"#.utf8)
        )
        let transport = URLSessionTransport()
        async let first = transport.send(request)
        await until("the first has arrived") { platform.inFlight("s") == 1 }
        async let second = transport.send(request)
        await until("the second has arrived") { platform.inFlight("s") == 2 }
        gate.open()
        #expect(try await [first.status, second.status] == [401, 401])
        #expect(platform.identityCalls.map(\.overlapped) == [false, true])
        await until("none is in flight") { platform.inFlight("s") == 0 }
    }

    // MARK: - The network

    private static func code(_ store: PostgresStore) async -> SharedStoreError.Code? {
        do {
            _ = try await store.answer(PostgresStatement("select 1"), until: store.deadline)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func theProxyDoesWhatNetworksDo() async throws {
        let server = try await PostgresServer.shared()
        let proxy = try TCPProxy(to: server.port)
        let store = try PostgresStore(server.url(port: proxy.port), connections: 1, limit: .seconds(2))
        await until("it passes") { await Self.code(store) == nil }
        proxy.set(.refuses)
        await until("the store has seen that its connection is gone") { await Self.code(store) == .unreachable }
        #expect(proxy.connectionCount == 0)
        proxy.set(.passes)
        await until("it passes again") { await Self.code(store) == nil }
        for mode in [TCPProxy.Mode.holds, .swallows, .dropsReplies(after: 0), .resetsReplies] {
            proxy.set(mode)
            #expect(await Self.code(store) == .outcomeUnknown, "\(mode)")
            #expect(await Self.code(store) != nil, "\(mode)")
            proxy.set(.passes)
            await until("it passes after \(mode)") { await Self.code(store) == nil }
        }
        proxy.set(.delaysReplies(.milliseconds(300)))
        let began = ContinuousClock.now
        #expect(await Self.code(store) == nil)
        #expect(began.duration(to: .now) >= .milliseconds(300))
        proxy.set(.passes)
        await store.close()
    }

    // MARK: - The database

    @Test func aCrashKeepsWhatWasCommittedAndAStandbyThatLaggedHasLost() async throws {
        let server = try await PostgresServer.start()
        try await server.sql("create table t (n integer)")
        let proxy = try TCPProxy(to: server.port)
        let standby = try await server.startStandby(primary: proxy.port)
        try await server.sql("insert into t values (1)")
        await until("the standby has the first row") { await Self.count(server, at: standby) == 1 }
        proxy.set(.holds)
        try await server.sql("insert into t values (2)")
        try await server.crash()
        try await server.start()
        #expect(await Self.count(server, at: server.port) == 2)
        try await server.crash()
        try await server.promoteStandby(at: standby)
        #expect(await Self.count(server, at: standby) == 1)
        try await server.run("as psql -qX -h $folder -p \(standby) -U postgres -c 'insert into t values (3)'")
        #expect(await Self.count(server, at: standby) == 2)
    }

    private static func count(_ server: PostgresServer, at port: Int) async -> Int? {
        for count in 1...3 {
            do {
                try await server.run(
                    "[ $(as psql -qXAt -h $folder -p \(port) -U postgres -c 'select count(*) from t') = \(count) ]"
                )
                return count
            } catch {}
        }
        return nil
    }
}
#endif
