// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetTestSupport
import SignetTransport
import Testing
import signet_fleet_member

/// What sessions count after a crash of the database, and who logs the opt-out of a replica that is gone.
@Suite(.watched, .serialized) struct CrashAndTakeoverTests {
    // MARK: - A crash of the database

    /// The moment of a crash, after events were logged.
    enum Crash: CaseIterable {
        /// At once: perhaps no flush has told of them.
        case atOnce
        /// After the flush that told of them was answered; the disk may not have it.
        case afterTheAnswer
        /// After a flush that the disk has and whose answer was lost: it goes again.
        case withoutAnAnswer
    }

    @Test(arguments: Crash.allCases)
    func aCrashOfTheEngineCountsNoEventTwiceAndKeepsWhatIsOnItsDisk(crash: Crash) async throws {
        // What nobody waits for is written as late as can be, so that a crash takes it along.
        let server = try await PostgresServer.start(settings: ["wal_writer_delay = 10s"])
        try await Fleet.with(server) { fleet in
            let proxy = try TCPProxy(to: server.port)
            let a = try await fleet.member("a", port: proxy.port)
            try await a.expect(.open("v", identifies: false))
            let state = try await a.expect(.login("v", customer: "c-1")).state
            let session = try #require(state?.session)
            try await fleet.told(by: 1)
            let flushed = try await Self.told(fleet) + 5
            try await a.expect(.log("v", count: 5, name: "before"))
            try await until("a flush has told of the events") { try await Self.told(fleet) >= flushed }
            #expect(try await Self.told(fleet) == flushed)
            try await server.sql("checkpoint")

            var logged = 5
            switch crash {
            case .atOnce:
                try await a.expect(.log("v", count: 5, name: "after"))
            case .afterTheAnswer:
                try await a.expect(.log("v", count: 5, name: "after"))
                try await until("a flush has told of the rest") { try await Self.told(fleet) >= flushed + 5 }
            case .withoutAnAnswer:
                logged = try await Self.logUnanswered(on: a, proxy, fleet)
                try await server.sql("checkpoint")
            }
            try await server.crash()
            proxy.set(.passes)
            try await server.start()
            try await fleet.told(by: 1)
            let counted = try await Self.told(fleet)
            #expect((flushed...flushed + logged).contains(counted), "\(counted), not \(flushed) to \(flushed + logged)")
            if crash == .withoutAnAnswer { #expect(counted == flushed + logged) }
            // Nor do later flushes tell of them once more.
            try await fleet.told(by: 1)
            #expect(try await Self.told(fleet) == counted)

            // A replica that knows the row alone ends the session.
            let b = try await fleet.member("b")
            try await b.expect(.open("v", identifies: false))
            try await b.expect(.endSession("v"))
            for member in [a, b] { try await member.expect(.upload) }
            let platform = fleet.platform
            await until("all events have arrived") { platform.customEvents.count >= 5 + logged }
            #expect(platform.customEvents.count == 5 + logged)
            #expect(platform.customEvents.values.allSatisfy { $0 == 1 })
            #expect(platform.perSession("session_end") == [session: 1])
            let inSession = platform.events.filter { $0.sessionUUID?.lowercased() == session }
            let events = inSession.filter { $0.type != "session_start" && $0.type != "session_end" }
            let end = try #require(inSession.first { $0.type == "session_end" })
            let count = try #require(Int(end.customAttributes["$EventCount"] ?? ""))
            #expect(count == counted && count <= events.count, "\(count) of \(events.count), in the row \(counted)")
            // It is at least as long as the events that it counts, and ends with the call at the latest.
            let start = try #require(inSession.first { $0.type == "session_start" }).timestamp
            let before = try #require(events.first { $0.name == "before-4" }).timestamp - start
            let last = end.timestamp - start
            let length = try #require(end.data["session_duration_ms"]?.number?.int64)
            #expect(before <= length && length <= last, "\(length), not \(before) to \(last)")
        }
    }

    /// Logs events, and lets the answer to the flush that tells of them be lost.
    ///
    /// - Returns: The number of events.
    private static func logUnanswered(on a: MemberProcess, _ proxy: TCPProxy, _ fleet: Fleet) async throws -> Int {
        let before = try await Self.told(fleet)
        var logged = 0
        var isTold = false
        for attempt in 0..<5 where !isTold {
            // After one without events that lost its answer, none tells of them until that one is answered.
            proxy.set(.passes)
            // Right after a flush: most of a second is left before the next one.
            try await fleet.told(by: 1)
            try await a.expect(.log("v", count: 5, name: "after-\(attempt)"))
            proxy.set(.dropsReplies(after: 0))
            logged += 5
            let all = before + logged
            let limit = try await fleet.number(Fleet.now) + 5000
            try await until("a flush has told of them, or one without them has lost its answer") {
                isTold = try await Self.told(fleet) >= all
                let now = try await fleet.number(Fleet.now)
                return isTold || now > limit
            }
        }
        #expect(isTold)
        return logged
    }

    /// The number of events that flushes have told of, by the row.
    private static func told(_ fleet: Fleet) async throws -> Int {
        try await fleet.number("select events from signet.live where k = \(Fleet.key("v"))")
    }

    // MARK: - The event of an opt-out

    /// The reply to its commit is lost, so that the row has the opt-out and its journal has not; then it is killed.
    @Test func theOptOutThatAKilledReplicaHasDecidedAnotherOneLogsAfterAMinute() async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            var decided: String?
            for attempt in 0..<5 where decided == nil {
                let name = "v\(attempt)"
                if try await fleet.decidesAndDies(name, by: .setOptedOut(name, true)) { decided = name }
            }
            let name = try #require(decided)
            let due = try await fleet.dueOptOuts(of: name)
            #expect(due.count == 1)
            let b = try await fleet.member("b")
            try await Self.leavesAlone(name, b, fleet)
            #expect(Self.optOuts(fleet).isEmpty)
            try await Self.takesOver(name, b, fleet)
            #expect(Self.optOuts(fleet) == due)
            let again = try await fleet.member(name)
            try await again.expect(.upload)
            #expect(Self.optOuts(fleet) == due)
        }
    }

    /// What becomes of a replica that has logged an opt-out, before the row says so.
    enum Fate: CaseIterable {
        case isKilled
        case standsStill
    }

    @Test(arguments: Fate.allCases)
    func anOptOutThatTwoReplicasLogHasOneID(fate: Fate) async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            var found: (name: String, replica: MemberProcess)?
            for attempt in 0..<5 where found == nil {
                let name = "v\(attempt)"
                let replica = try await fleet.member(name)
                try await replica.expect(.open(name, identifies: false))
                try await replica.expect(.login(name, customer: "c-\(name)"))
                // Right after a flush: most of a second is left before the next one, which clears the row.
                try await fleet.told(by: 1)
                try await replica.expect(.setOptedOut(name, true))
                switch fate {
                case .isKilled: await replica.killed()
                case .standsStill:
                    replica.signal(SIGSTOP)
                    await replica.stopped()
                }
                let due = try await fleet.dueOptOuts(of: name)
                if due.isEmpty { await replica.killed() } else { found = (name, replica) }
            }
            guard let (name, replica) = found else {
                Issue.record("each replica has cleared its row first")
                return
            }
            let due = try await fleet.dueOptOuts(of: name)
            #expect(due.count == 1)
            let b = try await fleet.member("b")
            try await Self.leavesAlone(name, b, fleet)
            try await Self.takesOver(name, b, fleet)
            #expect(Set(Self.optOuts(fleet)) == Set(due))
            let back: MemberProcess
            switch fate {
            case .isKilled: back = try await fleet.member(name)
            case .standsStill:
                back = replica
                replica.signal(SIGCONT)
            }
            try await until("the replica has sent what it has") { try await back.call(.upload).error == nil }
            let arrived = Self.optOuts(fleet)
            #expect(Set(arrived) == Set(due), "\(arrived), not \(due)")
            #expect((1...2).contains(arrived.count), "\(arrived)")
        }
    }

    /// Lets a replica look at a row in whose outbox nothing is old enough.
    private static func leavesAlone(_ name: String, _ replica: MemberProcess, _ fleet: Fleet) async throws {
        try await fleet.look(at: name, replicas: 1)
        try await replica.expect(.upload)
        let row = "from signet.live where k = \(Fleet.key(name))"
        #expect(try await fleet.number("select (outbox <> '')::int \(row)") == 1)
    }

    /// Lets a minute go by, after which a replica must log what is in the outbox of a row.
    private static func takesOver(_ name: String, _ replica: MemberProcess, _ fleet: Fleet) async throws {
        try await fleet.setClock(ahead: 61)
        try await until("nothing is left to take over") {
            let row = "from signet.live where k = \(Fleet.key(name))"
            return try await fleet.number("select (outbox = '' and look is null)::int \(row)") == 1
        }
        try await replica.expect(.upload)
    }

    /// The ids of the opt-outs that have arrived, in any order.
    private static func optOuts(_ fleet: Fleet) -> [String] {
        fleet.platform.events.filter { $0.type == "opt_out" }.compactMap(\.messageID)
    }
}
#endif
