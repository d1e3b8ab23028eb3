// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import SignetEmulator
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// Log-ins of 100 installations on three replicas, which are killed at random and come back.
@Suite(.watched, .serialized) struct RandomKillTests {
    @Test func loginsUnderRandomKillsHaveOneRequestTheRightUserAndLoseNoEvent() async throws {
        let logins = TestScale.count(quick: 400, full: 100_000)
        var generator = SeededGenerator()
        let seeds = (0..<KilledFleet.workers).map { _ in generator.next() }
        try await Fleet.with { fleet in
            let killed = KilledFleet(fleet)
            try await killed.start()
            let results = try await withThrowingTaskGroup(of: KilledFleet.Result.self) { group in
                for (worker, seed) in seeds.enumerated() {
                    group.addTask { try await killed.work(worker, logins / seeds.count, SeededGenerator(seed: seed)) }
                }
                group.addTask { try await killed.killEach(logins / 40, until: logins * 9 / 10) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await killed.deliver()

            let result = results.reduce(KilledFleet.Result()) { $0.merging($1) }
            #expect(result.kills >= 30, "\(result.kills) kills")
            #expect(result.refused > 0, "two replicas asked at once, and one was refused")
            #expect(result.wrongUsers.isEmpty, "another user than those who logged in: \(result.wrongUsers.prefix(5))")
            let arrived = fleet.platform.events.filter { $0.type == "custom_event" }
            let wrong = arrived.filter { event in
                guard let user = result.logged[event.name ?? ""] else {
                    return !result.mayBeLogged.contains(event.name ?? "")
                }
                return user != event.mpid.rawValue
            }
            #expect(wrong.isEmpty, "\(wrong.count) events of another user, or of no call: \(wrong.prefix(3))")
            let lost = Set(result.logged.keys).subtracting(arrived.map { $0.name ?? "" })
            #expect(lost.isEmpty, "\(lost.count) of \(result.logged.count) events are lost: \(lost.sorted().prefix(5))")
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
            print("\(result.logins) logins, \(result.kills) kills, \(result.refused) refused, \(arrived.count) events")
        }
    }
}

/// Three members, and what was asked of them.
private final class KilledFleet: Sendable {
    static let workers = 8
    private static let installations = 100

    /// What the answers said; each worker has its own, for installations of its own.
    struct Result: Sendable {
        var logins = 0
        var refused = 0
        var kills = 0
        var wrongUsers: [String] = []
        /// The user of each event whose `log` has returned.
        var logged: [String: Int64] = [:]
        /// The events whose member was killed during the call.
        var mayBeLogged: Set<String> = []

        func merging(_ other: Result) -> Result {
            var all = self
            all.logins += other.logins
            all.refused += other.refused
            all.kills += other.kills
            all.wrongUsers += other.wrongUsers
            all.logged.merge(other.logged) { first, _ in first }
            all.mayBeLogged.formUnion(other.mayBeLogged)
            return all
        }
    }

    private let fleet: Fleet
    private let members = Locked<[MemberProcess]>([])
    private let done = Locked(0)

    init(_ fleet: Fleet) {
        self.fleet = fleet
    }

    func start() async throws {
        for number in 0..<3 { self.put(try await self.member(number), at: number) }
    }

    private func member(_ number: Int) async throws -> MemberProcess {
        try await self.fleet.member("m\(number)") { $0.requestTimeout = 2 }
    }

    private func put(_ member: MemberProcess, at number: Int) {
        self.members.withLock { members in
            if number < members.count { members[number] = member } else { members.append(member) }
        }
    }

    /// Kills a member after each so many calls and starts it again, until so many were made.
    func killEach(_ calls: Int, until end: Int) async throws -> Result {
        var result = Result()
        var generator = SeededGenerator()
        var next = calls
        while next < end {
            await until("\(next) logins were tried") { self.done.withLock { $0 } >= next }
            let number = Int.random(in: 0..<3, using: &generator)
            await self.members.withLock { $0[number] }.killed()
            self.put(try await self.member(number), at: number)
            result.kills += 1
            next += calls
        }
        return result
    }

    /// Logs customers in, each on a member chosen at random, and logs an event as the user who is then current.
    func work(_ worker: Int, _ logins: Int, _ generator: SeededGenerator) async throws -> Result {
        var generator = generator
        var result = Result()
        let own = (0..<Self.installations).filter { $0 % Self.workers == worker }
        for turn in 0..<logins {
            self.done.withLock { $0 += 1 }
            let id = "v\(own[Int.random(in: 0..<own.count, using: &generator)])"
            let (first, second) = (Int.random(in: 0..<3, using: &generator), Int.random(in: 0..<3, using: &generator))
            let customers = (0..<2).map { _ in "c-\(id)-\(Int.random(in: 0..<4, using: &generator))" }
            // Each tenth is asked of two replicas at once.
            let both = turn % 10 == 0
            async let other = both ? self.login(id, customers[1], on: second) : .failed
            let outcome = await self.login(id, customers[0], on: first)
            if await other == .refused || outcome == .refused { result.refused += 1 }
            result.logins += both ? 2 : 1
            // What one replica has answered, the next request finds on any other.
            let customer = !both && outcome == .succeeded ? customers[0] : nil
            await self.log(id, as: "\(id)-\(turn)", of: customer, on: second, &result)
        }
        return result
    }

    private enum Outcome {
        case succeeded
        /// Another call of the installation was in progress.
        case refused
        /// It failed, or its member was killed: the user may be the one before.
        case failed
    }

    private func login(_ id: String, _ customer: String, on number: Int) async -> Outcome {
        let member = self.members.withLock { $0[number] }
        do {
            guard try await member.call(.open(id, identifies: false)).error == nil else { return .failed }
            switch try await member.call(.login(id, customer: customer)).error {
            case nil: return .succeeded
            case "requestInProgress": return .refused
            default: return .failed
            }
        } catch {
            return .failed
        }
    }

    /// Logs an event as the user whom a member reads; nil for `customer` if that may be another one than the last.
    private func log(
        _ id: String,
        as name: String,
        of customer: String?,
        on number: Int,
        _ result: inout Result
    ) async {
        let member = self.members.withLock { $0[number] }
        do {
            let opened = try await member.call(.open(id, identifies: false))
            guard opened.error == nil, let user = opened.state?.mpid else { return }
            let identities = MPID(rawValue: user).flatMap { self.fleet.platform.emulator.user($0) }?.identities ?? [:]
            let isRight = identities[.customerID]?.contains { customer.map($0.hasPrefix) ?? $0.hasPrefix("c-\(id)-") }
            if isRight != true { result.wrongUsers.append("\(id): \(user), not \(customer ?? "its own")") }
            result.mayBeLogged.insert("\(name)-0")
            let answer = try await member.call(.log(id, count: 1, name: name))
            guard answer.logged == 1, let user = answer.state?.mpid else { return }
            result.mayBeLogged.remove("\(name)-0")
            result.logged["\(name)-0"] = user
        } catch {
            return
        }
    }

    /// Lets each member deliver what waits, and end.
    func deliver() async throws {
        for member in self.members.withLock({ $0 }) {
            try await until("a member has delivered") { try await member.call(.upload).error == nil }
            try await member.expect(.shutdown)
            await member.ended()
        }
    }
}
#endif
