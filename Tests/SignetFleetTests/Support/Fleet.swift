// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import SignetEmulator
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

import struct Foundation.UUID

@testable import Signet
@testable import SignetPostgres

/// A database, a platform, and members that share both.
final class Fleet: Sendable {
    let server: PostgresServer
    let database: String
    let platform: FleetPlatform
    private let folder: TemporaryFolder
    /// The port at which members reach the database unless they are told another one; nil for the server's own.
    private let port: Int?
    private let members = Locked<[MemberProcess]>([])

    private init(_ server: PostgresServer, port: Int?) async throws {
        (self.server, self.port) = (server, port)
        self.database = try await server.makeDatabase()
        self.platform = try FleetPlatform()
        self.folder = try TemporaryFolder()
    }

    /// The way of members to the database.
    enum Way: CaseIterable {
        case direct
        /// Through a PgBouncer in transaction mode: two statements of a member may go to two sessions.
        case bouncer
    }

    /// Runs a test on a fleet whose members go this way; they are killed afterwards.
    static func with(_ way: Way, _ body: (Fleet) async throws -> Void) async throws {
        guard way == .bouncer else { return try await Self.with(nil, port: nil, body) }
        let server = try await PostgresServer.start()
        try await Self.with(server, port: server.startBouncer(), body)
    }

    /// Runs a test on a fleet; its members are killed afterwards.
    ///
    /// - Parameters:
    ///   - server: A server of the test's own; nil for the one that tests share.
    ///   - port: The port at which members reach the database unless they are told another one; nil for the server's own.
    ///   - body: The test.
    /// - Throws: ``PostgresServer/NotThere``, and the errors of the test.
    static func with(
        _ server: PostgresServer? = nil,
        port: Int? = nil,
        _ body: (Fleet) async throws -> Void
    ) async throws {
        let server = if let server { server } else { try await PostgresServer.shared() }
        let fleet = try await Fleet(server, port: port)
        do {
            try await body(fleet)
        } catch {
            await fleet.killAll()
            throw error
        }
        await fleet.killAll()
    }

    /// Starts a member and waits until it runs; one of the same name has the directory of the one before.
    ///
    /// - Parameters:
    ///   - name: The name of its directory.
    ///   - port: The port at which it reaches the database, as of a ``TCPProxy``; nil for that of the fleet.
    ///   - url: The URL of the database; nil for that of the port.
    ///   - change: Changes its settings.
    /// - Returns: The member.
    /// - Throws: ``MemberProcess/Ended`` if it does not start.
    func member(
        _ name: String,
        port: Int? = nil,
        url: Secret? = nil,
        _ change: (inout MemberConfiguration) -> Void = { _ in }
    ) async throws -> MemberProcess {
        let store = (url ?? self.server.url(self.database, port: port ?? self.port)).withExposed { $0 }
        var configuration = MemberConfiguration(
            directory: "\(self.folder.path)/\(name)",
            platform: self.platform.url,
            store: store
        )
        change(&configuration)
        let member = try MemberProcess(configuration)
        self.members.withLock { $0.append(member) }
        try await member.ready()
        return member
    }

    /// A number in SQL, not through the runtime.
    ///
    /// - Parameters:
    ///   - text: The number, as SQL.
    ///   - port: The port of another server, such as a standby that was promoted; nil for that of the fleet.
    /// - Returns: The number; -1 if there is no row.
    /// - Throws: The errors of the store.
    func number(_ text: String, at port: Int? = nil) async throws -> Int {
        let url = self.server.url(self.database, port: port)
        let store = try PostgresStore(url, connections: 1, limit: .seconds(20))
        let result = try await store.answer(PostgresStatement("select (\(text))::bigint"), until: store.deadline)
        await store.close()
        return Int(result.rows.first?.integer(0) ?? -1)
    }

    // MARK: - Time

    /// Lets the test set the clock of the database; before members start.
    func makeClock() async throws {
        try await self.server.makeClock(of: self.database)
    }

    /// Sets the clock of the database; see ``makeClock()``.
    func setClock(ahead seconds: Int) async throws {
        try await self.server.setClock(of: self.database, ahead: seconds)
    }

    /// The time of the database, in milliseconds since 1970.
    static let now = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

    /// Returns when the database's clock is two seconds further.
    ///
    /// A replica knows it to half the time of a call, and a call takes at most a second: what it logs before and after is told apart.
    func pass() async throws {
        let end = try await self.number(Self.now) + 2000
        try await until("the database's clock is two seconds further") { try await self.number(Self.now) >= end }
    }

    /// Makes a row due, and returns when a replica has dealt with it.
    ///
    /// One that looks claims the row for 30 seconds, and does all that is due before it tells of itself again.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - replicas: The number of replicas that live.
    /// - Throws: ``PostgresServer/NotThere``, and the errors of the store.
    func look(at id: String, replicas: Int) async throws {
        let row = "signet.live where k = \(Self.key(id))"
        try await self.server.sql("update signet.live set look = 0 where k = \(Self.key(id))", in: self.database)
        try await until("a replica has claimed a row") {
            try await self.number("select (look is null or look > 0)::int from \(row)") == 1
        }
        try await self.told(by: replicas)
    }

    /// Returns when replicas have told the store of what was logged before, and of themselves.
    ///
    /// - Parameter replicas: The number of replicas that live.
    /// - Throws: The errors of the store.
    func told(by replicas: Int) async throws {
        // The first may have begun before this call.
        for _ in 0..<2 {
            let before = try await self.number(Self.now)
            let isLater = "seen > \(before) and seen <= \(Self.now)"
            try await until("each replica that lives has told of itself") {
                try await self.number("select count(*) from signet.replica where \(isLater)") == replicas
            }
        }
    }

    /// The key of an installation's row, as SQL.
    static func key(_ id: String) -> String {
        "'\(SharedIDs.key(of: Array(id.utf8)).uuidString)'::uuid"
    }

    private func killAll() async {
        for member in self.members.withLock({ $0 }) { await member.killed() }
    }
}
#endif
