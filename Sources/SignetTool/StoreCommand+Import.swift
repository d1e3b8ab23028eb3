// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

#if SIGNET_POSTGRES
import Signet
import SignetModel
import SignetPostgres
import SignetTransport
#endif

extension StoreCommand {
    /// `signet store import`.
    struct ImportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Makes rows of the installations of a runtime's directory.",
            discussion: """
                Takes over users, consent, opt-outs, devices and the device application stamp. Rows that are there \
                stay. Sessions are not moved. Waiting events stay in the directory: send them first, or run a \
                replica on it.

                A row has at most 64 KB: users of whom nothing is known, then those who were not seen for the \
                longest time, stay behind, and are counted.

                Stop the runtime that uses the directory first. The command may run again.

                EXIT CODES
                  0   each installation has a row
                  1   some are too large or cannot be read
                  2   nothing more could be done
                """
        )

        @Argument(help: "The directory of a runtime that does not run.")
        var directory: String

        @OptionGroup var output: OutputOptions

        func validate() throws { try StoreCommand.checkEnvironment() }

        func run() async throws {
            #if SIGNET_POSTGRES
            try await StoreCommand.withStore { store in
                let report = try await StoreCommand.waiting("importing") {
                    try await StoreCommand.report(ofImporting: self.directory, into: store)
                }
                try self.output.give(
                    [
                        "made": .number(JSONNumber(Int64(report.made))),
                        "existing": .number(JSONNumber(Int64(report.existing))),
                        "tooLarge": .number(JSONNumber(Int64(report.tooLarge))),
                        "unreadable": .number(JSONNumber(Int64(report.unreadable))),
                        "usersDropped": .number(JSONNumber(Int64(report.usersDropped))),
                    ],
                    report.made.of("row was made, ", "rows were made, ")
                        + report.existing.of("was there; ", "were there; ")
                        + report.tooLarge.of("installation is too large, ", "installations are too large, ")
                        + "\(report.unreadable) cannot be read, "
                        + report.usersDropped.of("user did not fit in their row", "users did not fit in their row")
                )
                if report.tooLarge + report.unreadable > 0 { throw ToolExit.no }
            }
            #else
            try StoreCommand.explainTrait()
            #endif
        }
    }

    #if SIGNET_POSTGRES
    private static func report(
        ofImporting directory: String,
        into store: PostgresStore
    ) async throws -> DirectoryImport.Report {
        // Opening makes a folder that is missing.
        try DirectoryCopy.check(directory)
        let source = try DirectoryImport(directory: directory)
        defer { source.close() }
        return try await source.run(into: store)
    }
    #endif
}
#endif
