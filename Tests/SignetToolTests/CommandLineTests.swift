// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

@testable import SignetTool

import struct FoundationEssentials.Date

/// What the command line takes.
@Suite struct CommandLineTests {
    @Test func optionsDescribeAWorkspace() throws {
        let command = try EmulatorCommand.parse([
            "--key", "us1-mine:a:secret", "--strategy", "isolation", "--priority", "email,customerid",
        ])
        let workspace = try command.workspace()
        #expect(workspace.apiKey == "us1-mine")
        #expect(workspace.secret.withExposed { $0 } == "a:secret")
        #expect(workspace.strategy == .isolation)
        #expect(workspace.priority == [.email, .customerID])
    }

    @Test func eachEmulatorGivesNumbersOfItsOwn() async throws {
        var firsts: Set<MPID> = []
        for _ in 0..<3 {
            let emulator = Emulator(try EmulatorCommand.parse([]).workspace())
            var headers = HTTPHeaders()
            headers.append(name: "x-mp-key", value: emulator.configuration.apiKey)
            headers.append(name: "Authorization", value: "Basic dXMxLWVtdWxhdGVkOmVtdWxhdGVkLXNlY3JldA==")
            let body = #"{"environment":"development","known_identities":{"customerid":"c"}}"#
            let url = "http://emulator/v1/identify"
            let request = TransportRequest(method: .post, url: url, headers: headers, body: Array(body.utf8))
            _ = await emulator.handle(request)
            firsts.formUnion(emulator.users().map(\.mpid))
        }
        #expect(firsts.count == 3)
    }

    @Test func projectsAndApplicationsAreNamed() throws {
        let words = ["--project", "a", "--project", "b:s:t", "--application", "c", "--keep", "7"]
        let workspace = try EmulatorCommand.parse(words).workspace()
        #expect(workspace.iterableProjects.map(\.apiKey) == ["a", "b"])
        #expect(workspace.iterableProjects.map { $0.secret.withExposed { $0 } } == ["emulated-project-secret", "s:t"])
        // A secret is there to be asked for.
        #expect(workspace.iterableProjects.map(\.requiresTokens) == [false, true])
        #expect(workspace.applications.map(\.code) == ["c"])
        #expect(workspace.keptEvents == 7)
    }

    @Test func originsOfPagesAreAllowedOneByOne() throws {
        #expect(try EmulatorCommand.parse([]).workspace().allowedOrigins.isEmpty)
        let words = ["--allow-origin", "HTTPS://Shop.example:443", "--allow-origin", "http://localhost:5173"]
        let workspace = try EmulatorCommand.parse(words).workspace()
        #expect(workspace.allowedOrigins == ["https://shop.example", "http://localhost:5173"])
        #expect(SignetCommand.helpMessage(for: EmulatorCommand.self).contains("--allow-origin"))
    }

    @Test func theKeyAloneIsEnoughWhereThatIsAskedFor() throws {
        #expect(try EmulatorCommand.parse([]).workspace().allowsKeyOnly == false)
        #expect(try EmulatorCommand.parse(["--key-only"]).workspace().allowsKeyOnly)
    }

    @Test func signaturesMayBeAsOldAsIsSaid() async throws {
        #expect(try EmulatorCommand.parse([]).workspace().requestDateTolerance == nil)
        let workspace = try EmulatorCommand.parse(["--request-date-tolerance", "300"]).workspace()
        #expect(workspace.requestDateTolerance == .seconds(300))
        #expect(SignetCommand.helpMessage(for: EmulatorCommand.self).contains("--request-date-tolerance"))
        let emulator = Emulator(workspace)
        let body = Array(#"{"environment":"development","known_identities":{"customerid":"c"}}"#.utf8)
        for (date, status) in [("20200101T000000Z", 401), (HTTPDate.rfc1123(milliseconds: Self.now), 200)] {
            let message = Array("POST\n\(date)\n/v1/identify".utf8) + body
            let code = workspace.secret.withExposed {
                HMACSHA256.authenticationCode(for: message, key: Array($0.utf8))
            }
            var headers = HTTPHeaders()
            headers.append(name: "x-mp-key", value: workspace.apiKey)
            headers.append(name: "Date", value: date)
            headers.append(name: "x-mp-signature", value: Hexadecimal.encode(code))
            let url = "http://emulator/v1/identify"
            let request = TransportRequest(method: .post, url: url, headers: headers, body: body)
            #expect(await emulator.handle(request).status == status, "\(date)")
        }
    }

    private static var now: Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }

