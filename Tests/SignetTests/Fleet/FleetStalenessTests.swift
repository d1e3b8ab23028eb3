// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Handles that live longer than a request, and log by an old reading.
@Suite(.watched) struct FleetStalenessTests {
    @Test func anEventAfterTheMaximumStalenessBelongsToTheUserOfItsMoment() async throws {
        try await TestFleet(maximumStaleness: .seconds(10)).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try await fleet.pass(5)
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            try there.log(.custom("fresh"))
            try await fleet.pass(3)
            // Idle from here on.
            #expect(there.currentUser?.mpid == second)
            try await fleet.pass(8)
            let third = try await here.login([.customerID: "c-3"]).user.mpid
            try await fleet.pass(3)
            #expect(there.currentUser?.mpid == second, "by its last reading")
            try there.log(.custom("late"))
            try await fleet.pass(2)
            #expect(there.currentUser?.mpid == third, "it was read again")
            try there.log(.custom("read"))
            try await fleet.upload()
            let events = ["fresh", "late", "read"].map { name in fleet.events.first { $0.name == name } }
            #expect(events.map { $0?.mpid } == [first, third, third])
            #expect(events.map { $0?.sessionUUID == nil } == [false, true, false])
        }
    }

    @Test func withoutALimitItBelongsToTheUserOfTheLastReading() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try await here.login([.customerID: "c-2"])
            try await fleet.pass(30)
            try there.log(.custom("late"))
            try await fleet.upload()
            #expect(fleet.events.first { $0.name == "late" }?.mpid == first)
        }
    }

    @Test func aHandleThatLogsIsNotOldWhileTheStoreAnswers() async throws {
        try await TestFleet(1, maximumStaleness: .seconds(3)).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            for _ in 0..<10 {
                try here.log(.custom("page"))
                try await fleet.pass(2)
            }
            try await fleet.upload()
            let events = fleet.events.filter { $0.name == "page" }
            #expect(events.count == 10)
            #expect(events.allSatisfy { $0.sessionUUID != nil })
        }
    }

    @Test func whileTheStoreIsAwayEventsWaitForTheRow() async throws {
        try await TestFleet(maximumStaleness: .seconds(10)).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            fleet[1].store.faults.injectAlways(.unreachable)
            try await fleet.pass(12, besides: [1])
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            try there.log(.custom("away"))
            try await fleet.pass(3, besides: [1])
            fleet[1].store.faults.clear()
            try await fleet.pass(3)
            try await fleet.upload()
            #expect(fleet.events.first { $0.name == "away" }?.mpid == second)
            #expect(there.currentUser?.mpid == second)
        }
    }

    @Test func aLimitBelowTheFlushesIsRefused() throws {
        #expect(throws: SignetError.self) { try TestFleet(1, maximumStaleness: .seconds(2)) }
    }
}
