// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

#if SIGNET_POSTGRES
import SignetPostgres
import SignetTransport
#endif

extension StoreCommand {
    /// `signet store check`.
    struct CheckCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Tells whether a runtime can use the database, and what to do if not.",
            discussion: """
                Looks at the encoding, the tables with their columns and indexes, the rights of the user, and the \
                format of the rows. Each fault comes with the statement or the command that mends it.

                Hints name settings with which a runtime works, but not well; they do not change the exit code.
                """
        )

        @OptionGroup var output: OutputOptions

        func validate() throws { try StoreCommand.checkEnvironment() }

        func run() async throws {
            #if SIGNET_POSTGRES
            try await StoreCommand.withStore { store in
                let report = try await StoreCommand.waiting("checking") { try await store.check() }
                let advice = StoreCommand.advice(report)
                try self.output.give(
                    StoreCommand.json(report, advice),
                    StoreCommand.lines(report).joined(separator: "\n")
                )
                for line in advice { Terminal.complain(line) }
                if !advice.isEmpty { throw ToolExit.no }
            }
            #else
            try StoreCommand.explainTrait()
            #endif
        }
    }

    #if SIGNET_POSTGRES
    /// The findings of a check, line by line.
    static func lines(_ report: PostgresStore.Report) -> [String] {
        [
            "server        PostgreSQL \(report.version)",
            "TLS           \(Self.encryption(report))",
            "pooler        \(report.hasPooler ? "yes" : "no")",
            "commits       \(Self.durability(report.durability))",
            "encoding      \(report.encoding)",
            "tables        \(report.problems.isEmpty ? "all there, with all rights" : "faults: \(report.problems.count)")",
            "format        \(report.format.map(String.init) ?? "none")",
            "workspace     \(report.isBound ? "bound" : "not bound yet: the first runtime binds it")",
        ] + report.hints.map { "hint          \($0.setting) is \($0.value): \($0.advice)" }
    }

    private static func encryption(_ report: PostgresStore.Report) -> String {
        guard report.hasPooler else { return report.isEncrypted ? "yes" : "no" }
        return
            "\(report.isEncrypted ? "yes" : "no") to the pooler, \(report.isServerEncrypted ? "yes" : "no") from there to the server"
    }

    private static func durability(_ durability: PostgresStore.Durability) -> String {
        switch durability {
        case .onStandbys(let names): "on the disks of the server and of the standbys \(names)"
        case .receivedByStandbys(let names): "on the server's disk and received by the standbys \(names)"
        case .onServer: "on the server's disk, on no standby: a failover may lose the last ones"
        case .nowhere: "not on a disk when they are answered: a crash may lose the last ones"
        }
    }

    /// The findings of a check as JSON.
    static func json(_ report: PostgresStore.Report, _ advice: [String]) -> JSONValue {
        let standbys: JSONValue =
            switch report.durability {
            case .onStandbys(let names), .receivedByStandbys(let names): .string(names)
            case .onServer, .nowhere: .null
            }
        let durability =
            switch report.durability {
            case .onStandbys: "standbys"
            case .receivedByStandbys: "standbys' memory"
            case .onServer: "server"
            case .nowhere: "none"
            }
        return [
            "server": .string(report.version), "tls": .bool(report.isEncrypted),
            "serverTLS": .bool(report.isServerEncrypted), "pooler": .bool(report.hasPooler),
            "durability": .string(durability), "standbys": standbys,
            "encoding": .string(report.encoding), "missing": .array(report.missing.map { .string($0) }),
            "problems": .array(
                report.problems.map {
                    ["subject": .string($0.subject), "fault": .string($0.fault), "remedy": .string($0.remedy)]
                }
            ),
            "format": report.format.map { .number(JSONNumber(Int64($0))) } ?? .null, "bound": .bool(report.isBound),
            "hints": .array(
                report.hints.map {
                    ["setting": .string($0.setting), "value": .string($0.value), "advice": .string($0.advice)]
                }
            ),
            "advice": .array(advice.map { .string($0) }),
        ]
    }

    /// The steps that are left before a runtime can use the database.
    static func advice(_ report: PostgresStore.Report) -> [String] {
        report.problems.map(\.description)
    }
    #endif
}
#endif
