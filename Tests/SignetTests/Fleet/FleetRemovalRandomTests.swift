// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import class FoundationEssentials.ProcessInfo
import struct FoundationEssentials.UUID

@testable import Signet

/// Two replicas that open, log, log in and remove the same visitor in any order: no event is lost uncounted, and none comes twice.
@Suite(.watched, .serialized) struct FleetRemovalRandomTests {
    /// An event that a handle has taken.
    private struct Logged {
        let replica: Int
        let stamp: UUID
    }

    private struct Book {
        var logged: [String: Logged] = [:]
        /// The stamp of the row that there is.
        var stamp: UUID?
        /// The rows that are gone, with the replica that has removed each and knows it.
        var gone: [UUID: Int?] = [:]
        /// The users of each row, as far as an answer has told.
        var users: [UUID: Set<MPID>] = [:]
        /// Rows of which a login ended with an error: it may have found a user.
        var doubtful: Set<UUID> = []
        var reached = Reached()
    }

    /// What the seeds have come to, so that a test of nothing shows.
    private struct Reached {
        var seeds = 0
        var removals = 0
        var closed = 0
        var delivered = 0
        var dropped = 0
        var errors: [SignetError.Code: Int] = [:]
    }

    private static let reached = Locked(Reached())

    @Test(arguments: FleetRemovalRandomTests.seeds)
    func whatARemovalPromisesHolds(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let beginsAtOpen = seed % 2 == 0
        let fleet = try TestFleet(2) {
            $0.sessions.beginsAtOpen = beginsAtOpen
            // The clock goes on while a slow machine answers.
            $0.identity.requestTimeout = .seconds(3600)
        }
        try await fleet.run { fleet in
            var book = Book()
            var handles: [Installation] = []
            for replica in fleet.replicas { handles.append(try await replica.open()) }
            try Self.follow(fleet, &book, by: 0)
            for step in 0..<30 { try await self.take(step, fleet, &handles, &book, &random) }
            for replica in fleet.replicas { replica.store.faults.clear() }
            // Longer than a slot whose release was lost.
            try await fleet.pass(20)
            let last = try await fleet[0].open()
            #expect(book.gone[last.deviceApplicationStamp] == nil, "a removed row came back")
            // Who does not know yet if its removal was carried out finds it out.
            for handle in handles { _ = await code { () async throws(SignetError) in try await handle.refresh() } }
            try Self.follow(fleet, &book, by: 0)
            let user = try await fleet.passing {
                try await last.login([.customerID: "last"], retry: RetryPolicy(totalTime: .seconds(60)))
            }
            book.users[last.deviceApplicationStamp, default: []].insert(user.user.mpid)
            // Longer than a session, and an outbox that its replica has left.
            try await fleet.pass(150)
            try await until("nothing waits") {
                try await fleet.upload()
                return fleet.replicas.allSatisfy { $0.runtime.statistics.eventsWaiting == 0 }
            }
            try self.check(fleet, book)
            self.checkReached(book, fleet)
        }
    }

    /// Notes which row there is after a step of a replica.
    private static func follow(_ fleet: TestFleet, _ book: inout Book, by replica: Int?) throws {
        let row = fleet.engine.database.rows.values.first?.installation
        let stamp = try row.map { try SharedState(decoding: $0.state).identity.deviceApplicationStamp }
        defer { book.stamp = stamp }
        guard let before = book.stamp, before != stamp else { return }
        book.gone[before] = .some(replica)
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
        let stamp = visitor.deviceApplicationStamp
        var isLogin = false
        fleet.clock.advance(by: .milliseconds(Int.random(in: 1...400, using: &random)))
        do {
            switch Int.random(in: 0..<13, using: &random) {
            case 0...4:
                try visitor.log(.custom("e-\(step)"))
                book.logged["e-\(step)"] = Logged(replica: index, stamp: stamp)
            case 5, 6:
                handles[index] = try await fleet.passing { try await replica.open() }
                #expect(book.gone[handles[index].deviceApplicationStamp] == nil, "a removed row came back")
            case 7:
                isLogin = true
                let result = try await fleet.passing { try await visitor.login([.customerID: "c-\(step % 3)"]) }
                book.users[stamp, default: []].insert(result.user.mpid)
            case 8:
                try await fleet.passing { try await visitor.endSession() }
            case 9:
                try await fleet.pass(Int.random(in: 1...3, using: &random))
            case 10:
                let fault: MemoryStoreFaults.Fault = Bool.random(using: &random) ? .replyLost : .unreachable
                let calls: [MemoryStoreFaults.Call] = [.remove, .commit, .read, .flush]
                fleet[index].store.faults.inject(fault, on: calls.randomElement(using: &random))
            default:
                let core = visitor.core
                let store = try #require(core.store.shared)
                let deadline = core.context.time.uptime + .seconds(20)
                try await fleet.passing { try await SharedRemoval(of: core, in: store, until: deadline).remove() }
                book.reached.removals += 1
            }
            try Self.follow(fleet, &book, by: index)
        } catch let error as SignetError {
            let allowed: Set<SignetError.Code> = [
                .storeUnreachable, .outcomeUnknown, .requestInProgress, .superseded, .storeBusy, .closed, .notSent,
                .timedOut,
                .uploadPaused,
            ]
            #expect(allowed.contains(error.code), "\(error)")
            book.reached.errors[error.code, default: 0] += 1
            if isLogin { book.doubtful.insert(stamp) }
            // Its handle may not know, and take events that nobody gets.
            try Self.follow(fleet, &book, by: nil)
            guard error.code == .closed else { return }
            book.reached.closed += 1
            // Removed: the next use of the visitor opens it again.
            do { handles[index] = try await fleet.passing { try await replica.open() } } catch let error as SignetError
            {
                #expect(allowed.contains(error.code), "\(error)")
            }
            try Self.follow(fleet, &book, by: index)
        }
    }

