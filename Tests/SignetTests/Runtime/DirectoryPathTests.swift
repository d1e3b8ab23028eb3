// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import Testing

import class FoundationEssentials.FileManager

@testable import Signet

/// How the path of a setting becomes absolute.
@Suite struct DirectoryPathTests {
    private static let surroundings = DirectoryPath.Surroundings(home: "/home/ann", working: "/srv/shop")

    @Test(arguments: [
        ("/var/lib/shop", "/var/lib/shop"), ("/~/x", "/~/x"), ("~", "/home/ann"), ("~/", "/home/ann"),
        ("~/signet", "/home/ann/signet"), ("~//signet/", "/home/ann/signet/"), ("state", "/srv/shop/state"),
        ("./~", "/srv/shop/./~"), ("my state", "/srv/shop/my state"), ("a/~/b", "/srv/shop/a/~/b"),
        ("../state", "/srv/shop/../state"),
        (".", "/srv/shop/."),
    ]) func aPathBecomes(text: String, absolute: String) throws {
        #expect(try DirectoryPath(text, in: Self.surroundings).absolute == absolute)
    }

    @Test func theRootNeedsNoSecondSlash() throws {
        let root = DirectoryPath.Surroundings(home: "/", working: "/")
        #expect(try DirectoryPath("~/state", in: root).absolute == "/state")
        #expect(try DirectoryPath("state", in: root).absolute == "/state")
    }

    @Test(arguments: [
        ("", "give a folder"), ("a\u{0}b", "NUL"), ("~\u{0}", "NUL"), ("~ann", "full path"),
        ("~root/signet", "full path"), ("/srv/state\n", "line break"), ("/srv/state\r\n", "line break"),
        ("a\tb", "remove it"),
        (" /srv/state", "blank"), ("state ", "blank"), ("\u{FEFF}/srv", "blank"),
    ]) func aPathIsRefused(text: String, advice: String) {
        let problem = #expect(throws: DirectoryPath.Problem.self) { try DirectoryPath(text, in: Self.surroundings) }
        #expect(problem?.message.contains(advice) == true)
    }

    @Test(arguments: [nil, "", "home/ann"]) func withoutAHomeATildeIsRefused(home: String?) throws {
        let homeless = DirectoryPath.Surroundings(home: home, working: "/srv")
        let problem = #expect(throws: DirectoryPath.Problem.self) { try DirectoryPath("~/x", in: homeless) }
        #expect(problem?.message.contains("set HOME") == true)
        #expect(try DirectoryPath("x", in: homeless).absolute == "/srv/x")
    }

    @Test func aRelativePathNeedsAWorkingDirectory() throws {
        let nowhere = DirectoryPath.Surroundings(home: "/home/ann", working: "")
        #expect(throws: DirectoryPath.Problem.self) { try DirectoryPath("x", in: nowhere) }
        #expect(try DirectoryPath("~/x", in: nowhere).absolute == "/home/ann/x")
    }

    @Test func aRuntimeKeepsTheAbsolutePath() async throws {
        let folder = try TemporaryFolder()
        let working = FileManager.default.currentDirectoryPath
        let up = working.split(separator: "/").map { _ in ".." }.joined(separator: "/")
        let configuration = SignetConfiguration(
            apiKey: "us1-emulated",
            secret: "emulated-secret",
            directory: up + folder.path + "/state"
        )
        let runtime = try SignetRuntime(configuration, transport: Emulator().transport)
        #expect(runtime.context.configuration.directory == working + "/" + configuration.directory)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/state/lock"))
        await runtime.shutdown()
    }

    @Test func aHomeIsExpandedWhenTheSettingsAreChecked() throws {
        var configuration = SignetConfiguration(apiKey: "us1-key", secret: "s", directory: "~/signet")
        try configuration.validate(in: Self.surroundings)
        #expect(configuration.directory == "/home/ann/signet")
    }
}
