// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTesting

/// Visitors who came once, logged an event and left; all of it is delivered, and their sessions are over.
struct IdleCrowd {
    private let directory: String
    private let clock = ManualClock()
    private let platform: Emulator

    private static let portion = 64

    /// Makes them.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - directory: The folder of the runtime.
    /// - Throws: What the runtime says, and that something is left.
    init(_ count: Int, in directory: String) async throws {
        let clock = self.clock
        self.directory = directory
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
        // A runtime of its own: what it has recorded of the traffic is gone when the measurement begins.
        try await self.run { signet in
            for first in stride(from: 0, to: count, by: Self.portion) {
                try await Self.visit(first..<min(count, first + Self.portion), signet.runtime)
                if first.isMultiple(of: 10_000 / Self.portion * Self.portion) {
                    try await signet.runtime.upload(within: .seconds(600))
                }
            }
            try await signet.runtime.upload(within: .seconds(600))
            let accepted = signet.runtime.statistics.eventsAccepted
            clock.advance(by: .seconds(61))
            // The ends of all sessions.
            while signet.runtime.statistics.eventsAccepted < accepted + count {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await signet.runtime.upload(within: .seconds(600))
            let left = signet.runtime.statistics.eventsWaiting
            guard left == 0 else { throw LoadError("\(left) events were left when the installations were made") }
        }
    }

    /// Runs a runtime on them.
    func run<Result>(_ body: (EmulatedSignet) async throws -> Result) async throws -> Result {
        let signet = try EmulatedSignet(in: self.directory, platform: self.platform, clock: self.clock) {
            $0.sessions.timeout = .seconds(60)
            $0.events.maximumBatchesPerSecond = nil
            $0.events.uploadMode = .bulk
            // Nothing removes them but what is measured.
            $0.installations.retention = nil
        }
        return try await signet.run(body)
    }

    private static func visit(_ numbers: Range<Int>, _ runtime: SignetRuntime) async throws {
        var visitors: [Installation] = []
        for number in numbers { visitors.append(try await runtime.open(Crowd.id(number), identify: .oncePerProcess)) }
        for (number, visitor) in zip(numbers, visitors) {
            _ = try await visitor.initialIdentifyResult()
            try visitor.log(SampleEvent.make(producer: 0, number: number))
        }
    }
}
