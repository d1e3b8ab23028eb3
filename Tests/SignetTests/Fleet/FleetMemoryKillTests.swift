// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A replica that dies while visitors come, are delivered, and are forgotten: at each call to the disk.
@Suite(.watched) struct FleetMemoryKillTests {
    private let folder: TemporaryFolder
    private let platform: Emulator
    private let clock = ManualClock()
    private let engine: MemorySharedEngine

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        self.engine = MemorySharedEngine(time: { clock.milliseconds })
    }

    private func signet(
        in path: String,
        _ storage: Journal.Options.Storage,
        observer: RecordingObserver = RecordingObserver(),
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        let store = MemorySharedStore(self.engine)
        return try EmulatedSignet(in: path, platform: self.platform, clock: self.clock, observer: observer) {
            $0.fleet = FleetConfiguration(store: store)
            $0.sessions.timeout = .seconds(1_000_000)
            $0.events.uploadInterval = .seconds(3600)
            $0.events.maximumBatchesPerSecond = nil
            $0.journal.storage = storage
            configure(&$0)
        }
    }

    @Test(arguments: [Journal.Options.Storage.automatic, .written])
    func afterAKillAtAnyStepEachEventGoesOutForItsInstallation(storage: Journal.Options.Storage) async throws {
        let images = try KillImages(of: self.folder.path)
        let first = try self.signet(in: self.folder.path, storage) { images.watch(&$0) }
        let steps = try await first.run { signet in
            for name in ["a", "b"] { try await Self.visit(signet, name, logsIn: true) }
            images.begin()
            try await self.untilForgotten(signet)
            // Both kinds: one who was forgotten, and one who is new.
            for name in ["a", "c"] { try await Self.visit(signet, name, logsIn: name == "c") }
            try await self.untilForgotten(signet)
            try await Self.visit(signet, "b", logsIn: false)
            return images.end()
        }
        #expect(steps > 20)
        let expected = try FleetMemoryTests.stamps(first)
        #expect(expected.count == 3)
        #expect(Set(expected.values.joined()).count == 3)
        var delivered = 0
        for step in TestScale.steps(steps, every: 5) {
            let observer = RecordingObserver()
            let second = try self.signet(in: images.path(step), storage, observer: observer)
            try await second.run { signet in
                try await self.untilForgotten(signet)
                #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.numberedInstallations).isEmpty)
            }
            let stamps = try FleetMemoryTests.stamps(second)
            for (name, stamps) in stamps { #expect(stamps == expected[name], "step \(step), \(name)") }
            delivered += stamps.count
            #expect(observer.damages == [] && observer.storeFailures.isEmpty, "step \(step)")
            let statistics = second.runtime.statistics
            #expect(statistics.eventsDropped.isEmpty, "step \(step)")
            #expect(statistics.eventsWaiting == 0, "step \(step)")
        }
        #expect(delivered > 0)
    }

    /// Opens, logs an event with the name of the visitor, and leaves.
    private static func visit(_ signet: EmulatedSignet, _ name: String, logsIn: Bool) async throws {
        let visitor = try await signet.runtime.open(InstallationID(name), identify: .none)
        if logsIn { try await visitor.login([.customerID: name]) }
        try visitor.log(.custom(name))
    }

    private func untilForgotten(_ signet: EmulatedSignet) async throws {
        try await until("the replica has forgotten its visitors") {
            do throws(SignetError) { _ = try await signet.runtime.upload() } catch {
                guard error.code == .uploadPaused else { throw error }
            }
            self.clock.advance(by: .seconds(1))
            await signet.takeIn()
            return signet.runtime.context.numbers.knownCount == 0
        }
    }
}
