// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@Suite struct EmulatedSignetTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/signet-testing-" + UUID().uuidString

    @Test func theScopedFormRunsAndShutsDown() async throws {
        defer { try? FileManager.default.removeItem(atPath: self.folder) }
        let outside = try await withEmulatedSignet(in: self.folder) { signet in
            let visitor = try await signet.runtime.open("cookie-17", identify: .none)
            try await visitor.login([.customerID: "c-17"])
            try visitor.log(.custom("level_completed"))
            #expect(signet.emulator.users().count == 1)
            return signet
        }
        // The begin of the session, the identity that the user got, and the event.
        #expect(outside.emulator.batches().map(\.eventCount).reduce(0, +) == 3)
        #expect(outside.runtime.statistics.eventsWaiting == 0)
        await #expect(throws: SignetError.self) { _ = try await outside.runtime.open("other") }
    }

    @Test func theSameFolderAndPlatformShowARestart() async throws {
        defer { try? FileManager.default.removeItem(atPath: self.folder) }
        let first = try EmulatedSignet(in: self.folder)
        let mpid = try await first.run { try await $0.runtime.open("v").initialIdentifyResult().user.mpid }
        let second = try EmulatedSignet(in: self.folder, platform: first.emulator, clock: first.clock)
        try await second.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.currentUser?.mpid == mpid)
            #expect(signet.transport.exchanges.isEmpty)
        }
    }

    @Test func bothSidesReadOneClock() async throws {
        defer { try? FileManager.default.removeItem(atPath: self.folder) }
        try await withEmulatedSignet(in: self.folder) { signet in
            signet.clock.advance(by: .seconds(3600))
            let visitor = try await signet.runtime.open("v", identify: .none)
            let user = try await visitor.identify().user
            #expect(user.lastSeen == signet.clock.date)
            #expect(signet.emulator.user(user.mpid)?.firstSeen == signet.clock.date)
        }
    }
}
