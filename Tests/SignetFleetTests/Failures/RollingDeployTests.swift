// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// Replicas that end in order and start again, one after the other, while sessions fall due.
@Suite(.watched, .serialized) struct RollingDeployTests {
    private static let visitors = Array(0..<24)

    @Test func aRollingDeployEndsEachSessionThatFallsDueOnce() async throws {
        try await Fleet.with { fleet in
            var members: [MemberProcess] = []
            for number in 0..<3 { members.append(try await Self.replica(number, fleet)) }
            var all = try await Self.visit(Self.visitors, on: members, "first")
            var undecided = 0
            for number in 0..<3 {
                // There is one format of rows so far: two versions differ in the fields that they know.
                if number == 1 { try await Self.writeNewerField(fleet) }
                undecided += try await Self.fallDue(all.sessions, fleet)
                let leaving = members.remove(at: number)
                let staying = members
                let (loggingIn, comingLast) = (Self.third(number), Self.third(number + 1))
                // The sessions of the third that stays away are for the replicas to find, the one that leaves among them.
                async let restarted = Self.restart(leaving, number, after: comingLast, fleet)
                async let logins = Self.visit(loggingIn, on: staying, "login-\(number)", logsIn: true)
                let (replica, left) = try await restarted
                members.insert(replica, at: number)
                all.add(left)
                all.add(try await logins)
                all.add(try await Self.visit(Self.visitors, on: members, "after-\(number)", turn: number + 1))
            }
            let (platform, visits) = (fleet.platform, all)
            await until("each session has ended") {
                let begun = Set(platform.events.compactMap { $0.sessionUUID?.lowercased() })
                return visits.sessions.union(begun).isSubset(of: platform.perSession("session_end").keys)
            }
            await until("all events have arrived") { platform.customEvents.count >= visits.names.count }
            // What a replica that ended in order had left to do, another one would do once more.
            try await until("nothing is left to take over") {
                try await fleet.number("select count(*) from signet.live where outbox <> ''") == 0
            }
            for member in members { try await member.expect(.upload) }

            #expect(platform.customEvents == Dictionary(uniqueKeysWithValues: visits.names.map { ($0, 1) }))
            let ends = Dictionary(grouping: platform.events.filter { $0.type == "session_end" }) { event in
                event.sessionUUID ?? ""
            }
            #expect(ends.values.allSatisfy { Set($0.compactMap(\.messageID)).count == 1 }, "each end has one id")
            #expect(ends.values.allSatisfy { $0.count == 1 }, "no replica was killed: each end arrives once")
            #expect(platform.perSession("session_start").values.allSatisfy { $0 == 1 })
            #expect(visits.sessions.count >= 4 * Self.visitors.count, "each round of visits finds the sessions over")
            #expect(undecided > 0, "replicas left while sessions were due")
            #expect(try await fleet.number("select count(*) from signet.live where session is not null") == 0)

            #expect(!platform.identityCalls.contains { $0.overlapped })
            let logins = platform.identityCalls.filter { $0.route == "login" }
            #expect(Set(logins.map(\.installation)).count == Self.visitors.count)
            for visitor in Self.visitors {
                let event = try #require(platform.events.first { $0.name == "after-2-\(visitor)-0" })
                let identities = platform.emulator.user(event.mpid)?.identities ?? [:]
                #expect(identities[.customerID] == ["c-\(visitor)"])
            }
            let newer = "position(decode('\(Self.newerField)', 'hex') in state) > 0"
            let kept = try await fleet.number("select count(*) from signet.installation where \(newer)")
            #expect(kept == Self.visitors.count, "a field of a newer version has gone")
        }
    }

    private static func replica(_ number: Int, _ fleet: Fleet) async throws -> MemberProcess {
        try await fleet.member("m\(number)") { $0.sessionTimeout = 10 }
    }

    /// Every third visitor.
    private static func third(_ number: Int) -> [Int] {
        Self.visitors.filter { $0 % 3 == number % 3 }
    }

    // MARK: - Visits

    /// What visits leave.
    private struct Visits: Sendable {
        /// The names of their events.
        var names: [String] = []
        var sessions: Set<String> = []

