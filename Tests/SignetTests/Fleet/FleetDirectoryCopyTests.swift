// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Directories that were copied: a backup that comes back, and two processes at once.
@Suite(.watched) struct FleetDirectoryCopyTests {
    /// Logs a user in, and leaves an event of theirs in a batch that the platform did not take.
    private static func hold(_ fleet: TestFleet) async throws -> MPID {
        let here = try await fleet[0].open()
        let mpid = try await here.login([.customerID: "SECRETc-1"]).user.mpid
        try await here.setAttribute("SECRETdrink", for: "drink")
        try here.log(.custom("never-sent"))
        // Sent, so that the batch is on disk and goes again as it is.
        fleet.platform.faults.inject(.status(500), on: .events)
        _ = try? await fleet[0].runtime.upload()
        return mpid
    }

    private static func erase(_ mpid: MPID, _ fleet: TestFleet) async throws {
        let report = try await fleet.passing { try await fleet[1].runtime.eraseUser(mpid) }
        #expect(report.replicasLeft == 0)
        #expect(fleet.engine.database.erasures.first?.acknowledgements.count == 2)
    }

    /// The files that have a word.
    static func files(_ folder: TemporaryFolder, with word: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            FileManager.default.contents(atPath: "\(folder.path)/\($0)")?.range(of: Data(word.utf8)) != nil
        }
    }

    @Test func aDirectoryFromABackupErasesBeforeItsBatchesGo() async throws {
        let fleet = try TestFleet()
        var image: TemporaryFolder?
        try await fleet.run { fleet in
            let mpid = try await Self.hold(fleet)
            image = try fleet.image(of: 0)
            try await Self.erase(mpid, fleet)
        }
        let folder = try #require(image)
        #expect(try !Self.files(folder, with: "SECRET").isEmpty)
        let copy = try fleet.process(in: folder)
        try await copy.signet.run { signet in
            try await fleet.pass(20, besides: [0])
            await until("the directory has caught up") { signet.runtime.context.fleet?.lacksErasures == false }
            try await fleet.pass(20, besides: [0])
            _ = try? await signet.runtime.upload()
        }
        #expect(fleet.count("custom_event") == 0)
        #expect(copy.runtime.statistics.eventsDropped[.forgotten] ?? 0 > 0)
        #expect(try Self.files(folder, with: "SECRET") == [])
        // A further start has nothing to repeat.
        let third = try fleet.process(in: folder)
        try await third.signet.run { signet in
            try await fleet.pass(3, besides: [0])
            let member = try #require(signet.runtime.context.fleet)
            await until("the directory was compared") { !member.lacksErasures }
            let erasure = try #require(fleet.engine.database.erasures.first?.erasure)
            #expect(member.stage(of: erasure.id) == nil)
            #expect(signet.runtime.context.store.contains(StateKey.carriedOut(erasure.id)))
        }
    }

    /// The store lacks the acknowledgement, and the user has come back: the directory knows what it has done.
    @Test func anErasureWhoseAcknowledgementWasLostIsNotRepeated() async throws {
        let fleet = try TestFleet()
        var image: TemporaryFolder?
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await fleet.pass(2)
            fleet[0].store.faults.injectAlways(.unreachable, on: .acknowledge)
            let report = try await fleet.passing { try await fleet[1].runtime.eraseUser(mpid) }
            #expect(report.replicasLeft == 1)
            await until("the first one has erased, too") { here.currentUser == nil }
            let store = fleet[0].runtime.context.store
            await until("it says so") { (try? store.keys(withPrefix: StateKey.carriedOutErasures).count) == 1 }
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("came back"))
            image = try fleet.image(of: 0)
            fleet[0].store.faults.injectAlways(.unreachable)
        }
        let second = try fleet.process(in: try #require(image))
        try await second.signet.run { signet in
            try await fleet.pass(5, besides: [0])
            await until("it is acknowledged") {
                try? await fleet.pass(1, besides: [0])
                return fleet.engine.database.erasures.first?.acknowledgements.count == 2
            }
            #expect(signet.runtime.statistics.eventsDropped[.forgotten] ?? 0 == 0)
            #expect(try await second.open().currentUser != nil)
        }
    }

    @Test func whatTheStoreHasForgottenTheDirectoryForgetsToo() async throws {
        let fleet = try TestFleet()
        try await fleet.run { fleet in
            let mpid = try await fleet[0].open().login([.customerID: "c-1"]).user.mpid
            try await Self.erase(mpid, fleet)
            let store = fleet[0].runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.carriedOutErasures).count == 1)
            // A replica that lives that long.
            fleet.clock.advance(by: .seconds(98 * 86_400))
            try await fleet.pass(5)
            await until("both have forgotten") {
                try? await fleet.pass(1)
                return fleet.engine.database.erasures.isEmpty
                    && (try? store.keys(withPrefix: StateKey.carriedOutErasures).isEmpty) == true
            }
        }
    }

    /// The one that began last goes on: after a kill it is the only one.
    @Test func twoProcessesOnCopiesOfADirectoryAreFound() async throws {
        let observer = RecordingObserver()
        let fleet = try TestFleet(1, observers: [observer])
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(2)
            let second = try fleet.process(in: try fleet.image(of: 0))
            try await second.signet.run { _ in
                _ = try await second.open()
                try await fleet.pass(8)
                let reopening = { await code { _ = try await fleet[0].runtime.open("visitor", identify: .none) } }
                await until("one of the two is refused") {
                    try? await fleet.pass(1)
                    return await reopening() == .directoryInUse
                }
                try await fleet.pass(6)
                #expect(await code { try await here.setAttribute("a", for: "b") } == .directoryInUse)
                try here.log(.custom("of the refused one"))
                _ = try? await fleet[0].runtime.upload()
                #expect(fleet.count("custom_event") == 0)
                #expect(observer.storeFailures.contains { $0.code == .directoryInUse })
                let health = fleet[0].runtime.health
                #expect(!health.acceptsCalls)
                guard case .degraded(let reasons) = health else {
                    Issue.record("it is ready")
                    return
                }
                #expect(reasons.contains { $0.description.hasPrefix("store_unreachable (directoryInUse") })
                // For good, and only the one.
                try await fleet.pass(70)
                #expect(await reopening() == .directoryInUse)
                try await second.open().setAttribute("a", for: "b")
                #expect(second.runtime.health.acceptsCalls)
            }
        }
    }

    @Test func aRestartAfterAKillIsNoSecondProcess() async throws {
        let fleet = try TestFleet(1)
        var image: TemporaryFolder?
        try await fleet.run { fleet in
            try await fleet[0].open().login([.customerID: "c-1"])
            try await fleet.pass(2)
            image = try fleet.image(of: 0)
            // Nothing of the first one reaches the store from here on.
            fleet[0].store.faults.injectAlways(.unreachable)
        }
        let second = try fleet.process(in: try #require(image))
        try await second.signet.run { _ in
            try await fleet.pass(10)
            #expect(try await second.open().currentUser != nil)
            #expect(second.runtime.health == .ready)
        }
    }
}
