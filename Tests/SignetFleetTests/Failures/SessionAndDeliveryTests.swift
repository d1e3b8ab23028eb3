// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetTestSupport
import Testing
import signet_fleet_member

/// Sessions, opt-outs and events of visitors that wander between replicas.
@Suite(.watched, .serialized) struct SessionAndDeliveryTests {
    @Test(arguments: Fleet.Way.allCases)
    func eachSessionOfWanderingVisitorsBeginsAndEndsOnce(way: Fleet.Way) async throws {
        try await Fleet.with(way) { fleet in
            var members: [MemberProcess] = []
            for name in ["a", "b", "c"] { members.append(try await fleet.member(name) { $0.sessionTimeout = 10 }) }
            var sessions: Set<String> = []
            for visitor in 0..<12 {
                for (turn, member) in members.enumerated() {
                    try await member.expect(.open("v\(visitor)", identifies: true))
                    let answer = try await member.expect(
                        .log("v\(visitor)", count: 1, name: "visit-\(visitor)-\(turn)")
                    )
                    sessions.insert(try #require(answer.state?.session))
                }
            }
            #expect(sessions.count == 12)
            await until("each session has ended") {
                sessions.isSubset(of: fleet.platform.perSession("session_end").keys)
            }
            await until("all events have arrived") { fleet.platform.customEvents.count == 36 }
            #expect(fleet.platform.customEvents.values.allSatisfy { $0 == 1 })
            #expect(fleet.platform.perSession("session_end").values.allSatisfy { $0 == 1 })
            #expect(fleet.platform.perSession("session_start").values.allSatisfy { $0 == 1 })
            #expect(Dictionary(grouping: fleet.platform.identityCalls, by: \.installation).allSatisfy { $1.count == 1 })
            #expect(try await fleet.number("select count(*) from signet.live where session is not null") == 0)
        }
    }

    @Test func anOptOutElsewhereDropsWhatWaits() async throws {
        try await Fleet.with { fleet in
            let a = try await fleet.member("a") { $0.uploadInterval = 600 }
            let b = try await fleet.member("b")
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.login("v", customer: "c-1"))
            try await a.expect(.log("v", count: 3, name: "waits"))
            try await b.expect(.open("v", identifies: false))
            try await b.expect(.setOptedOut("v", true))
            try await b.expect(.setOptedOut("v", false))
            try await a.expect(.upload)
            try await a.expect(.refresh("v"))
            try await a.expect(.log("v", count: 1, name: "later"))
            try await a.expect(.upload)
            #expect(fleet.platform.customEvents == ["later-0": 1])
        }
    }

    @Test func aKilledReplicaLeavesItsSessionsToTheOthers() async throws {
        try await Fleet.with { fleet in
            let a = try await fleet.member("a") { $0.sessionTimeout = 10 }
            _ = try await fleet.member("b") { $0.sessionTimeout = 10 }
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.login("v", customer: "c-1"))
            let session = try #require(try await a.expect(.log("v", count: 1, name: "visit")).state?.session)
            await a.killed()
            await until("the other replica has ended the session") {
                fleet.platform.perSession("session_end")[session] != nil
            }
            let again = try await fleet.member("a") { $0.sessionTimeout = 10 }
            try await again.expect(.upload)
            #expect(fleet.platform.customEvents == ["visit-0": 1])
            #expect(fleet.platform.perSession("session_end")[session] == 1)
        }
    }

    /// The reply to its commit is lost, so that the row has the end of the session and its journal has not; then it is killed.
    @Test func theEndThatAKilledReplicaHasDecidedAnotherOneLogsAfterAMinute() async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            var decided: String?
            for attempt in 0..<5 where decided == nil {
                let name = "v\(attempt)"
                if try await fleet.decidesAndDies(name, by: .endSession(name)) { decided = name }
            }
            let name = try #require(decided)
            let b = try await fleet.member("b")
            // Within the minute it is the work of the replica that decided.
            try await fleet.look(at: name, replicas: 1)
            try await b.expect(.upload)
            #expect(fleet.platform.perSession("session_end").isEmpty)
            try await fleet.setClock(ahead: 61)
            await until("the other replica has logged the end") {
                !fleet.platform.perSession("session_end").isEmpty
            }
            try await until("nothing is left to take over") {
                let row = "from signet.live where k = \(Fleet.key(name))"
                return try await fleet.number("select (outbox = '' and look is null)::int \(row)") == 1
            }
            let again = try await fleet.member(name)
            try await again.expect(.upload)
            #expect(fleet.platform.perSession("session_end").map(\.value) == [1])
            #expect(fleet.platform.customEvents.filter { $0.key.hasPrefix(name) } == ["\(name)-0": 1, "\(name)-1": 1])
        }
    }

    @Test func aRollingDeployUnderLoadLosesNothing() async throws {
        try await Fleet.with { fleet in
            var members: [MemberProcess] = []
            for number in 0..<3 { members.append(try await fleet.member("m\(number)")) }
            var names: Set<String> = []
            for round in 0..<6 {
                if round == 2 { for number in 3..<6 { members.append(try await fleet.member("m\(number)")) } }
                // Four go while the others are at work.
                let leaving = round == 4 ? Array(members.prefix(4)) : []
                members.removeFirst(leaving.count)
                let logged = try await withThrowingTaskGroup(of: [String].self) { group in
                    for member in leaving {
                        group.addTask {
                            try await member.expect(.shutdown)
                            await member.ended()
                            return []
                        }
                    }
                    for visitor in 0..<24 {
                        let member = members[(visitor + round) % members.count]
                        group.addTask {
                            let (id, name) = ("v\(visitor)", "round-\(round)-\(visitor)")
                            try await member.expect(.open(id, identifies: true))
                            try await member.expect(.log(id, count: 1, name: name))
                            return [name + "-0"]
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                names.formUnion(logged)
            }
            await until("all events have arrived") { names.isSubset(of: fleet.platform.customEvents.keys) }
            #expect(fleet.platform.customEvents == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
            let calls = Dictionary(grouping: fleet.platform.identityCalls, by: \.installation)
            #expect(calls.count == 24 && calls.allSatisfy { $1.count == 1 }, "no storm of identifies")
            #expect(fleet.platform.perSession("session_start").values.allSatisfy { $0 == 1 })
            #expect(try await fleet.number("select count(distinct session) from signet.live") == 24)
        }
    }
}
#endif