        mutating func add(_ other: Visits) {
            self.names += other.names
            self.sessions.formUnion(other.sessions)
        }
    }

    /// Lets visitors come at once, and each log an event.
    ///
    /// - Parameters:
    ///   - visitors: The visitors.
    ///   - replicas: The replicas that they are spread over.
    ///   - label: The begin of the names of their events.
    ///   - turn: Another turn leads a visitor to another replica.
    ///   - logsIn: True if they log in before their events, on all of the replicas.
    /// - Returns: What they leave.
    /// - Throws: What a process throws.
    private static func visit(
        _ visitors: [Int],
        on replicas: [MemberProcess],
        _ label: String,
        turn: Int = 0,
        logsIn: Bool = false
    ) async throws -> Visits {
        try await withThrowingTaskGroup(of: Visits.self) { group in
            for visitor in visitors {
                let replica = replicas[(visitor / 3 + turn) % replicas.count]
                group.addTask {
                    let (id, name) = ("v\(visitor)", "\(label)-\(visitor)")
                    if logsIn { try await Self.logIn(visitor, on: replicas) }
                    try await replica.expect(.open(id, identifies: true))
                    let answer = try await replica.expect(.log(id, count: 1, name: name))
                    return Visits(names: [name + "-0"], sessions: [try #require(answer.state?.session)])
                }
            }
            return try await group.reduce(into: Visits()) { $0.add($1) }
        }
    }

    /// Logs a visitor in on replicas at once: one request may be under way, and one at least goes through.
    private static func logIn(_ visitor: Int, on replicas: [MemberProcess]) async throws {
        let id = "v\(visitor)"
        for replica in replicas { try await replica.expect(.open(id, identifies: false)) }
        let errors: [String?] = try await withThrowingTaskGroup(of: String?.self) { group in
            for replica in replicas {
                group.addTask { try await replica.call(.login(id, customer: "c-\(visitor)")).error }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.contains(nil), "\(errors)")
    }

    /// Lets a replica end in order right after visits, and start again in its directory.
    ///
    /// - Parameters:
    ///   - replica: The replica.
    ///   - number: Its number.
    ///   - visitors: The visitors who come before; neither their sessions nor their events are told when it ends.
    ///   - fleet: The fleet.
    /// - Returns: The new process, and what the visits left.
    /// - Throws: What a process or the server throws.
    private static func restart(
        _ replica: MemberProcess,
        _ number: Int,
        after visitors: [Int],
        _ fleet: Fleet
    ) async throws -> (MemberProcess, Visits) {
        let left = try await Self.visit(visitors, on: [replica], "leaving-\(number)")
        try await replica.expect(.shutdown)
        await replica.ended()
        return (try await Self.replica(number, fleet), left)
    }

    /// Returns when sessions have begun and are over, by the database's clock.
    ///
    /// - Returns: The number of sessions whose end no replica has decided yet.
    private static func fallDue(_ sessions: Set<String>, _ fleet: Fleet) async throws -> Int {
        await until("each session has begun") {
            sessions.isSubset(of: fleet.platform.perSession("session_start").keys)
        }
        let open = "select count(*) from signet.live where session is not null"
        try await until("each session is over") {
            try await fleet.number("\(open) and last + 10000 > \(Fleet.now)") == 0
        }
        return try await fleet.number(open)
    }

    // MARK: - A newer version

    /// A field as a row has it: bytes with the name "seal".
    private static let newerField = "a47365616c040001feff"

    /// Writes a field of a newer version into each row, as a replica of that version does: with a new tag.
    private static func writeNewerField(_ fleet: Fleet) async throws {
        // One transaction, with the locks in the order that replicas take them in.
        try await fleet.server.sql(
            """
            select from signet.live order by k for update;
            update signet.live set tag = gen_random_uuid();
            update signet.live set tags = (array_prepend(tag, tags))[1:16];
            update signet.installation
                set state = substring(state from 1 for length(state) - 1) || decode('\(Self.newerField)00', 'hex')
            """,
            in: fleet.database
        )
    }
}
#endif
