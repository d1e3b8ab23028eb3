// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL && SIGNET_POSTGRES
import Foundation
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

/// `signet store` as a process, on a real PostgreSQL.
@Suite(.watched) struct StoreProcessTests {
    private struct Answer {
        let status: Int32
        let output: String
        let complaints: String

        /// A member of the JSON that it printed.
        subscript(name: String) -> JSONValue? {
            get throws { try JSONReader.read(Array(self.output.utf8))[name] }
        }
    }

    private static func store(_ arguments: String..., at url: Secret) async throws -> Answer {
        try await ownThread { try Self.run(arguments, at: url) }
    }

    private static func run(_ arguments: [String], at url: Secret) throws -> Answer {
        let process = Process()
        process.executableURL = URL(
            filePath: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet"
        )
        process.arguments = ["store"] + arguments
        process.environment = ["SIGNET_STORE_URL": url.withExposed { $0 }]
        let (output, complaints) = try start(process) {
            let (output, complaints) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, complaints)
            return (output, complaints)
        }
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = complaints.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus,
            output: String(decoding: said, as: UTF8.self),
            complaints: String(decoding: complained, as: UTF8.self)
        )
    }

    @Test func aDatabaseIsSetUpAndCheckedAndADirectoryImportedOnce() async throws {
        let server = try await PostgresServer.shared()
        let url = server.url(try await server.makeDatabase(withTables: false))
        let empty = try await Self.store("check", "--json", at: url)
        #expect(empty.status == 1)
        #expect(empty.complaints.contains("signet store setup"))
        #expect(try empty["missing"]?.array?.isEmpty == false)
        #expect(try await Self.store("setup", at: url).status == 0)
        let setup = try await Self.store("setup", "--json", at: url)
        #expect(try setup["tables"] == .string("complete"))
        let upgraded = try await Self.store("upgrade", "--json", at: url)
        #expect(try upgraded["newest"]?.number?.int64 == upgraded["written"]?.number?.int64)
        let text = try await Self.store("check", at: url)
        #expect(text.status == 0)
        for line in [
            "TLS           no", "pooler        no", "tables        all there", "hint          fsync",
        ] {
            #expect(text.output.contains(line), "\(text.output)")
        }
        let json = try await Self.store("check", "--json", at: url)
        #expect(try json["tls"] == .bool(false))
        #expect(try json["pooler"] == .bool(false))
        #expect(try json["durability"] == .string("none"))
        try await RuntimeFolder.with { folder in
            try await withEmulatedSignet(in: folder) { signet in
                for id in ["one", "two"] as [InstallationID] {
                    try await signet.runtime.open(id, identify: .none).login([.customerID: id.rawValue])
                }
                let refused = try await Self.store("import", folder, at: url)
                #expect(refused.status == 2)
                #expect(refused.complaints.contains("directoryInUse"), "\(refused.complaints)")
            }
            for (made, existing) in [(2, 0), (0, 2)] {
                let answer = try await Self.store("import", folder, "--json", at: url)
                #expect(answer.status == 0, "\(answer.complaints)")
                #expect(try answer["made"]?.number?.int64 == Int64(made))
                #expect(try answer["existing"]?.number?.int64 == Int64(existing))
                #expect(try answer["tooLarge"]?.number?.int64 == 0)
                #expect(try answer["unreadable"]?.number?.int64 == 0)
            }
            let nowhere = try await Self.store("import", folder + "/nowhere", at: url)
            #expect(nowhere.status == 2)
            #expect(!FileManager.default.fileExists(atPath: folder + "/nowhere"))
        }
    }

    @Test func aFaultOfTheDatabaseEndsTheCheckWithOne() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let url = server.url(database)
        for (fault, remedy) in [
            ("alter table signet.live drop column look", "alter table signet.live add column look bigint"),
            ("alter table signet.live alter column slot_until type text", "type bigint using slot_until::text::bigint"),
            ("drop index signet.installation_seen", "on signet.installation (seen)"),
            ("update signet.meta set format = 0", "signet store upgrade --finish"),
        ] {
            try await server.sql(fault, in: database)
            let checked = try await Self.store("check", at: url)
            #expect(checked.status == 1 && checked.complaints.contains(remedy), "\(checked.complaints)")
            let json = try await Self.store("check", "--json", at: url)
            #expect(try json.status == 1 && json["problems"]?.array?.isEmpty == false)
        }
        // What a command can mend.
        #expect(try await Self.store("setup", at: url).status == 0)
        #expect(try await Self.store("upgrade", "--finish", at: url).status == 0)
        try await server.sql(
            "alter table signet.live alter column slot_until type bigint using slot_until::text::bigint",
            in: database
        )
        let mended = try await Self.store("check", at: url)
        #expect(mended.status == 0 && mended.output.contains("encoding      UTF8"), "\(mended.complaints)")
        let latin = "\(database)_latin"
        try await server.sql("create database \(latin) encoding 'LATIN1' template template0")
        for command in ["check", "setup"] {
            let answer = try await Self.store(command, at: server.url(latin))
            #expect(answer.status == (command == "check" ? 1 : 2))
            #expect(answer.complaints.contains("encoding 'UTF8' template template0"), "\(answer.complaints)")
        }
    }
}
#endif
