// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The sessions that a directory has when its runtime first has a shared store end at that start.
@Suite(.watched) struct UnsharedSessionsTests {
    private static let visitors: [InstallationID] = ["stays", "returns", "refuses"]

    /// What a kill of a process without a store leaves: three visitors with a session each, one of whom has opted out.
    private func directory(of fleet: TestFleet) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, platform: fleet.platform, clock: fleet.clock)
        return try await signet.run { signet in
            for id in Self.visitors {
                let visitor = try await signet.runtime.open(id, identify: .none)
                try await visitor.login([.customerID: "c-\(id.rawValue)"])
                try visitor.log(.custom("page"))
                if id == "refuses" { try await visitor.setOptedOut(true) }
            }
            return try TemporaryFolder(copying: folder)
        }
    }

    private func ends(_ fleet: TestFleet) -> [String] {
        var seen: Set<String> = []
        return fleet.platform.users().flatMap { fleet.platform.events(of: $0.id) }
            .filter { $0.type == "session_end" }
            .compactMap(\.messageID)
            .filter { seen.insert($0).inserted }
    }

    @Test func theyEndOnceThoughNobodyReturns() async throws {
        let fleet = try TestFleet(0)
        let folder = try await self.directory(of: fleet)
        let source = try DirectoryImport(directory: folder.path)
        #expect(try await source.run(into: MemorySharedStore(fleet.engine)) == DirectoryImport.Report(made: 3))
        source.close()
        fleet.clock.advance(by: .seconds(5))
        let first = try fleet.process(in: folder)
        try await first.signet.run { signet in
            let visitor = try await first.open("returns")
            try visitor.log(.custom("page"))
            await signet.pass(.seconds(7200), in: 72)
            // Of the one who stays away, and two of the one who returns.
            #expect(self.ends(fleet).count == 3)
        }
        let owed = try dueWork(directory: folder.path).entries.map(\.kind)
        #expect(!owed.contains(.sessionEnd) && !owed.contains(.mark))
        let second = try fleet.process(in: folder)
        try await second.signet.run { signet in
            await signet.pass(.seconds(7200), in: 72)
            #expect(self.ends(fleet).count == 3)
        }
    }
}