    private func check(_ fleet: TestFleet, _ book: Book) throws {
        let events = fleet.events
        let names = events.compactMap { $0.type == "custom_event" ? $0.name : nil }
        #expect(Set(names).count == names.count, "An event came twice.")
        #expect(Set(book.logged.keys).isSuperset(of: names))
        #expect(book.logged.count - names.count <= Self.dropped(fleet), "An event is lost.")
        self.checkLosses(book, delivered: Set(names))
        self.checkOwners(fleet, book)
        for replica in fleet.replicas {
            let statistics = replica.runtime.statistics
            #expect(statistics.eventsWaiting == 0)
            #expect(statistics.eventsLost == 0)
            #expect(Set(statistics.eventsDropped.keys).isSubset(of: [.installationGone]))
        }
        let starts = events.filter { $0.type == "session_start" }.compactMap(\.sessionUUID)
        let ends = events.filter { $0.type == "session_end" }
        #expect(Set(starts).count == starts.count, "A session began twice.")
        // A replica that was without the store may tell an end again, under the id that it had.
        #expect(
            Set(ends.map(\.sessionUUID)).count == Set(ends.map(\.messageID)).count,
            "A session ended twice."
        )
        #expect(try fleet.row().session == nil, "A session is open for ever.")
        let counted = fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.installationsRemoved }
        #expect(counted == book.gone.count)
    }

    private static func dropped(_ fleet: TestFleet) -> Int {
        fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.eventsDropped.values.reduce(0, +) }
    }

    /// Only events of a removed row may be missing; of the replica that has removed it only those that nobody could get.
    private func checkLosses(_ book: Book, delivered: Set<String>) {
        for (name, event) in book.logged where !delivered.contains(name) {
            guard let remover = book.gone[event.stamp] else {
                Issue.record("\(name) is lost, and its row was never removed.")
                continue
            }
            let hadUser = book.users[event.stamp] != nil
            #expect(remover != event.replica || !hadUser, "\(name) was to be delivered before its row was removed.")
        }
    }

    /// Events have the stamp and a user of their row, and a session of no other row.
    private func checkOwners(_ fleet: TestFleet, _ book: Book) {
        let stamps = fleet.platform.batches().reduce(into: [String: String]()) { stamps, batch in
            if let id = batch.requestID { stamps[id] = batch.json["mp_deviceid"]?.string?.uppercased() }
        }
        var rows: [String: UUID] = [:]
        for event in fleet.events where event.type == "custom_event" {
            guard let name = event.name, let stamp = book.logged[name]?.stamp else { continue }
            let sent = event.batchID.flatMap { stamps[$0] }
            #expect(sent == stamp.uuidString, "\(name) has the stamp of another row.")
            if !book.doubtful.contains(stamp) {
                #expect(book.users[stamp]?.contains(event.mpid) == true, "\(name) has a user of another row.")
            }
            guard let session = event.sessionUUID else { continue }
            #expect(rows[session] == nil || rows[session] == stamp, "A session has events of two rows.")
            rows[session] = stamp
        }
    }

    /// Checks, after the last seed, that there was something to check.
    private func checkReached(_ book: Book, _ fleet: TestFleet) {
        let (delivered, dropped) = (fleet.count("custom_event"), Self.dropped(fleet))
        let all = Self.reached.withLock { all in
            all.seeds += 1
            all.removals += book.reached.removals
            all.closed += book.reached.closed
            all.delivered += delivered
            all.dropped += dropped
            all.errors.merge(book.reached.errors) { $0 + $1 }
            return all
        }
        guard all.seeds == Self.seeds.count, all.seeds >= 20 else { return }
        #expect(all.removals >= 20, "\(all)")
        #expect(all.closed >= 5, "\(all)")
        #expect(all.delivered >= 20, "\(all)")
        #expect(all.dropped >= 10, "\(all)")
        #expect(all.errors[.storeUnreachable, default: 0] >= 1, "\(all)")
    }
}
