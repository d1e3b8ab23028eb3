// SPDX-License-Identifier: Apache-2.0

#if PostgresStore && URLSessionTransport
import SignetEmulator
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
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
    private let members = Locked<[MemberProcess]>([])

    private init(_ server: PostgresServer) async throws {
        self.server = server
        self.database = try await server.makeDatabase()
        self.platform = try FleetPlatform()
        self.folder = try TemporaryFolder()
    }

    /// Runs a test on a fleet; its members are killed afterwards.
    static func with(_ server: PostgresServer? = nil, _ body: (Fleet) async throws -> Void) async throws {
        let fleet = try await Fleet(server ?? PostgresServer.shared.get())
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
    ///   - port: The port at which it reaches the database, as of a ``TCPProxy``; nil for the server's own.
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
        let store = (url ?? self.server.url(self.database, port: port)).withExposed { $0 }
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
    func number(_ text: String) async throws -> Int {
        let store = try PostgresStore(self.server.url(self.database), connections: 1, limit: .seconds(20))
        let result = try await store.answer(PostgresStatement("select (\(text))::bigint"), until: store.deadline)
        await store.close()
        return Int(result.rows.first?.integer(0) ?? -1)
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
