// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A row that another transaction keeps locked: the flushes of all other visitors go on, and nothing of this one is lost.
@Suite(.watched) struct FleetLockedRowTests {
    @Test func otherVisitorsKeepTheirSessions() async throws {
        try await TestFleet(2).run { fleet in
            for id in ["locked", "free"] as [InstallationID] {
                let here = try await fleet[0].open(id)
                try await here.login([.customerID: "c-\(id.rawValue)"])
                try here.log(.custom("first"))
            }
            try await fleet.pass(3)
            fleet.engine.lock(["locked"])
            // Longer than the timeout, and than the time after which a replica without a flush counts as dead.
            for step in 0..<6 {
                for id in ["locked", "free"] as [InstallationID] {
                    try await fleet[step % 2].open(id).log(.custom("step"))
                }
                try await fleet.pass(20)
            }
            #expect(try fleet.row("free").session != nil)
            let seen = try #require(try fleet.row("locked").session)
            fleet.engine.lock([])
            try await fleet.pass(3)
            let told = try #require(try fleet.row("locked").session)
            #expect(told.id == seen.id)
            #expect(told.events == seen.events + 6)
            try await fleet.pass(80)
            try await fleet.upload()
            for type in ["session_start", "session_end"] { #expect(fleet.count(type) == 2) }
            let sessions = Set(fleet.events.filter { $0.name == "step" }.map(\.sessionUUID))
            #expect(sessions.count == 2)
            #expect(fleet.replicas.map(\.runtime.statistics.eventsAfterSessionEnd) == [0, 0])
        }
    }

    /// The lock is gone, and another replica looks at the row before the flush of the one that has events of it.
    @Test func aSessionDoesNotEndBeforeWhatALockHasHeldBackIsTold() async throws {
        try await TestFleet(2).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("first"))
            try await fleet.pass(3)
            fleet.engine.lock(["visitor"])
            fleet.clock.advance(by: .seconds(50))
            for _ in 0..<500 { await Task.yield() }
            try here.log(.custom("held back"))
            try await fleet.pass(30)
            fleet.engine.lock([])
            try await fleet.pass(2)
            #expect(fleet.count("session_end") == 0)
            #expect(try fleet.row().session != nil)
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_end") == 1)
            #expect(fleet.replicas.map(\.runtime.statistics.eventsAfterSessionEnd) == [0, 0])
        }
    }
}
