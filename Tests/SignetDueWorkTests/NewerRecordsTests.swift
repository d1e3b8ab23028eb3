// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// After a rollback, a record of the newer version holds up its own installation alone.
@Suite(.watched) struct NewerRecordsTests {
    /// Replaces the record of an installation by one of a later version.
    private func replaceRecord(_ key: String, in world: DueWorld, isDue: Bool) throws {
        let log = try StateLog(directory: world.folder.path + "/state")
        defer { log.close() }
        try #require(log.contains(Array(key.utf8)))
        try log.put([31, 0], for: Array(key.utf8), isDue: isDue)
    }

    @Test(arguments: ["iv1", "sv1"])
    func theSessionsOfTheOthersEnd(_ key: String) async throws {
        let world = try DueWorld()
        try await world.live(endingWith: .kill) { signet in
            for index in 0..<4 {
                let visitor = try await signet.runtime.open(InstallationID("v\(index)"), identify: .none)
                try await visitor.login([.customerID: "c-\(index)"])
                try visitor.log(.custom("page"))
            }
        }
        try self.replaceRecord(key, in: world, isDue: true)
        try await world.live { signet in
            await signet.pass(.seconds(7200), in: 72)
            #expect(world.events.count { $0.type == "session_end" } == 3)
        }
    }

    @Test func theOthersAreIdentified() async throws {
        let world = try DueWorld()
        try await world.live(endingWith: .kill) { signet in
            world.emulator.faults.injectAlways(.connectionRefused)
            for index in 0..<4 {
                let visitor = try await signet.runtime.open(InstallationID("v\(index)"), identify: .ifUnknown)
                try visitor.log(.custom("page \(index)"))
            }
            await signet.rest()
        }
        world.emulator.faults.clear()
        try self.replaceRecord("iv1", in: world, isDue: false)
        try await world.live { signet in
            await signet.pass(.seconds(300), in: 60)
            #expect(world.names == ["page 0", "page 2", "page 3"])
        }
    }
}
