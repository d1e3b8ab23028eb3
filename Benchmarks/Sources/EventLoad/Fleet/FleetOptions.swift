// SPDX-License-Identifier: Apache-2.0

#if Fleet
import ArgumentParser
import Glibc
import Signet
import SignetPostgres

struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database; its tables of Signet are dropped. By default that of SIGNET_STORE.",
            valueName: "url"
        )
    )
    var store: String?

    /// The only name of a database whose tables are dropped.
    static let databaseName = "signet_bench"

    func url() throws -> String {
        let environment = getenv("SIGNET_STORE").map { String(cString: $0) }
        guard let url = self.store ?? environment, !url.isEmpty else {
            throw ValidationError("Name a database with --store, or run this within Benchmarks/fleet-server.")
        }
        return url
    }

    /// A store as a replica has it.
    func makeStore(connections: Int = 4, limit: Duration = .seconds(1)) throws -> PostgresStore {
        try PostgresStore(Secret(try self.url()), connections: connections, limit: limit)
    }

    /// Makes the tables, with nothing in them.
    func empty() async throws {
        let database = try await self.emptied()
        withExtendedLifetime(database) {}
    }

    /// Connects to the database, with the tables and nothing in them.
    func emptied() async throws -> Database {
        let database = try Database(try self.url())
        guard try database.text("select current_database()") == Self.databaseName else {
            throw LoadError("The tables of this database are dropped, so its name must be \(Self.databaseName).")
        }
        try database.run("drop schema if exists signet cascade")
        let store = try self.makeStore(connections: 1, limit: .seconds(60))
        try await store.setup()
        await store.close()
        return database
    }
}
#endif
