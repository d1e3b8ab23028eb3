// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
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
            await until("both replicas have erased") {
                fleet.engine.database.erasures.first?.acknowledgements.count == 2
            }
        }
    }

    /// The batch is made before the erasure, and the platform does not take it until after.
    @Test func norDoesABatchThatWasHeld() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try there.log(.custom("never-sent"))
            fleet.platform.faults.inject(.connectionRefused, on: .events)
            _ = try? await fleet[1].runtime.upload()
            fleet[1].store.faults.injectAlways(.unreachable, on: .pendingErasures)
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(2)) }
            try await fleet.pass(20)
            for _ in 0..<500 { await Task.yield() }
            #expect(fleet.count("custom_event") == 0)
            fleet[1].store.faults.clear()
            try await fleet.pass(5)
            await until("both replicas have erased") {
                fleet.engine.database.erasures.first?.acknowledgements.count == 2
            }
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            #expect((fleet[1].runtime.statistics.eventsDropped[.forgotten] ?? 0) > 0)
        }
    }

    /// The row knows the user again, so only the moment tells the events apart.
    @Test func norDoesAnOldEventOnceTheUserHasComeBack() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try there.log(.custom("old"))
            // An event of the very moment of the return may be of after it.
            fleet.clock.advance(by: .milliseconds(10))
            fleet[1].store.faults.injectAlways(.unreachable, on: .pendingErasures)
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(2)) }
            #expect(try await here.login([.customerID: "c-1"]).user.mpid == mpid)
            try await there.refresh()
            fleet.clock.advance(by: .milliseconds(10))
            try there.log(.custom("new"))
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["new"])
            #expect(fleet[1].runtime.statistics.eventsDropped[.forgotten] == 1)
        }
    }

    /// The second try finds the user neither in a row nor in the queue: the first one has removed them.
    @Test func anErasureThatTheStoreHasCutShortIsFinishedAndForgotten() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try there.log(.custom("old"))
            fleet[1].store.faults.injectAlways(.unreachable, on: .read)
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(3)) }
            #expect(report.replicasLeft == 1)
            fleet[1].store.faults.clear()
            fleet[1].store.faults.injectAlways(.unreachable, on: .pendingErasures)
            try await there.refresh()
            fleet[1].store.faults.clear()
            try await fleet.pass(3)
            await until("both replicas have erased") {
                fleet.engine.database.erasures.first?.acknowledgements.count == 2
            }
            #expect(try Tombstone.stored(in: fleet[1].runtime.context.store).isEmpty)
            #expect(try await here.login([.customerID: "c-1"]).user.mpid == mpid)
            try await there.refresh()
            fleet.clock.advance(by: .milliseconds(10))
            try there.log(.custom("new"))
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["new"])
        }
    }

    @Test func anErasureReadsNoRowOfAHandleThatDoesNotKnowTheUser() async throws {
        try await TestFleet().run { fleet in
            let mpid = try await fleet[0].open().login([.customerID: "c-1"]).user.mpid
            _ = try await fleet[1].open("another visitor")
            fleet[1].store.faults.injectAlways(.unreachable, on: .read)
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(4)) }
            #expect(report.replicasLeft == 0)
        }
    }

    // MARK: - Tombstones

    @Test func aNewDirectoryDoesNotRepeatTheErasuresOfBefore() async throws {
        let fleet = try TestFleet(1)
        let store = MemorySharedStore(fleet.engine)
        for number in 0..<600 { _ = try await Self.note([UInt8(number % 256)], in: store) }
        fleet.clock.advance(by: .seconds(120))
        let late = try await Self.note([1, 2], in: store)
        try await fleet.run { fleet in
            try await fleet.pass(2)
            await until("all are acknowledged") {
                fleet.engine.database.erasures.allSatisfy { $0.acknowledgements.count == 1 }
            }
            let member = try #require(fleet[0].runtime.context.fleet)
            let erasures = fleet.engine.database.erasures.map(\.erasure)
            #expect(erasures.filter { member.precedes($0) }.count == 600)
            #expect(erasures.filter { !member.precedes($0) }.map(\.id) == [late.id])
            // What seems to be of before is not, if the clock has gone back.
            fleet.engine.moveClock(by: .seconds(-3600))
            try await fleet.pass(2)
            #expect(!erasures.contains { member.precedes($0) })
        }
    }

    @Test func anErasureIsForgottenWhenNoEventCanBeOlder() async throws {
        let fleet = try TestFleet(1)
        let store = MemorySharedStore(fleet.engine)
        _ = try await Self.note([1], in: store)
        fleet.clock.advance(by: .seconds(2 * 86_400))
        let younger = try await Self.note([2], in: store)
        fleet.clock.advance(by: .seconds(96 * 86_400))
        try await fleet.run { fleet in
            try await fleet.pass(2)
            await until("one is forgotten") { fleet.engine.database.erasures.map(\.erasure.id) == [younger.id] }
        }
    }

    @Test func anEphemeralUserWhoHasLeftIsErasedFromTheRowToo() async throws {
        var rules = EmulatorConfiguration(strategy: .link)
        rules.ephemeralRule = .anonymousUsers
        try await TestFleet(emulator: rules).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let guest = try await here.logout().user
            #expect(guest.isEphemeral)
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try await here.login([.customerID: "c-2"])
            _ = try await fleet.passing { try await fleet[1].runtime.eraseUser(guest.mpid) }
            let row = try #require(fleet.engine.database.rows.values.first)
            let part = try SharedState(decoding: row.installation.state).part
            #expect(!part.sessionUsers.contains(guest.mpid))
            #expect(!part.departed.contains { $0.mpid == guest.mpid })
            #expect(!part.changes.contains { $0.mpid == guest.mpid })
            #expect(!row.mentions.contains(guest.mpid))
        }
    }

    @Test func aReplicaThatErasesTellsTheOthersThatItLives() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try here.log(.custom("on the wire"))
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .events)
            async let upload: Void = { _ = try? await fleet[0].runtime.upload() }()
            await until("a batch on the wire") { fleet[0].signet.transport.inFlight == 1 }
            async let report = fleet[0].runtime.eraseUser(mpid, within: .seconds(20))
            await until("the erasure is noted") { !fleet.engine.database.erasures.isEmpty }
            let replica = try #require(fleet[0].runtime.context.fleet?.replica)
            for _ in 0..<8 {
                fleet.clock.advance(by: .seconds(1))
                for _ in 0..<500 { await Task.yield() }
            }
            let beat = try #require(fleet.engine.database.replicas[replica]?.beat)
            #expect(beat >= fleet.clock.milliseconds - 4000)
            gate.open()
            await upload
            // The wait for the other replica ends, if it has not yet.
            fleet.clock.advance(by: .seconds(20))
            _ = try await report
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

    @Test func withoutTheStoreNothingIsErasedAndACallIsFinishedByTheNext() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            #expect(await code { _ = try await fleet[0].runtime.eraseUser(mpid) } == .outcomeUnknown)
            #expect(here.currentUser?.mpid == mpid)
            fleet[0].store.faults.clear()
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
            #expect(report.installations == 1)
            #expect(here.currentUser == nil)
        }
    }

    /// Notes an erasure whose rows are done.
    private static func note(_ hash: [UInt8], in store: MemorySharedStore) async throws -> SharedErasure {
        let erasure = SharedErasure(id: .random(), hash: hash, by: .random())
        _ = try await store.erase(erasure)
        try await store.finishRows(of: erasure.id)
        return erasure
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        guard bytes.count >= text.count else { return false }
        return (0...bytes.count - text.count).contains { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }
}
