// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import Testing

/// The shape of the README's program: open with the default identify, log in at once, listen, end.
@Suite(.watched) struct ReadmeProgramTests {
    @Test(arguments: 0..<TestScale.count(quick: 20, full: 200))
    func openThenLoginAtOnceThenTheEndNeverMeetsARequestInProgress(round: Int) async throws {
        let folder = try TemporaryFolder()
        let emulator = Emulator()
        let configuration = Self.configuration(folder)
        let seen = try await withSignet(configuration, transport: emulator.transport) { signet in
            let visitor = try await signet.open("cookie-17")
            let changes = visitor.userChanges()
            async let names = Self.names(in: changes)
            try await visitor.login([.customerID: "c-17"])
            try visitor.log(.custom("level_completed", attributes: ["level": 4]))
            if round.isMultiple(of: 2) { await signet.shutdown(within: .seconds(600)) }
            // Cancelled at the end of the body when it has not ended by itself, as the streams end after it.
            return round.isMultiple(of: 2) ? await names : ["c-17"]
        }
        #expect(seen.last == "c-17")
        let known = try #require(emulator.users().first { $0.isKnown })
        #expect(emulator.events(of: known.mpid).map(\.type).contains("custom_event"))
    }

    @Test(arguments: 0..<TestScale.count(quick: 6, full: 50)) func aBodyThatEndsAtOnceEndsTheProgram(
        round: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let emulator = Emulator()
        let configuration = Self.configuration(folder)
        try await withSignet(configuration, transport: emulator.transport) { signet in
            if round.isMultiple(of: 2) { _ = try await signet.open("cookie-17") }
        }
        #expect(emulator.users().count == (round.isMultiple(of: 2) ? 1 : 0))
    }

    /// On the clock of the machine, which may be busy.
    private static func configuration(_ folder: TemporaryFolder) -> SignetConfiguration {
        var configuration = SignetConfiguration(
            apiKey: "us1-emulated",
            secret: "emulated-secret",
            directory: folder.path
        )
        configuration.identity.requestTimeout = .seconds(600)
        configuration.events.requestTimeout = .seconds(600)
        configuration.shutdownLimit = .seconds(600)
        return configuration
    }

    private static func names(in changes: Updates<UserChange>) async -> [String?] {
        var names: [String?] = []
        for await change in changes { names.append(change.current?.identities[.customerID]?.value) }
        return names
    }
}
