// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// A session lives `sessions.timeout` after its last event, across processes, whether its visitor returns or not.
@Suite(.watched) struct LeftSessionsTests {
    private func known(_ id: InstallationID, _ signet: EmulatedSignet) async throws -> Installation {
        let visitor = try await signet.runtime.open(id, identify: .none)
        if visitor.currentUser == nil { try await visitor.login([.customerID: "c-\(id.rawValue)"]) }
        return visitor
    }

    private func events(_ type: String, _ world: DueWorld) -> [EmulatedEvent] {
        world.events.filter { $0.type == type }
    }

    @Test(arguments: DueWorld.End.allCases)
    func aVisitorWhoNeverReturnsGetsASessionEnd(_ end: DueWorld.End) async throws {
        let world = try DueWorld()
        let last = try await world.live(endingWith: end) { signet in
            for index in 0..<3 { try await self.known(InstallationID("v\(index)"), signet).log(.custom("page")) }
            return world.clock.milliseconds
        }
        world.clock.advance(by: .seconds(60))
        try await world.live { signet in
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            await signet.pass(.seconds(1700), in: 17)
            #expect(self.events("session_end", world).isEmpty)
            // At last event + timeout, stamped with the last event.
            await signet.pass(.seconds(60), in: 30)
            #expect(self.events("session_end", world).count == 3)
            #expect(self.events("session_end", world).allSatisfy { $0.timestamp == last })
            #expect(self.events("session_start", world).count == 3)
            #expect(await changes.next()?.endReason == .timeout)
        }
        // Once.
        try await world.live { signet in
            await signet.pass(.seconds(90_000), in: 100)
            #expect(self.events("session_end", world).count == 3)
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func aClockThatWasSetBackDelaysAnEndByOneTimeout(_ end: DueWorld.End) async throws {
        let world = try DueWorld()
        try await world.live(endingWith: end) { signet in
            try await self.known("v", signet).log(.custom("page"))
        }
        world.clock.shiftWallClock(by: .seconds(-200_000))
        try await world.live { signet in
            // Its timeout counts from here, and the disk does not wait for the clock of the test.
            await until("the session was found") { signet.runtime.statistics.dueWork["sessions"] == 1 }
            await signet.pass(.seconds(1700), in: 17)
            #expect(self.events("session_end", world).isEmpty)
            await signet.pass(.seconds(200), in: 20)
            #expect(self.events("session_end", world).count == 1)
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func aDeployCutsNoSession(_ end: DueWorld.End) async throws {
        let world = try DueWorld()
        let session = try await world.live(endingWith: end) { signet in
            let visitor = try await self.known("v", signet)
            try visitor.log(.custom("page 1"))
            return visitor.currentSession
        }
        world.clock.advance(by: .seconds(5))
        try await world.live(endingWith: end) { signet in
            let visitor = try await self.known("v", signet)
            #expect(visitor.currentSession?.uuid == session?.uuid)
            try visitor.log(.custom("page 2"))
            #expect(visitor.currentSession?.uuid == session?.uuid)
        }
        world.clock.advance(by: .seconds(5))
        try await world.live { signet in
            let visitor = try await self.known("v", signet)
            try visitor.log(.custom("page 3"))
            await signet.pass(by: .seconds(10), until: "the end is at the platform") {
                self.events("session_end", world).count == 1
            }
        }
        #expect(self.events("session_start", world).count == 1)
        let ends = self.events("session_end", world)
        #expect(Set(world.events.compactMap(\.sessionUUID)).count == 1)
        #expect(ends.map { $0.customAttributes["$EventCount"] } == ["3"])
        #expect(world.names == ["page 1", "page 2", "page 3"])
    }

    @Test(arguments: DueWorld.End.allCases)
    func aVisitorWhoReturnsTooLateHasAnotherSession(_ end: DueWorld.End) async throws {
        let world = try DueWorld()
        try await world.live(endingWith: end) { signet in
            try await self.known("v", signet).log(.custom("page 1"))
        }
        world.clock.advance(by: .seconds(1801))
        try await world.live { signet in
            try await self.known("v", signet).log(.custom("page 2"))
            try await signet.runtime.upload()
            await signet.pass(by: .seconds(1), until: "the end is at the platform") {
                self.events("session_end", world).count == 1
            }
            #expect(self.events("session_start", world).count == 2)
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func aManualSessionOfADeadProcessEnds(_ end: DueWorld.End) async throws {
        let world = try DueWorld { $0.sessions.tracking = .manual }
        try await world.live(endingWith: end) { signet in
            let visitor = try await self.known("v", signet)
            try await visitor.beginSession()
            try visitor.log(.custom("page"))
            await signet.pass(.seconds(7200), in: 10)
            #expect(self.events("session_end", world).isEmpty)
        }
        try await world.live { signet in
            await signet.pass(by: .seconds(1), until: "the end is at the platform") {
                self.events("session_end", world).count == 1
            }
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func anAppsLaunchEndsTheSessionBeforeIt(_ end: DueWorld.End) async throws {
        let world = try DueWorld { $0.useApplicationDefaults() }
        try await world.live(endingWith: end) { signet in try await self.known("v", signet).log(.custom("page 1")) }
        world.clock.advance(by: .seconds(5))
        try await world.live { signet in
            try await self.known("v", signet).log(.custom("page 2"))
            try await signet.runtime.upload()
            #expect(self.events("session_end", world).count == 1)
            #expect(self.events("session_start", world).count == 2)
        }
    }

    @Test func theSessionOfAVisitorWhoHasOptedOutEndsWithoutAnEvent() async throws {
        let world = try DueWorld()
        try await world.live(endingWith: .kill) { signet in
            let visitor = try await self.known("v", signet)
            try visitor.log(.custom("page"))
            try await signet.runtime.upload()
            try await visitor.setOptedOut(true)
        }
        try await world.live { signet in
            await signet.pass(.seconds(7200), in: 20)
            try await signet.runtime.open("v", identify: .none).setOptedOut(false)
            await signet.pass(.seconds(7200), in: 20)
            #expect(self.events("session_end", world).isEmpty)
        }
    }

    @Test func anOptOutsEventThatAKillCutOffIsLoggedWithoutAnOpen() async throws {
        let world = try DueWorld()
        try await world.live(endingWith: .kill) { signet in
            let visitor = try await self.known("v", signet)
            world.emulator.faults.injectAlways(.connectionRefused)
            try await visitor.setOptedOut(true)
        }
        world.emulator.faults.clear()
        try await world.live { signet in
            await signet.pass(by: .seconds(1), until: "the event is at the platform") {
                self.events("opt_out", world).count == 1
            }
        }
    }
}
