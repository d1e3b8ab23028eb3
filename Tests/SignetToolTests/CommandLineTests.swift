//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import ArgumentParser
import SignetEmulator
import SignetModel
import Testing

@testable import SignetTool

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

    @Test(
        arguments: [
            ["emulator", "--port", "65536"], ["emulator", "--key", "nocolon"], ["emulator", "--key", ":x"],
            ["emulator", "--strategy", "worst"], ["emulator", "--priority", "email,shoe_size"],
            ["emulator", "--colour"],
            ["criteria"], ["criteria", "a", "b", "c"], ["criteria", "a", "--dialect", "klingon"],
            ["journal", "inspect"],
            ["journal", "burn", "x"], ["fly"],
        ]
    )
    func nonsenseIsABadCommandLine(words: [String]) {
        let error = #expect(throws: (any Error).self) { try SignetCommand.parseAsRoot(words) }
        #expect(error.map { SignetCommand.exitCode(for: $0).rawValue } == 64)
    }

    @Test func helpHasExamplesAndSaysHowItEnds() {
        let commands: [any ParsableCommand.Type] = [
            SignetCommand.self, EmulatorCommand.self, CriteriaCommand.self, InspectCommand.self, VerifyCommand.self,
            ExportCommand.self,
        ]
        for command in commands {
            #expect(SignetCommand.helpMessage(for: command).contains("EXIT CODES"), "\(command)")
        }
        for command in [SignetCommand.self, EmulatorCommand.self, CriteriaCommand.self, JournalCommand.self]
            as [any ParsableCommand.Type]
        {
            #expect(SignetCommand.helpMessage(for: command).contains("EXAMPLES\n  signet "), "\(command)")
        }
    }

    @Test func filesThatAreNoneEndWithTwo() {
        for file in ["/nowhere/at/all.json", "/", "/dev/null", "/dev/zero"] {
            #expect(throws: ToolExit.failed) { try CriteriaCommand.parse([file]).run() }
        }
    }
}
#endif