    @Test(
        arguments: [
            ["emulator", "--keep", "0"], ["emulator", "--keep", "9223372036854775807"], ["emulator", "--project", ""],
            ["emulator", "--application", ":x"],
            ["emulator", "--application", "x:"], ["emulator", "--project", "a", "--project", "a:b"],
            ["emulator", "--port", "65536"], ["emulator", "--key", "nocolon"], ["emulator", "--key", ":x"],
            ["emulator", "--strategy", "worst"], ["emulator", "--priority", "email,shoe_size"],
            ["emulator", "--allow-origin", "*"], ["emulator", "--allow-origin", "null"],
            ["emulator", "--allow-origin", "https://*.shop.example"],
            ["emulator", "--allow-origin", "https://shop.example/cart"],
            ["emulator", "--allow-origin", "shop.example"], ["emulator", "--allow-origin", ""],
            ["emulator", "--colour"], ["emulator", "--request-date-tolerance", "-1"],
            ["emulator", "--request-date-tolerance", "soon"],
            ["emulator", "--request-date-tolerance", "9223372036854775807"],
            ["criteria"], ["criteria", "a", "b", "c"], ["criteria", "a", "--dialect", "klingon"],
            ["journal", "inspect"],
            ["journal", "burn", "x"], ["fly"],
        ]
    )
    func nonsenseIsABadCommandLine(words: [String]) {
        let error = #expect(throws: (any Error).self) { try SignetCommand.parseAsRoot(words) }
        #expect(error.map { SignetCommand.exitCode(for: $0).rawValue } == 64)
        #expect(error.map { SignetCommand.fullMessage(for: $0).hasPrefix("signet: ") } == true)
    }

    @Test(
        arguments: [
            ([], false), (["--host", "localhost"], false), (["--host", "::1"], false),
            (["--host", "127.0.0.2"], false), (["--host", "0.0.0.0"], true), (["--host", "::"], true),
            (["--host", "0.0.0.0", "--no-page"], false),
        ] as [([String], Bool)]
    )
    func whoeverMayReachThePageIsSaid(words: [String], isExposed: Bool) throws {
        #expect((try EmulatorCommand.parse(words).exposure != nil) == isExposed)
    }

    @Test func helpHasExamplesAndSaysHowItEnds() {
        let commands: [any ParsableCommand.Type] = [
            SignetCommand.self, EmulatorCommand.self, CriteriaCommand.self, InspectCommand.self, VerifyCommand.self,
            ExportCommand.self, ReplayCommand.self, ResendCommand.self,
        ]
        for command in commands {
            #expect(SignetCommand.helpMessage(for: command).contains("EXIT CODES"), "\(command)")
        }
        for command in commands + [JournalCommand.self] {
            let help = SignetCommand.helpMessage(for: command)
            #expect(help.contains("EXAMPLES\n  signet ") || help.contains("EXAMPLES\n  SIGNET_SECRET="), "\(command)")
        }
    }

    @Test(
        arguments: [
            (["emulater", "--port", "1"], "emulator"), (["jurnal", "inspect"], "journal"), (["stroe"], "store"),
            (["journal", "inspekt", "/x"], "inspect"), (["store", "chek"], "check"),
        ] as [([String], String)]
    )
    func aMistypedSubcommandHasASuggestion(words: [String], name: String) {
        #expect(SubcommandHint.text(for: words)?.hasSuffix("Did you mean '\(name)'?") == true)
    }

    @Test(
        arguments: [
            [], ["emulator", "--port", "1"], ["--help"], ["help", "emulater"], ["fly"], ["journal"],
            ["criteria", "criteri"], ["journal", "inspect", "inspekt"], ["journal", "--help"], [""],
        ] as [[String]]
    )
    func otherWordsHaveNone(words: [String]) {
        #expect(SubcommandHint.text(for: words) == nil)
    }

    private static func commands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { Self.commands(of: $0) }
    }

    /// ArgumentParser breaks prose at the width of the terminal.
    ///
    /// An indented line is there to be copied, and must not be broken.
    @Test func aHelpTextIsBrokenByTheTerminalAlone() {
        let commands = Self.commands(of: SignetCommand.self)
        #expect(commands.count > 10)
        for command in commands {
            var isProse = false
            for line in command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false) {
                let isIndented = line.hasPrefix(" ")
                #expect(!isIndented || line.count < 80, "\(command): \(line)")
                #expect(!isProse || isIndented || line.isEmpty, "\(command): \(line) goes on from the line before")
                isProse = !isIndented && !line.isEmpty
            }
        }
    }

    @Test func theVersionIsThatOfTheLibrary() throws {
        let error = #expect(throws: (any Error).self) { try SignetCommand.parseAsRoot(["--version"]) }
        let answer = try #require(error)
        #expect(SignetCommand.exitCode(for: answer) == .success)
        #expect(SignetCommand.fullMessage(for: answer) == SignetRuntime.version)
    }

    @Test func filesThatAreNoneEndWithTwo() {
        for file in ["/nowhere/at/all.json", "/", "/dev/null", "/dev/zero"] {
            #expect(throws: ToolExit.failed) { try CriteriaCommand.parse([file]).run() }
        }
    }
}
#endif
