// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// A user who is erased on one replica is erased on all.
@Suite(.watched) struct FleetErasureTests {
    @Test func whoIsErasedOnOneReplicaLeavesTheRowAndAllDirectories() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1", .email: "someone@example.com"]).user.mpid
            try await here.setAttribute("secret wish", for: "wish")
            try await there.refresh()
            try there.log(.custom("never-sent"))
            try here.log(.custom("never-sent"))
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
            #expect(report.installations == 1)
            #expect(report.replicasLeft == 0)
            #expect(here.currentUser == nil && there.currentUser == nil)
            #expect(fleet.engine.database.rows.values.allSatisfy { $0.mentions.isEmpty })
            let row = try #require(fleet.engine.database.rows.values.first)
            let bytes = row.installation.state + row.installation.outbox
            for text in ["c-1", "someone@example.com", "secret wish"] {
                #expect(!Self.contains(bytes, text), "\(text) is in the row")
            }
            #expect(!Self.contains(bytes, mpid.description))
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            let dropped = (0..<2).map { fleet[$0].runtime.statistics.eventsDropped[.forgotten] ?? 0 }
            #expect(dropped.allSatisfy { $0 > 0 }, "\(dropped)")
            // Whoever comes back is new.
            let again = try await there.login([.customerID: "c-1"])
            #expect(again.user.attributes.isEmpty)
        }
    }

    @Test func noEventOfTheErasedUserGoesOutBeforeAReplicaHasHeardOfIt() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try there.log(.custom("never-sent"))
            // The other replica does not look at erasures for now.
            fleet[1].store.faults.injectAlways(.unreachable, on: .pendingErasures)
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(2)) }
            #expect(report.replicasLeft == 1)
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            #expect(fleet[1].runtime.statistics.eventsDropped[.forgotten] == 1)
            fleet[1].store.faults.clear()
            try await fleet.pass(3)
            let erasure = try #require(fleet.engine.database.erasures.first)
            #expect(erasure.acknowledgements.count == 2)
        }
    }

    @Test func twoReplicasThatEraseAtOnceDoNotWaitForEachOther() async throws {
        try await TestFleet().run { fleet in
            let first = try await fleet[0].open("one").login([.customerID: "c-1"]).user.mpid
            let second = try await fleet[1].open("two").login([.customerID: "c-2"]).user.mpid
            let left = try await fleet.passing {
                async let here = fleet[0].runtime.eraseUser(first)
                async let there = fleet[1].runtime.eraseUser(second)
                return try await [here.replicasLeft, there.replicasLeft]
            }
            #expect(left == [0, 0])
        }
    }

    @Test func whatWasLoggedWithoutTheStoreInTheTimeOfAnErasedUserGoesToNobody() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("theirs"))
            fleet.clock.advance(by: .milliseconds(10))
            _ = try await fleet.passing { try await fleet[1].runtime.eraseUser(mpid, within: .seconds(1)) }
            try await here.login([.customerID: "c-2"])
            fleet[0].store.faults.clear()
            try await cutOff.refresh()
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            #expect(fleet[0].runtime.statistics.eventsDropped[.unknownUser] == 1)
        }
    }

    @Test func withoutTheStoreNothingIsErasedAndTheCallSaysSo() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            #expect(await code { _ = try await fleet[0].runtime.eraseUser(mpid) } == .storeUnreachable)
            #expect(here.currentUser?.mpid == mpid)
            fleet[0].store.faults.clear()
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
            #expect(report.installations == 1)
            #expect(here.currentUser == nil)
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        guard bytes.count >= text.count else { return false }
        return (0...bytes.count - text.count).contains { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }
}
