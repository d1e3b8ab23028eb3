// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import SignetFleetSupport
import SignetTestSupport
import Testing
import signet_fleet_member

/// A replica that is killed while it takes a user out of many rows.
@Suite(.watched, .serialized) struct UnfinishedErasureTests {
    enum Finisher: CaseIterable {
        case itsNextStart
        /// The killed one never comes back.
        case anotherReplica
    }

    private static let visitors = 20

    @Test(arguments: Finisher.allCases)
    func anErasureWhoseReplicaIsKilledInTheMiddleIsFinished(finisher: Finisher) async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            let mpid = try await Self.killInTheMiddle(fleet)
            // One that starts after the clock went ahead takes the killed one for dead.
            if finisher == .anotherReplica { try await fleet.setClock(ahead: 61) }
            let next = try await fleet.member(finisher == .itsNextStart ? "a" : "b")
            try await until("the erasure is through") {
                let acknowledged = "signet.erasure e join signet.erased d on d.erasure = e.id where e.rows_done"
                return try await fleet.number("select count(*) from \(acknowledged)") == 1
            }
            #expect(try await fleet.number("select count(*) from signet.mention where mpid = \(mpid)") == 0)
            // Nobody is this user on a row that the killed one had not reached.
            for number in 0..<Self.visitors {
                let visitor = "v\(number)"
                let state = try await next.expect(.open(visitor, identifies: false)).state
                #expect(state?.mpid == nil, "\(visitor)")
            }
        }
    }

    /// Logs one user in on many installations, and kills the replica that erases the user when some rows have forgotten them.
    ///
    /// - Returns: The user.
    private static func killInTheMiddle(_ fleet: Fleet) async throws -> Int64 {
        let a = try await fleet.member("a")
        var user: Int64?
        for number in 0..<Self.visitors {
            try await a.expect(.open("v\(number)", identifies: false))
            user = try await a.expect(.login("v\(number)", customer: "c-1")).state?.mpid
        }
        let mpid = try #require(user)
        // Each row takes its time.
        try await fleet.server.sql(
            """
            create function signet.slow() returns trigger language plpgsql as
                'begin perform pg_sleep(0.1); return old; end';
            create trigger slow before delete on signet.mention for each row execute function signet.slow();
            """,
            in: fleet.database
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Killed, it answers nothing.
                do { _ = try await a.call(.erase(mpid)) } catch is MemberProcess.Ended { return }
                Issue.record("the erasure has ended")
            }
            let left = "select count(*) from signet.mention where mpid = \(mpid)"
            try await until("some rows have forgotten the user") {
                try await (1..<Self.visitors).contains(fleet.number(left))
            }
            await a.killed()
            try await group.waitForAll()
        }
        try await fleet.server.sql("drop trigger slow on signet.mention", in: fleet.database)
        let left = try await fleet.number("select count(*) from signet.mention where mpid = \(mpid)")
        #expect((1..<Self.visitors).contains(left), "\(left)")
        #expect(try await fleet.number("select count(*) from signet.erasure where not rows_done") == 1)
        #expect(try await fleet.number("select count(*) from signet.erased") == 0)
        return mpid
    }
}
#endif
