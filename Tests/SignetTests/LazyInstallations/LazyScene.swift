// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet

/// A server whose visitors open and, perhaps, do something.
struct LazyScene {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    /// A process with a server's sessions and identify.
    func process(
        in path: String? = nil,
        services: [any SignetService] = [],
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.platform,
            clock: self.clock,
            services: services
        ) {
            $0.sessions.beginsAtOpen = false
            $0.sessions.timeout = .seconds(1800)
            $0.identity.atOpen = .ifUnknown
            $0.events.maximumBatchesPerSecond = nil
            configure(&$0)
        }
    }

    static func context(_ number: Int) -> InstallationContext {
        InstallationContext(ip: IPAddress("198.51.100.\(number)"), userAgent: "Browser \(number)")
    }

    /// The addresses in the batches that the platform took, by the names of their events.
    var addresses: [String: String?] {
        var addresses: [String: String?] = [:]
        for batch in self.platform.batches() {
            for event in batch.json["events"]?.array ?? [] {
                let name = event["data"]?["event_name"]?.string ?? event["event_type"]?.string ?? ""
                addresses[name] = .some(batch.json["ip"]?.string)
            }
        }
        return addresses
    }
}

/// What a directory has.
struct Traces: Equatable {
    let keys: Set<[UInt8]>
    let events: Int
    let last: UInt64

    init(_ signet: EmulatedSignet) throws {
        let context = signet.runtime.context
        // But for what the runtime notes of itself: the clock.
        self.keys = Set(try context.store.keys(withPrefix: [])).subtracting([StateKey.clock, StateKey.retentionClock])
        (self.events, self.last) = (context.journal.liveCount, context.journal.lastSequence)
    }

    /// What has come, as text.
    func difference(from other: Traces?) -> [String] {
        guard let other else { return ["nothing before"] }
        var parts = self.keys.symmetricDifference(other.keys).map { String(decoding: $0, as: UTF8.self) }.sorted()
        if self.last != other.last { parts.append("\(self.last - other.last) events") }
        return parts
    }
}

extension EmulatedSignet {
    /// The number of an installation in memory; nil if it is not there.
    func number(of id: InstallationID) -> UInt32? {
        self.runtime.registry.find(id)?.number
    }
}
