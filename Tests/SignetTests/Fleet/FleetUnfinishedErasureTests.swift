// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Erasures whose replica dies, or loses the store, before all is done.
@Suite(.watched) struct FleetUnfinishedErasureTests {
    private static let visitors = 40

    /// Logs one user in on many installations.
    private static func login(_ fleet: TestFleet) async throws -> MPID {
        var mpid: MPID?
        for number in 0..<Self.visitors {
            let visitor = try await fleet[0].open(Self.visitor(number))
            mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
        }
        let user = try #require(mpid)
        #expect(Self.mentions(user, fleet) == Self.visitors)
        return user
    }

    private static func visitor(_ number: Int) -> InstallationID { InstallationID("v-\(number)") }

    private static func mentions(_ mpid: MPID, _ fleet: TestFleet) -> Int {
        fleet.engine.database.rows.values.count { $0.mentions.contains(mpid) }
    }

    /// Lets a replica's calls of a kind fail, after some that go through.
    private static func cutOff(_ replica: TestFleet.Replica, at call: MemoryStoreFaults.Call, after count: Int) {
        let gate = EmulatorGate()
        gate.open()
        if count > 0 { replica.store.faults.inject(.requestHeld(gate), on: call, times: count) }
        replica.store.faults.injectAlways(.unreachable, on: call)
    }

