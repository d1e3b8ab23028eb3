// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import class FoundationEssentials.ProcessInfo

@testable import Signet

/// Three replicas, a store that refuses and loses answers, and steps at random: what was promised holds at the end.
@Suite(.watched, .serialized) struct FleetRandomTests {
    /// What the steps have done, to be compared with the platform.
    private struct Expected {
        var logged: Set<String> = []
        var increments = 0
        /// Increments whose answer was lost.
        var doubtful = 0
        var user: MPID?
        var isOptedOut = false
    }

    @Test(arguments: FleetRandomTests.seeds)
    func whatWasPromisedHolds(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // The clock goes on while a slow machine answers.
        let fleet = try TestFleet(3) { $0.identity.requestTimeout = .seconds(3600) }
        try await fleet.run { fleet in
            var expected = Expected()
            var handles: [Installation] = []
            for replica in fleet.replicas { handles.append(try await replica.open()) }
            try await handles[0].login([.customerID: "c-0"])
            expected.user = handles[0].currentUser?.mpid
            for step in 0..<40 {
                try await self.take(step, fleet, &handles, &expected, &random)
            }
            for replica in fleet.replicas { replica.store.faults.clear() }
            for handle in handles { try await handle.refresh() }
            if handles[0].isOptedOut { try await handles[0].setOptedOut(false) }
            try await fleet.pass(100)
            try await fleet.upload()
            try await self.check(fleet, expected, seed)
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
        _ expected: inout Expected,
        _ random: inout SeededGenerator
    ) async throws {
        let index = Int.random(in: 0..<handles.count, using: &random)
        let visitor = handles[index]
        fleet.clock.advance(by: .milliseconds(Int.random(in: 1...400, using: &random)))
        do {
            switch Int.random(in: 0..<14, using: &random) {
            case 0...4:
                try visitor.log(.custom("e-\(step)"))
                expected.logged.insert("e-\(step)")
            case 5, 6:
                handles[index] = try await fleet[index].open()
            case 7:
                let customer = Int.random(in: 0..<3, using: &random)
                // A commit whose answer is lost is tried again after a pause.
                let result = try await fleet.passing { try await visitor.login([.customerID: "c-\(customer)"]) }
                expected.user = result.user.mpid
            case 8:
                // Attributes of the one user who never leaves.
                let mpid = handles[index].allUsers.first { $0.identities[.customerID]?.value == "c-0" }?.mpid
                guard let mpid else { return }
                do {
                    try await visitor.incrementAttribute("n", of: mpid)
                    expected.increments += 1
                } catch {
                    if error.code == .outcomeUnknown { expected.doubtful += 1 }
                    throw error
                }
            case 9:
                try await visitor.setOptedOut(Bool.random(using: &random))
            case 10, 11:
                try await fleet.pass(Int.random(in: 1...70, using: &random))
            case 12:
                try await visitor.refresh()
            default:
                let fault: MemoryStoreFaults.Fault = Bool.random(using: &random) ? .replyLost : .unreachable
                let call = MemoryStoreFaults.Call.allCases.filter { $0 != .leave }.randomElement(using: &random)
                fleet[index].store.faults.inject(fault, on: call, times: Int.random(in: 1...3, using: &random))
            }
        } catch let error as SignetError {
            // Timed out: on a busy machine the clock outruns the time of a slot, and nothing is sent.
            let allowed: Set<SignetError.Code> = [
                .storeUnreachable, .outcomeUnknown, .optedOut, .requestInProgress, .superseded, .storeBusy, .noUser,
                .timedOut, .notSent,
            ]
            #expect(allowed.contains(error.code), "\(error)")
        }
    }

    private func check(_ fleet: TestFleet, _ expected: Expected, _ seed: UInt64) async throws {
        let events = fleet.events
        let names = events.compactMap { $0.type == "custom_event" ? $0.name : nil }
        #expect(Set(names).count == names.count, "An event came twice.")
        let dropped = fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.eventsDropped.values.reduce(0, +) }
        let waiting = fleet.replicas.reduce(0) { $0 + $1.runtime.statistics.eventsWaiting }
        #expect(waiting == 0)
        #expect(expected.logged.isSuperset(of: names))
        #expect(expected.logged.count - names.count <= dropped, "An event is lost.")
        let starts = events.filter { $0.type == "session_start" }.compactMap(\.sessionUUID)
        let ends = events.filter { $0.type == "session_end" }.compactMap(\.sessionUUID)
        #expect(Set(starts).count == starts.count, "A session began twice.")
        #expect(Set(ends).count == ends.count, "A session ended twice.")
        #expect(Set(ends).isSubset(of: Set(starts)) || dropped > 0)
        let row = try #require(fleet.engine.database.rows.values.first?.installation)
        #expect(row.session == nil, "A session is open for ever.")
        let state = try SharedState(decoding: row.state)
        let number = state.identity.directory.entries.values.first { $0.identities[.customerID]?.value == "c-0" }?
            .attributes["n"]
        var count = 0
        if case .integer(let value) = number { count = Int(value) }
        #expect((expected.increments...expected.increments + expected.doubtful).contains(count))
    }
}
