// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

#if SIGNET_POSTGRES
import Signet
import SignetModel
import SignetPostgres
import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
#endif

/// `signet store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepares and checks the database that replicas share.",
        discussion: """
            The URL is read from the environment variable SIGNET_STORE_URL, so that no list of processes shows its \
            password. Needs the trait FleetTool.

            EXAMPLES
              SIGNET_STORE_URL=postgres://owner@db/shop signet store setup
              SIGNET_STORE_URL=postgres://app@db/shop signet store check
              SIGNET_STORE_URL=postgres://app@db/shop signet store import /var/lib/signet

            EXIT CODES
              0   done
              1   the database cannot be used as it is
              2   it is not reached, or refuses
              64  invalid command line
            """,
        subcommands: [SetupCommand.self, CheckCommand.self, UpgradeCommand.self, ImportCommand.self]
    )

    /// `signet store setup`.
    struct SetupCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup",
            abstract: "Makes the tables, columns and indexes that are missing; may run again, and twice at once.",
            discussion: """
                Needs a user who may create a schema in the database or, once there is one, its owner. The database \
                has the encoding UTF8.
                """
        )

        @OptionGroup var output: OutputOptions

        func validate() throws { try StoreCommand.checkEnvironment() }

        func run() async throws {
            #if SIGNET_POSTGRES
            try await StoreCommand.withStore { store in
                try await StoreCommand.waiting("making the tables") { try await store.setup() }
                try self.output.give(["tables": "complete"], "The tables of the schema signet are there.")
            }
            #else
            try StoreCommand.explainTrait()
            #endif
        }
    }

    /// `signet store upgrade`.
    struct UpgradeCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "upgrade",
            abstract: "Adds what this version needs; --finish: replicas write its format.",
            discussion: """
                While a new version is rolled out, its replicas write the format of the version before, and both \
                keep fields that they do not know. Once no replica of the older version runs, finish the upgrade: \
                replicas that run write the newer format within a minute, without a restart.
                """
        )

        @Flag(help: "All replicas run this version: they write its format from now on. Older versions are refused.")
        var finish = false

        @OptionGroup var output: OutputOptions

        func validate() throws { try StoreCommand.checkEnvironment() }

        func run() async throws {
            #if SIGNET_POSTGRES
            try await StoreCommand.withStore { store in
                let format = try await StoreCommand.waiting("upgrading") {
                    try await store.upgrade(finish: self.finish)
                }
                try self.output.give(
                    [
                        "written": .number(JSONNumber(Int64(format))),
                        "newest": .number(JSONNumber(Int64(PostgresStore.newestFormat))),
                    ],
                    "Replicas write format \(format); this version reads up to \(PostgresStore.newestFormat)."
                )
            }
            #else
            try StoreCommand.explainTrait()
            #endif
        }
    }

    /// Checks the environment before a subcommand runs.
    ///
    /// Without the trait it checks nothing: then `run()` names the trait.
    static func checkEnvironment() throws {
        #if SIGNET_POSTGRES
        _ = try Self.url()
        #endif
    }

    #if SIGNET_POSTGRES
    /// Shows on a terminal what the database is asked for, once an answer takes a second.
    static func waiting<Result: Sendable>(
        _ work: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await ProgressLine().during({ "\(work): the database works" }, body)
    }

    /// The URL of the database, from the environment.
    ///
    /// - Throws: `ValidationError`, as for an option that is missing.
    private static func url() throws -> Secret {
        guard let url = getenv("SIGNET_STORE_URL").map({ String(cString: $0) }), !url.isEmpty else {
            throw ValidationError(
                "The environment variable SIGNET_STORE_URL is missing. Set it to the URL of the database, such as"
                    + " postgres://user:password@db/shop."
            )
        }
        return Secret(url)
    }

    static func withStore(_ body: (PostgresStore) async throws -> Void) async throws {
        do {
            let store = try PostgresStore(try Self.url(), connections: 1, limit: .seconds(10))
            do {
                try await body(store)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        } catch let exit as ExitCode {
            throw exit
        } catch let fault as ToolFault {
            Terminal.complain(fault.message)
            throw ToolExit.failed
        } catch {
            Terminal.complain("\(error)")
            throw ToolExit.failed
        }
    }
    #else
    static func explainTrait() throws {
        Terminal.complain("This command needs the trait FleetTool, and libpq (apt-get install libpq-dev):")
        Terminal.complain("swift run --traits FleetTool signet store --help")
        throw ToolExit.failed
    }
    #endif
}
#endif
