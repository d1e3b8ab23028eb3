// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// A store that is away for a moment, slow, damaged in one row, or that has lost a removal.
@Suite(.watched, .serialized) struct StoreAwayTests {
    // MARK: - Between the platform's answer and the commit

    @Test func anAnswerIsCommittedOnceTheStoreIsBackWithinTheSlot() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await Self.patient(fleet, port: proxy.port)
            try await Self.logIn(on: a, fleet) {
                proxy.set(.refuses)
            } comeBack: {
                // Long enough for a commit that is tried once to fail for good.
                try await fleet.pass()
                #expect(try await SlotTests.slotMilliseconds(fleet) > 0)
                proxy.set(.passes)
            }
        }
    }

    /// The way in which a server ends.
    enum Ending: CaseIterable {
        case inOrder
        case crash
    }

    @Test(arguments: Ending.allCases)
    func aServerThatIsBackWithinTheSlotTakesTheAnswerThatWaited(ending: Ending) async throws {
        let server = try await PostgresServer.start()
        try await Fleet.with(server) { fleet in
            let a = try await Self.patient(fleet)
            try await Self.logIn(on: a, fleet) {
                switch ending {
                case .inOrder: try await server.stop()
                case .crash: try await server.crash()
                }
            } comeBack: {
                #expect(try await a.call(.refresh("v")).error == "storeUnreachable")
                try await server.start()
            }
        }
    }

    /// A replica whose slots last 35 seconds: the store is back before, on a busy machine too.
    private static func patient(_ fleet: Fleet, port: Int? = nil) async throws -> MemberProcess {
        try await fleet.member("a", port: port) { $0.requestTimeout = 30 }
    }

    /// Logs a visitor in as another customer, while the store goes away between the platform's answer and the commit.
    ///
    /// - Parameters:
    ///   - a: The replica.
    ///   - fleet: The fleet.
    ///   - goAway: Takes the store away.
    ///   - comeBack: Brings it back, after the platform has answered.
    /// - Throws: The errors of the test.
    private static func logIn(
        on a: MemberProcess,
        _ fleet: Fleet,
        goAway: () async throws -> Void,
        comeBack: () async throws -> Void
    ) async throws {
        try await a.expect(.open("v", identifies: false))
        let before = try #require(try await a.expect(.login("v", customer: "c-1")).state)
        let calls = fleet.platform.identityCalls.count
        let gate = EmulatorGate()
        fleet.platform.emulator.faults.inject(.held(gate), on: .login)
        async let login = a.call(.login("v", customer: "c-2"))
        await gate.arrived()
        try await goAway()
        gate.open()
        await until("the platform has answered") { fleet.platform.inFlight(before.stamp) == 0 }
        try await comeBack()
        let answer = try await login
        #expect(answer.error == nil, "\(answer)")
        let number = try #require(answer.state?.mpid)
        #expect(number != before.mpid)
        let user = try number.user
        #expect(fleet.platform.emulator.user(user)?.identities[.customerID] == ["c-2"])
        // The commit went again, and not the login.
        #expect(fleet.platform.identityCalls.dropFirst(calls).map(\.route) == ["login"])
        #expect(try await fleet.number("select count(*) from signet.mention where mpid = \(number)") == 1)
        #expect(try await SlotTests.slotMilliseconds(fleet) == 0)
        let b = try await fleet.member("b")
        #expect(try await b.expect(.open("v", identifies: false)).state?.mpid == number)
    }

    // MARK: - A slow store

    /// What became of an open.
    private struct Refusal: Sendable {
        let error: String?
        let time: Duration
    }

    private static let refusals: Set<String?> = ["storeUnreachable", "storeBusy"]

    @Test func manyOpensAtOnceOnASlowStoreAreRefusedAndNoneHangs() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port)
            try await a.expect(.open("v", identifies: false))
            let ids = (0..<32).map { "w\($0)" }
            proxy.set(.delaysReplies(.seconds(60)))
            let began = ContinuousClock.now
            let refused: [Refusal] = try await withThrowingTaskGroup(of: Refusal.self) { group in
                for id in ids {
                    group.addTask {
                        // One that is opened asks the platform who the visitor is.
                        let error = try await a.call(.open(id, identifies: true)).error
                        return Refusal(error: error, time: began.duration(to: .now))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(refused.allSatisfy { Self.refusals.contains($0.error) }, "\(refused)")
            // A second each, for two readings at a time, would be 16 seconds.
            let last = refused.map(\.time).max() ?? .zero
            #expect(last < .seconds(8), "the last one is refused after \(last)")
            #expect(try await fleet.number("select count(*) from signet.live") == 1)
            #expect(fleet.platform.identityCalls.isEmpty)

            proxy.set(.passes)
            for id in ids {
                try await until("the store is fast again") {
                    try await a.call(.open(id, identifies: false)).error == nil
                }
            }
            #expect(try await fleet.number("select count(*) from signet.live") == ids.count + 1)
            // Nor is anything of the refused ones sent later.
            #expect(fleet.platform.identityCalls.isEmpty)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids {
                    group.addTask {
                        try await until("a log-in goes through") {
                            try await a.call(.login(id, customer: "c-\(id)")).error == nil
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(fleet.platform.identityCalls.map(\.installation)).count == ids.count)
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    // MARK: - A row that cannot be read

    @Test func aRowThatCannotBeReadHoldsUpItsOwnEventsAlone() async throws {
        try await Fleet.with { fleet in
            let a = try await fleet.member("a") { $0.uploadInterval = 600 }
            var users: [String: Int64] = [:]
            for name in ["first", "damaged", "last"] {
                try await a.expect(.open(name, identifies: false))
                users[name] = try await a.expect(.login(name, customer: "c-\(name)")).state?.mpid
                try await a.expect(.log(name, count: 2, name: name))
            }
            #expect(fleet.platform.customEvents.isEmpty)
            let row = "where k = \(Fleet.key("damaged"))"
            // No format begins with this byte.
            try await fleet.server.sql(
                "update signet.installation set state = '\\xff'::bytea || state \(row)",
                in: fleet.database
            )
            let others = ["first-0", "first-1", "last-0", "last-1"]
            try await until("the events of the others have arrived") {
                let paused = try await a.call(.upload)
                #expect(paused.error == "uploadPaused")
                return Set(others).isSubset(of: fleet.platform.customEvents.keys)
            }
            // Later ones, too.
            try await a.expect(.log("last", count: 1, name: "later"))
            try await until("the later event has arrived") {
                let paused = try await a.call(.upload)
                #expect(paused.error == "uploadPaused")
                return fleet.platform.customEvents["later-0"] != nil
            }
            var expected = Dictionary(uniqueKeysWithValues: (others + ["later-0"]).map { ($0, 1) })
            #expect(fleet.platform.customEvents == expected)
            try await fleet.server.sql(
                "update signet.installation set state = substring(state from 2) \(row)",
                in: fleet.database
            )
            try await until("nothing waits any more") { try await a.call(.upload).error == nil }
            for name in ["damaged-0", "damaged-1"] { expected[name] = 1 }
            #expect(fleet.platform.customEvents == expected)
            let owner = try #require(users["damaged"])
            let late = fleet.platform.events.filter { $0.name?.hasPrefix("damaged-") == true }
            #expect(late.allSatisfy { $0.mpid.rawValue == owner })
        }
    }

    // MARK: - A removal that is lost

    @Test func aRemovalThatAFailoverHasLostIsMadeAgain() async throws {
        let server = try await PostgresServer.start()
        try await Fleet.with(server) { fleet in
            let replication = try TCPProxy(to: server.port)
            let standby = try await server.startStandby(primary: replication.port)
            let url = Secret(
                "postgres://postgres@127.0.0.1:\(server.port),127.0.0.1:\(standby)/\(fleet.database)?sslmode=disable"
            )
            let (a, b) = (try await fleet.member("a", url: url), try await fleet.member("b", url: url))
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            let before = try #require(try await a.expect(.login("v", customer: "c-1")).state)
            let user = try #require(before.mpid)
            await until("the standby has the user") { await Self.mentions(user, standby, fleet) }
            replication.set(.holds)
            try await a.expect(.remove("v"))
            #expect(try await Self.rows(of: "v", fleet) == 0)
            try await server.crash()
            try await server.promoteStandby(at: standby)
            #expect(try await Self.rows(of: "v", fleet, at: standby) >= 3, "the row is there again")

            try await until("the other replica reads from the new primary") {
                try await b.call(.refresh("v")).error == nil
            }
            #expect(try await b.expect(.state("v")).state?.mpid == user)
            try await until("the replica that has removed it opens it") {
                try await a.call(.open("v", identifies: false)).error == nil
            }
            let again = try #require(try await a.expect(.state("v")).state)
            #expect(again.mpid == user && again.stamp == before.stamp)
            try await a.expect(.log("v", count: 1, name: "again"))
            await until("its event has arrived") { fleet.platform.customEvents["again-0"] != nil }
            try await a.expect(.remove("v"))
            #expect(try await Self.rows(of: "v", fleet, at: standby) == 0)
            #expect(fleet.platform.customEvents == ["again-0": 1])

            #expect(try await b.call(.refresh("v")).error == "closed")
            let next = try #require(try await b.expect(.open("v", identifies: false)).state)
            #expect(next.mpid == nil && next.stamp != before.stamp)
            for member in [a, b] {
                try await member.expect(.upload)
                #expect(member.exitCode == nil)
            }
        }
    }

    /// True if a standby has a row that mentions a user.
    private static func mentions(_ user: Int64, _ standby: Int, _ fleet: Fleet) async -> Bool {
        do {
            let sql = "select count(*) from signet.mention where mpid = \(user)"
            try await fleet.server.run(
                "[ $(as psql -qXAt -h $folder -p \(standby) -U postgres -d \(fleet.database) -c '\(sql)') = 1 ]"
            )
            return true
        } catch {
            return false
        }
    }

    /// The number of rows of an installation in all tables.
    private static func rows(of id: String, _ fleet: Fleet, at port: Int? = nil) async throws -> Int {
        let counts = ["live", "installation", "mention"].map { table in
            "(select count(*) from signet.\(table) where k = \(Fleet.key(id)))"
        }
        return try await fleet.number(counts.joined(separator: " + "), at: port)
    }
}
#endif
