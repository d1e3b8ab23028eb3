// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTestSupport
import Testing

@Suite struct FirstLoginTests {
    @Test func openThenLoginAtOnceThenLogThenShutdownDeliversEverything() async throws {
        let folder = try TemporaryFolder()
        let emulator = Emulator(EmulatorConfiguration())
        var configuration = SignetConfiguration(
            apiKey: "us1-emulated",
            secret: "emulated-secret",
            directory: folder.path
        )
        // The one test on the clock of the machine, which may be busy.
        configuration.identity.requestTimeout = .seconds(600)
        configuration.events.requestTimeout = .seconds(600)
        configuration.shutdownLimit = .seconds(600)
        configuration.sessions.timeout = .seconds(3600)
        // All events are in one session, so their order is that of one batch.
        configuration.sessions.beginsAtOpen = true
        let mpid = try await withSignet(configuration, transport: emulator.transport) { signet in
            let visitor = try await signet.open("cookie-17")
            let changes = visitor.userChanges()
            let result = try await visitor.login([.customerID: "c-17"])
            try visitor.log(.custom("level_completed", attributes: ["level": 4]))
            var seen = changes.makeAsyncIterator()
            let first = try #require(await seen.next(isolation: nil))
            #expect(first.previous == nil)
            #expect(first.current?.isLoggedIn == false)
            let second = try #require(await seen.next(isolation: nil))
            #expect(second.current?.isLoggedIn == true)
            return result.user.mpid
        }
        let events = emulator.events(of: mpid)
        #expect(events.map(\.type) == ["session_start", "user_identity_change", "custom_event"])
    }
}
