// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import SignetTestSupport
import Testing

/// What a person sees who has typed something wrong, or forgot a variable of the environment.
@Suite(.watched) struct WrongCommandLineTests {
    private static func complaints(_ arguments: [String], status expected: Int32 = 64) async throws -> String {
        let (status, text) = try await SignetProcess.end(arguments, environment: [:])
        #expect(status == expected, "\(arguments): \(text)")
        #expect(text.hasPrefix("signet: "), "\(text)")
        return text
    }

    @Test func aMistypedSubcommandIsSaidWithTheOneThatWasMeant() async throws {
        let text = try await Self.complaints(["emulater"])
        #expect(text.hasPrefix("signet: There is no subcommand 'emulater'. Did you mean 'emulator'?\n"), "\(text)")
        #expect(try await Self.complaints(["emulator", "--prot", "1"]).contains("--port"))
    }

    #if SIGNET_URL_SESSION
    @Test func theSecretOfTheWorkspaceIsMissing() async throws {
        let text = try await Self.complaints(["journal", "resend", "/nowhere", "--key", "k"])
        #expect(text.contains("The environment variable SIGNET_SECRET is missing."), "\(text)")
    }

    @Test func aURLThatIsNoneIsABadCommandLine() async throws {
        let replay = try await Self.complaints(["replay", "/nowhere", "--url", "x"])
        #expect(replay.hasPrefix("signet: --url: "), "\(replay)")
    }
    #endif

    #if SIGNET_POSTGRES
    @Test(arguments: [["setup"], ["check"], ["upgrade"], ["import", "/nowhere"]])
    func theURLOfTheStoreIsMissing(words: [String]) async throws {
        let text = try await Self.complaints(["store"] + words)
        #expect(text.hasPrefix("signet: The environment variable SIGNET_STORE_URL is missing."), "\(text)")
    }
    #else
    @Test func theTraitOfTheStoreIsMissing() async throws {
        #expect(try await Self.complaints(["store", "check"], status: 2).contains("PostgresStore"))
    }
    #endif
}
#endif
