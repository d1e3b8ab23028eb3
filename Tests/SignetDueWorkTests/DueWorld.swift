// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

/// A platform, a clock and a directory that outlive the processes on them.
final class DueWorld {
    /// How a process ends.
    enum End: CaseIterable {
        case kill
        case shutdown
    }

    let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)
    let emulator: Emulator
    private(set) var folder: TemporaryFolder
    private let configure: (inout SignetConfiguration) -> Void

    init(configure: @escaping (inout SignetConfiguration) -> Void = { _ in }) throws {
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        self.folder = try TemporaryFolder()
        self.configure = configure
    }

    /// Runs a process on the directory.
    ///
    /// - Parameters:
    ///   - end: A kill leaves the files as they are when the body returns.
    ///   - services: The services of the runtime.
    ///   - body: What happens in it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or the error of the start.
    func live<Result>(
        endingWith end: End = .shutdown,
        services: [any SignetService] = [],
        _ body: (EmulatedSignet) async throws -> Result
    ) async throws -> Result {
        let signet = try EmulatedSignet(
            in: self.folder.path,
            platform: self.emulator,
            clock: self.clock,
            services: services,
            configure: self.configure
        )
        var left: TemporaryFolder?
        let result = try await signet.run { signet in
            let result = try await body(signet)
            if end == .kill { left = try TemporaryFolder(copying: self.folder) }
            return result
        }
        if let left { self.folder = left }
        return result
    }

    /// The events that the platform has, of all users, each once: a killed process may have sent some that the next one sends again.
    var events: [EmulatedEvent] {
        var ids: Set<String> = []
        return self.emulator.users().flatMap { self.emulator.events(of: $0.id) }
            .filter { event in event.messageID.map { ids.insert($0).inserted } ?? true }
    }

    /// The names of the custom events that the platform has, sorted.
    var names: [String] {
        self.events.filter { $0.type == "custom_event" }.compactMap(\.name).sorted()
    }

    /// The number of identify requests that the platform has got or the network has lost.
    func identifies(_ signet: EmulatedSignet) -> Int {
        signet.transport.exchanges.count { $0.endpoint == "identify" }
    }
}
