// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct Foundation.Data
import struct Foundation.URL

@testable import Signet

/// The first page of a journal file is lost: its events are, and are counted; the others arrive.
@Suite(.watched) struct LostPageTests {
    @Test func theEventsOfOnePageAreLostAndCounted() async throws {
        let folder = try TemporaryFolder()
        let first = try EmulatedSignet(in: folder.path) { $0.sessions.timeout = .seconds(1_000_000) }
        try await first.run { signet in
            let visitor = try await signet.openKnown()
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            for number in 0..<199 { try visitor.log(.custom("event \(number)")) }
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
        }
        let file = URL(fileURLWithPath: folder.path + "/journal/0000000000000001.journal")
        var content = try Data(contentsOf: file)
        content.replaceSubrange(..<4096, with: Data(count: 4096))
        try content.write(to: file)
        first.emulator.faults.clear()
        first.clock.advance(by: .seconds(600))
        let second = try EmulatedSignet(in: folder.path, platform: first.emulator, clock: first.clock)
        try await second.run { signet in _ = try await signet.runtime.upload() }
        let statistics = second.runtime.statistics
        #expect((1..<60).contains(statistics.eventsDamaged))
        #expect(statistics.eventsDelivered == 200 - statistics.eventsDamaged)
        #expect(statistics.eventsRestored == 200 && statistics.eventsLost == 0)
    }
}
