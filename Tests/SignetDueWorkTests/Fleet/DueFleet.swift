// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting

/// A platform, a shared store, a clock and the directories of replicas, which outlive the processes on them.
final class DueFleet {
    let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)
    let emulator: Emulator
    let engine: MemorySharedEngine
    private(set) var folders: [TemporaryFolder]
    private let whenUnreachable: FleetConfiguration.Unreachable

    init(replicas: Int = 1, whenUnreachable: FleetConfiguration.Unreachable = .logOnly) throws {
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        self.engine = MemorySharedEngine(time: { clock.milliseconds })
        self.folders = try (0..<replicas).map { _ in try TemporaryFolder() }
        self.whenUnreachable = whenUnreachable
    }

    /// Runs a process on the directory of a replica.
    ///
    /// - Parameters:
    ///   - index: The replica.
    ///   - end: A kill leaves the files as they are when the body returns.
    ///   - isAway: True to begin without the store.
    ///   - body: What happens in it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or the error of the start.
    func live<Result>(
        on index: Int = 0,
        endingWith end: DueWorld.End = .shutdown,
        away isAway: Bool = false,
        _ body: (EmulatedSignet, MemoryStoreFaults) async throws -> Result
    ) async throws -> Result {
        let store = MemorySharedStore(self.engine)
        if isAway { store.faults.injectAlways(.unreachable) }
        let signet = try EmulatedSignet(in: self.folders[index].path, platform: self.emulator, clock: self.clock) {
            $0.fleet = FleetConfiguration(store: store, whenUnreachable: self.whenUnreachable)
        }
        var left: TemporaryFolder?
        let result = try await signet.run { signet in
            let result = try await body(signet, store.faults)
            if end == .kill { left = try TemporaryFolder(copying: self.folders[index]) }
            return result
        }
        if let left { self.folders[index] = left }
        return result
    }

    /// The names of the custom events that the platform has, sorted, each event once.
    var names: [String] {
        var ids: Set<String> = []
        return self.emulator.users().flatMap { self.emulator.events(of: $0.id) }
            .filter { event in event.messageID.map { ids.insert($0).inserted } ?? true }
            .filter { $0.type == "custom_event" }.compactMap(\.name).sorted()
    }

    /// True if a live record of a replica's directory has a text; a runtime may use the directory.
    func keeps(_ text: String, on index: Int = 0) throws -> Bool {
        let copy = try TemporaryFolder(copying: self.folders[index])
        let log = try StateLog(directory: copy.path + "/state")
        defer { log.close() }
        return try log.keys(withPrefix: []).contains { key in
            try log.value(for: key).map { String(decoding: $0, as: UTF8.self).contains(text) } ?? false
        }
    }

    /// The work that the rows have, and that nothing excuses.
    var owedByRows: [DueWorkReport.Entry] {
        self.engine.database.dueWork(at: self.clock.milliseconds).owed
    }

    /// True if a user at the platform has an identity.
    func platformKnows(_ value: String, _ type: IdentityType) -> Bool {
        self.emulator.users().contains { $0.identities[type]?.contains(value) == true }
    }
}