    /// Begins an erasure on the first replica, whose way to the store ends at a call.
    private static func erase(
        _ mpid: MPID,
        _ fleet: TestFleet,
        cutOffAt call: MemoryStoreFaults.Call,
        after count: Int = 0
    ) async throws {
        Self.cutOff(fleet[0], at: call, after: count)
        let error = await #expect(throws: SignetError.self) {
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
        }
        #expect(error?.code == .outcomeUnknown, "\(error?.description ?? "")")
        #expect(error?.message.contains("The erasure is noted. It is finished when the store is back.") == true)
        fleet[0].store.faults.injectAlways(.unreachable)
    }

    @Test func anErasureWhoseReplicaDiesInTheMiddleIsFinishedByAnother() async throws {
        try await TestFleet().run { fleet in
            let mpid = try await Self.login(fleet)
            try await Self.erase(mpid, fleet, cutOffAt: .commit, after: 20)
            let left = Self.mentions(mpid, fleet)
            #expect((1..<Self.visitors).contains(left), "\(left)")
            let erasure = try #require(fleet.engine.database.erasures.first)
            #expect(!erasure.erasure.areRowsDone)
            // As long as the first may come back, the other one does not say that it is through.
            try await fleet.pass(30, besides: [0])
            #expect(Self.mentions(mpid, fleet) == left)
            #expect(fleet.engine.database.erasures.first?.acknowledgements == [])
            // Nor does it send anything of the user, whom rows still know.
            for number in 0..<Self.visitors { try await fleet[1].open(Self.visitor(number)).log(.custom("late")) }
            _ = try await fleet[1].runtime.upload()
            #expect(fleet.count("custom_event") == 0)
            try await fleet.pass(35, besides: [0])
            await until("the rows are done") { fleet.engine.database.erasures.first?.erasure.areRowsDone == true }
            #expect(Self.mentions(mpid, fleet) == 0)
            let replica = try #require(fleet[1].runtime.context.fleet?.replica)
            await until("the other one has acknowledged") {
                fleet.engine.database.erasures.first?.acknowledgements == [replica]
            }
            // Who comes back is new, and stays.
            let again = try await fleet[1].open(Self.visitor(39))
            #expect(try await again.login([.customerID: "c-1"]).user.mpid == mpid)
            try await fleet.pass(70, besides: [0])
            #expect(again.currentUser?.mpid == mpid)
            #expect(Self.mentions(mpid, fleet) == 1)
        }
    }

    @Test func anErasureThatWaitsForTheStoreIsDueWork() async throws {
        try await TestFleet(1).run { fleet in
            let (mpid, runtime) = (try await Self.login(fleet), fleet[0].runtime)
            try await Self.erase(mpid, fleet, cutOffAt: .commit, after: 20)
            try await fleet.pass(180, besides: [0])
            try await until("it is overdue") {
                try await fleet.pass(1, besides: [0])
                return runtime.health.reasons.contains { reason in
                    if case .workOverdue(kind: "erasures", count: 1, code: _) = reason.kind { true } else { false }
                }
            }
            #expect(runtime.statistics.dueWork["erasures"] == 1)
            fleet[0].store.faults.clear()
            try await until("it is done") {
                try await fleet.pass(1)
                return runtime.statistics.dueWork["erasures"] == 0
            }
            #expect(Self.mentions(mpid, fleet) == 0)
        }
    }

    /// With nothing opened, wherever the first process was cut off.
    @Test(arguments: [
        (MemoryStoreFaults.Call.erase, 0), (.mentions, 0), (.commit, 20), (.finishRows, 0), (.acknowledge, 0),
    ])
    func anErasureWhoseReplicaDiesIsFinishedByItselfAfterARestart(call: MemoryStoreFaults.Call, count: Int) async throws
    {
        let fleet = try TestFleet(1)
        var (mpid, image): (MPID?, TemporaryFolder?)
        try await fleet.run { fleet in
            let user = try await Self.login(fleet)
            try await Self.erase(user, fleet, cutOffAt: call, after: count)
            (mpid, image) = (user, try fleet.image(of: 0))
        }
        let (user, folder) = (try #require(mpid), try #require(image))
        let second = try fleet.process(in: folder)
        try await second.signet.run { signet in
            try await fleet.pass(5)
            await until("the rows are done") {
                try? await fleet.pass(1)
                return fleet.engine.database.erasures.first?.acknowledgements.isEmpty == false
            }
            let store = signet.runtime.context.store
            await until("the record of work is gone") { (try? Tombstone.stored(in: store).isEmpty) == true }
        }
        #expect(fleet.engine.database.erasures.count == 1)
        #expect(fleet.engine.database.erasures.first?.erasure.areRowsDone == true)
        #expect(Self.mentions(user, fleet) == 0)
    }

    /// Autoscaling: its own directory is younger than the erasure, and the dead one never comes back.
    @Test func aNewReplicaFinishesTheRowsOfADeadOne() async throws {
        let fleet = try TestFleet(1)
        var mpid: MPID?
        try await fleet.run { fleet in
            let user = try await Self.login(fleet)
            try await Self.erase(user, fleet, cutOffAt: .commit, after: 20)
            mpid = user
        }
        fleet.clock.advance(by: .seconds(300))
        let new = try fleet.process(in: TemporaryFolder())
        try await new.signet.run { _ in
            try await fleet.pass(5)
            await until("the rows are done") {
                try? await fleet.pass(1)
                return fleet.engine.database.erasures.first?.acknowledgements.isEmpty == false
            }
        }
        #expect(fleet.engine.database.erasures.first?.erasure.areRowsDone == true)
        #expect(Self.mentions(try #require(mpid), fleet) == 0)
    }

    /// Another replica has finished the erasure, and the user has come back there: a further call is a further erasure.
    @Test func aCallAfterAnotherReplicaHasFinishedTheErasureErasesWhoCameBackToo() async throws {
        try await TestFleet().run { fleet in
            let mpid = try await Self.login(fleet)
            try await Self.erase(mpid, fleet, cutOffAt: .commit, after: 20)
            try await fleet.pass(65, besides: [0])
            await until("the other one has finished it") {
                fleet.engine.database.erasures.first?.acknowledgements.isEmpty == false
            }
            let again = try await fleet[1].open(Self.visitor(39))
            try await again.login([.customerID: "c-1"])
            try again.log(.custom("SECRETevent"))
            #expect(try !FleetDirectoryCopyTests.files(fleet[1].folder, with: "SECRETevent").isEmpty)
            fleet[0].store.faults.clear()
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
            try await fleet.pass(5)
            await until("all is acknowledged by both") {
                try? await fleet.pass(1)
                return fleet.engine.database.erasures.allSatisfy { $0.acknowledgements.count == 2 }
            }
            #expect(try FleetDirectoryCopyTests.files(fleet[1].folder, with: "SECRETevent") == [])
            #expect(fleet.engine.database.erasures.count == 2)
            #expect(Self.mentions(mpid, fleet) == 0)
            let stores = [fleet[0], fleet[1]].map(\.runtime.context.store)
            for store in stores { #expect(try Tombstone.stored(in: store).isEmpty) }
        }
    }

    /// Nobody calls again; the process lives on.
    @Test func aStoreThatGoesAwayAfterTheNotingMakesTheOutcomeUnknownAndNotTheErasure() async throws {
        let observer = RecordingObserver()
        try await TestFleet(1, observers: [observer]).run { fleet in
            let mpid = try await Self.login(fleet)
            try await Self.erase(mpid, fleet, cutOffAt: .commit, after: 20)
            #expect(await fleet[0].runtime.erasure.lock.unfinished == [mpid])
            #expect(observer.notes.count { if case .erasureFailed = $0 { true } else { false } } == 1)
            fleet[0].store.faults.clear()
            try await fleet.pass(15)
            await until("the erasure is finished") {
                fleet.engine.database.erasures.first?.acknowledgements.isEmpty == false
            }
            #expect(Self.mentions(mpid, fleet) == 0)
            let erasure = fleet[0].runtime.erasure
            await until("nothing is left to do") { await erasure.lock.unfinished.isEmpty }
            #expect(try Tombstone.stored(in: fleet[0].runtime.context.store).isEmpty)
        }
    }

    /// The store has heard nothing, but the record of the erasure stands.
    @Test func withoutTheStoreTheErasureIsNotedAndFinishedWhenItIsBack() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await Self.erase(mpid, fleet, cutOffAt: .erase)
            #expect(here.currentUser?.mpid == mpid)
            fleet[0].store.faults.clear()
            try await fleet.pass(65)
            await until("the erasure is finished") {
                fleet.engine.database.erasures.first?.acknowledgements.isEmpty == false
            }
            #expect(here.currentUser == nil)
        }
    }

    /// The tombstone's place in the directory outlives no start without a store.
    @Test func aStartWithoutTheStoreFinishesTheErasureOfItsDirectoryAlone() async throws {
        let fleet = try TestFleet(1)
        var image: TemporaryFolder?
        try await fleet.run { fleet in
            let mpid = try await fleet[0].open().login([.customerID: "c-1"]).user.mpid
            try await Self.erase(mpid, fleet, cutOffAt: .mentions)
            image = try fleet.image(of: 0)
        }
        let folder = try #require(image)
        let alone = try EmulatedSignet(in: folder.path, platform: fleet.platform, clock: fleet.clock)
        #expect(try Tombstone.stored(in: alone.runtime.context.store).isEmpty)
    }
}
