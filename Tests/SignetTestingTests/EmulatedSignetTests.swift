// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@Suite(.watched) struct EmulatedSignetTests {
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

    @Test func withoutAFolderItHasOneOfItsOwnThatIsRemoved() async throws {
        var folder = ""
        try await withEmulatedSignet(configure: { folder = $0.directory }) { signet in
            _ = try await signet.runtime.open("v").initialIdentifyResult()
            #expect(FileManager.default.fileExists(atPath: folder))
        }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }

    @Test func theFolderIsRemovedAfterAnErrorToo() async throws {
        struct Failure: Error {}
        var folder = ""
        do {
            try await withEmulatedSignet(configure: { folder = $0.directory }) { _ in
                #expect(FileManager.default.fileExists(atPath: folder))
                throw Failure()
            }
        } catch {
            #expect(error is Failure)
        }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }

    /// Many times, as the request and its limit are two tasks: neither the first nor the second may be the one that waits.
    @Test func aTestCanLetACallTimeOut() async throws {
        for _ in 0..<100 {
            try await withEmulatedSignet { signet in
                let visitor = try await signet.runtime.open("v", identify: .none)
                signet.emulator.faults.inject(.timeout, on: .login)
                async let late = Self.loginFailure(of: visitor)
                await signet.transport.inFlight(1)
                signet.clock.advance(by: .seconds(10))
                #expect(await late == .timedOut)
                #expect(signet.emulator.faults.remaining == 0)
                #expect(await Self.loginFailure(of: visitor) == nil)
            }
        }
    }

    private static func loginFailure(of visitor: Installation) async -> SignetError.Code? {
        do throws(SignetError) {
            try await visitor.login([.customerID: "c-1"])
            return nil
        } catch {
            return error.code
        }
    }
}
