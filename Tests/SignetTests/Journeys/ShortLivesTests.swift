// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Processes that live for less than an upload interval deliver all the same.
@Suite(.watched) struct ShortLivesTests {
    private let clock = ManualClock()
    private let emulator: Emulator

    init() {
        let clock = self.clock
        self.emulator = Emulator(clock: clock, wallClock: { clock.date })
    }

    /// One life that is killed: its end delivers nothing.
    ///
    /// - Returns: The folder as it was then.
    private func live(
        in folder: TemporaryFolder,
        mode: SignetConfiguration.Sessions.Mode = .server,
        _ body: (EmulatedSignet) async throws -> Void
    ) async throws -> TemporaryFolder {
        let signet = try EmulatedSignet(in: folder.path, platform: self.emulator, clock: self.clock) {
            $0.sessions.mode = mode
            $0.sessions.timeout = .seconds(86_400)
        }
        self.emulator.faults.clear()
        return try await signet.run { signet in
            try await body(signet)
            await signet.takeIn()
            self.emulator.faults.injectAlways(.connectionRefused, on: .events)
            return try TemporaryFolder(copying: folder)
        }
    }

    private var names: [String?] {
        self.emulator.batches().flatMap { self.emulator.events(of: $0.mpid) }.map(\.name)
    }

    /// The interval is 600 s; the second life begins 300 s after the event, the third 600 s after it.
    @Test func whatHasWaitedForTheIntervalGoesAtTheStart() async throws {
        var folder = try await self.live(in: try TemporaryFolder()) { signet in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            try await visitor.identify()
            try visitor.log(.custom("of the first life"))
        }
        self.clock.advance(by: .seconds(300))
        folder = try await self.live(in: folder) { signet in
            for _ in 0..<20 {
                await signet.takeIn()
                self.clock.advance(by: .seconds(10))
                for _ in 0..<20 { await Task.yield() }
            }
            #expect(signet.eventBodies.isEmpty)
        }
        self.clock.advance(by: .seconds(100))
        // No clock moves.
        _ = try await self.live(in: folder) { _ in
            await until("the event of the first life") { self.names.contains("of the first life") }
        }
    }

    /// The interval goes on in the next life instead of beginning anew.
    @Test func theIntervalGoesOnOverARestart() async throws {
        let folder = try await self.live(in: try TemporaryFolder()) { signet in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            try await visitor.identify()
            try visitor.log(.custom("of the first life"))
        }
        self.clock.advance(by: .seconds(400))
        _ = try await self.live(in: folder) { signet in
            await signet.takeIn()
            self.clock.advance(by: .seconds(200))
            await until("the event of the first life") { self.names.contains("of the first life") }
        }
    }

    @Test func anAppThatEntersTheBackgroundUploadsSoon() async throws {
        _ = try await self.live(in: try TemporaryFolder(), mode: .application) { signet in
            let app = try await signet.runtime.open("app", identify: .none)
            try await app.identify()
            try app.log(.custom("in the foreground"))
            try app.enterBackground()
            await signet.takeIn()
            self.clock.advance(by: .seconds(1))
            await until("the event") { self.names.contains("in the foreground") }
        }
    }
}
