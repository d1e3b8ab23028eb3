// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// No task flushes, renames or removes a file: the runtime's own thread does.
///
/// Each test lets the whole work happen, so that a blocking call in any of its steps shows.
@Suite(.watched) struct DiskThreadTests {
    private static func visitor(of signet: EmulatedSignet) async throws -> (Installation, MPID) {
        let visitor = try await signet.runtime.open("v", identify: .none)
        let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
        for number in 0..<20 { try visitor.log(.custom("event \(number)")) }
        return (visitor, mpid)
    }

    @Test func theThreadErasesAUser() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (_, mpid) = try await Self.visitor(of: signet)
            held.watch()
            let report = try await signet.runtime.eraseUser(mpid)
            #expect(!report.isEmpty)
            // Every byte of the old records goes, with its file.
            #expect(held.saw(.sync) && held.saw(.remove))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadResetsAnInstallation() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            held.watch()
            try await visitor.reset()
            #expect(signet.runtime.statistics.eventsDropped[.reset, default: 0] >= 20)
            #expect(held.saw(.sync))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadEndsAnOptOut() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            held.watch()
            try await visitor.setOptedOut(true)
            let store = signet.runtime.context.store
            await until("events dropped") { signet.runtime.statistics.eventsDropped[.optedOut, default: 0] >= 20 }
            try await until("the opt-out's record removed") { try store.keys(withPrefix: StateKey.optOuts).isEmpty }
            #expect(held.saw(.sync))
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadKeepsTheFilesSmall() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.disk = held.disk
                $0.stateLog.compactionBytes = 1 << 10
            }
        ) { signet in
            let (visitor, _) = try await Self.visitor(of: signet)
            for number in 0..<200 { try await visitor.setAttribute(.string("\(number)"), for: "colour") }
            held.watch()
            await until("a compaction") {
                // Each turn, as the loop may not be asleep yet.
                signet.clock.advance(by: .seconds(60))
                return held.saw(.remove)
            }
            #expect(held.ofTasks == [])
        }
    }

    @Test func theThreadEndsTheRuntime() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        let signet = try EmulatedSignet(in: folder.path) { $0.disk = held.disk }
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("one"))
        held.watch()
        let report = await signet.runtime.shutdown(within: .zero)
        #expect(report.eventsLeft > 0)
        #expect(held.saw(.sync))
        #expect(held.ofTasks == [])
    }
}
