// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import class FoundationEssentials.ProcessInfo
import struct FoundationEssentials.UUID

@testable import Signet

/// Two replicas that open, log, log in and remove the same visitor in any order: no event is lost uncounted, and none comes twice.
@Suite(.watched, .serialized) struct FleetRemovalRandomTests {
    private struct Book {
        var logged: Set<String> = []
        /// The stamps of rows that are gone.
        var gone: Set<UUID> = []
        var removals = 0
    }

    @Test(arguments: FleetRemovalRandomTests.seeds)
    func whatARemovalPromisesHolds(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let beginsAtOpen = seed % 2 == 0
        let fleet = try TestFleet(2) { $0.sessions.beginsAtOpen = beginsAtOpen }
        try await fleet.run { fleet in
            var book = Book()
            var handles: [Installation] = []
            for replica in fleet.replicas { handles.append(try await replica.open()) }
            for step in 0..<30 { try await self.take(step, fleet, &handles, &book, &random) }
            for replica in fleet.replicas { replica.store.faults.clear() }
            // Longer than a slot whose release was lost.
            try await fleet.pass(20)
            let last = try await fleet[0].open()
            #expect(!book.gone.contains(last.deviceApplicationStamp), "a removed row came back")
            _ = try await fleet.passing { try await last.login([.customerID: "last"]) }
            // Longer than a session, and an outbox that its replica has left.
            try await fleet.pass(150)
            try await until("nothing waits") {
                try await fleet.upload()
                return fleet.replicas.allSatisfy { $0.runtime.statistics.eventsWaiting == 0 }
            }
            try self.check(fleet, book)
        }
    }

    private static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SIGNET_FIRST_SEED"].flatMap { UInt64($0) } ?? 1
        return first..<first + (environment["SIGNET_SEEDS"].flatMap { UInt64($0) } ?? 20)
    }

    private func take(
        _ step: Int,
        _ fleet: TestFleet,
        _ handles: inout [Installation],
        _ book: inout Book,
        _ random: inout SeededGenerator
    ) async throws {
        let index = Int.random(in: 0..<handles.count, using: &random)
        let (visitor, replica) = (handles[index], fleet[index])
        fleet.clock.advance(by: .milliseconds(Int.random(in: 1...400, using: &random)))
        do {
            switch Int.random(in: 0..<13, using: &random) {
            case 0...4:
                try visitor.log(.custom("e-\(step)"))
                book.logged.insert("e-\(step)")
            case 5, 6:
                handles[index] = try await fleet.passing { try await replica.open() }
                #expect(!book.gone.contains(handles[index].deviceApplicationStamp), "a removed row came back")
            case 7:
                _ = try await fleet.passing { try await visitor.login([.customerID: "c-\(step % 3)"]) }
            case 8:
                try await fleet.passing { try await visitor.endSession() }
            case 9:
                try await fleet.pass(Int.random(in: 1...3, using: &random))
            case 10:
                let fault: MemoryStoreFaults.Fault = Bool.random(using: &random) ? .replyLost : .unreachable
                let calls: [MemoryStoreFaults.Call] = [.remove, .commit, .read, .flush]
                fleet[index].store.faults.inject(fault, on: calls.randomElement(using: &random))
            default:
                let (core, stamp) = (visitor.core, visitor.deviceApplicationStamp)
                let hadRow = core.store.shared?.hasRow ?? false
                let deadline = core.context.time.uptime + .seconds(20)
                try await fleet.passing { try await core.removeShared(until: deadline) }
                if hadRow { book.gone.insert(stamp) }
                book.removals += 1
            }
        } catch let error as SignetError {
            let allowed: Set<SignetError.Code> = [
                .storeUnreachable, .outcomeUnknown, .requestInProgress, .superseded, .storeBusy, .closed, .timedOut,
            ]
            #expect(allowed.contains(error.code), "\(error)")
            guard error.code == .closed else { return }
            // Removed: the next use of the visitor opens it again.
            do { handles[index] = try await fleet.passing { try await replica.open() } } catch let error as SignetError
            {
                #expect(allowed.contains(error.code), "\(error)")
            }
        }
    }

    private func check(_ fleet: TestFleet, _ book: Book) throws {
        let events = fleet.events
        let names = events.compactMap { $0.type == "custom_event" ? $0.name : nil }
        #expect(Set(names).count == names.count, "An event came twice.")
        #expect(book.logged.isSuperset(of: names))
        let dropped = fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.eventsDropped.values.reduce(0, +) }
        #expect(book.logged.count - names.count <= dropped, "An event is lost.")
        for replica in fleet.replicas {
            let statistics = replica.runtime.statistics
            #expect(statistics.eventsWaiting == 0)
            #expect(statistics.eventsLost == 0)
            #expect(Set(statistics.eventsDropped.keys).isSubset(of: [.installationGone]))
        }
        let starts = events.filter { $0.type == "session_start" }.compactMap(\.sessionUUID)
        let ends = events.filter { $0.type == "session_end" }.compactMap(\.sessionUUID)
        #expect(Set(starts).count == starts.count, "A session began twice.")
        #expect(Set(ends).count == ends.count, "A session ended twice.")
        #expect(try fleet.row().session == nil, "A session is open for ever.")
        let counted = fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.installationsRemoved }
        #expect(counted == book.removals)
    }
}
