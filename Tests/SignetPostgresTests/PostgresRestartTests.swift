// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// A server that is restarted while many calls are under way.
@Suite(.watched, .serialized) struct PostgresRestartTests {
    @Test func restartsUnderLoadEndEachCallAndLoseAndRepeatNoCommit() async throws {
        let server = try await PostgresServer.start()
        let database = try await server.makeDatabase()
        // In the transaction of a commit: a line for each time that a row gets a tag.
        try await server.sql(
            """
            create table public.applied (k uuid not null, tag uuid not null);
            create function public.note_tag() returns trigger language plpgsql
                as 'begin insert into public.applied values (new.k, new.tag); return null; end';
            create trigger note_tag after insert or update of tag on signet.live
                for each row execute function public.note_tag()
            """,
            in: database
        )
        let proxy = try TCPProxy(to: server.port)
        let store = try PostgresBadDaysTests.store(
            Secret("postgres://postgres@127.0.0.1:\(proxy.port)/\(database)?sslmode=disable"),
            connections: 4,
            limit: .seconds(2)
        )
        let load = RestartLoad(store)
        let reports: [RestartLoad.Report] = try await withThrowingTaskGroup(of: RestartLoad.Report.self) { group in
            for _ in 0..<8 { group.addTask { await load.visit() } }
            for mode in ["fast", "immediate", "fast", "immediate"] {
                await Self.loseReplies(proxy, load)
                await load.goesOn()
                try await server.run("as pg_ctl -D $folder/data -w -m \(mode) stop")
                try await server.start()
            }
            await load.goesOn()
            load.end()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await store.close()

        for report in reports {
            #expect(report.faults.isEmpty, "\(report.faults.count) faults: \(report.faults.prefix(3))")
            #expect(!report.failures.isEmpty, "it was there while the server was not")
        }
        #expect(reports.contains { $0.found > 0 }, "a commit whose answer was lost has happened")
        let direct = try PostgresBadDaysTests.store(server.url(database))
        let applied = try await Self.applied(direct)
        #expect(applied.values.allSatisfy { $0 == 1 }, "a commit was carried out twice")
        #expect(Set(reports.flatMap(\.done)) == Set(applied.keys))
        for report in reports {
            #expect(report.undone.allSatisfy { applied[$0] == nil }, "what was said not to have happened has happened")
            let row = try #require(try await direct.read([report.key]).value.first)
            #expect(row.tag == report.done.last)
            #expect(row.state == RestartLoad.state(report.done.count))
        }
        await direct.close()
    }

    /// Lets calls lose their answers, those of some commits among them.
    private static func loseReplies(_ proxy: TCPProxy, _ load: RestartLoad) async {
        for _ in 0..<4 {
            await load.goesOn()
            proxy.set(.resetsReplies)
            await until("an answer is lost") { proxy.replyBytes > 0 || load.isOver }
            proxy.set(.passes)
        }
    }

    /// The number of times that each commit was carried out, by its tag.
    private static func applied(_ store: PostgresStore) async throws -> [UUID: Int64] {
        let statement = PostgresStatement("select tag, count(*)::bigint from public.applied group by tag")
        var applied: [UUID: Int64] = [:]
        for row in try await store.answer(statement, until: store.deadline).rows {
            let tag = try #require(row.uuid(0))
            applied[tag] = row.integer(1)
        }
        return applied
    }
}

/// Visitors who change rows of their own without a pause.
private final class RestartLoad: Sendable {
    /// What one visitor was told.
    struct Report: Sendable {
        let key = UUID()
        /// The tags of commits that were answered as done, or that the row has after a lost answer, in their order.
        var done: [UUID] = []
        /// The tags of commits of which the store said that nothing has happened.
        var undone: [UUID] = []
        /// The number of commits whose answer was lost, and that the row has.
        var found = 0
        /// The codes of calls that failed.
        var failures: Set<SharedStoreError.Code> = []
        /// What must not be.
        var faults: [String] = []

        private static let expected: Set<SharedStoreError.Code> = [.unreachable, .outcomeUnknown, .busy]

        /// Notes a call that failed.
        ///
        /// - Returns: True if the visitor must leave over it.
        mutating func note(_ error: SharedStoreError) -> Bool {
            self.failures.insert(error.code)
            return Self.expected.contains(error.code) ? false : self.fault(error.description)
        }

        /// Notes what must not be.
        ///
        /// - Returns: True: the visitor must leave over it.
        mutating func fault(_ what: String) -> Bool {
            self.faults.append(what)
            return true
        }
    }

    private let store: PostgresStore
    /// The number of commits that are done.
    private let done = Locked(0)
    private let hasEnded = Locked(false)

    init(_ store: PostgresStore) {
        self.store = store
    }

    /// True if the visitors leave: they were told to, or one has seen what must not be.
    var isOver: Bool {
        self.hasEnded.withLock { $0 }
    }

    /// Returns when some more commits are done, or the visitors leave.
    func goesOn() async {
        let goal = self.done.withLock { $0 } + 40
        await until("\(goal) commits are done") { self.done.withLock { $0 } >= goal || self.isOver }
    }

    /// Lets the visitors leave.
    func end() {
        self.hasEnded.withLock { $0 = true }
    }

    /// The state of a row after so many commits.
    static func state(_ commits: Int) -> [UInt8] {
        Array("\(commits)".utf8)
    }

    /// Comes again and again until the load ends.
    func visit() async -> Report {
        var report = Report()
        let slot = SharedSlotRequest(key: report.key, token: UUID(), owner: UUID())
        while !self.isOver, !Task.isCancelled {
            // It calls without a pause at first, and with pauses where the store stays away.
            await until("a visit is carried out") { await self.visit(slot, &report) || self.isOver }
            if !report.faults.isEmpty { self.end() }
        }
        return report
    }

    /// Opens and commits: first it makes the row, then it takes turns with a slot, as log-ins do, and without one.
    ///
    /// - Returns: False if the store has not carried it out, as it may while it is away.
    private func visit(_ slot: SharedSlotRequest, _ report: inout Report) async -> Bool {
        let store = self.store
        let rows: [SharedInstallation]
        switch await Self.ending({ try await store.read([slot.key]).value }) {
        case .success(let found): rows = found
        case .failure(let error): return report.note(error)
        }
        guard rows.first?.tag == report.done.last else {
            return report.fault("a reading after \(report.done.count) commits has another tag than the last one")
        }
        var commit = SharedCommit(
            InstallationID("restart-\(slot.key)"),
            key: slot.key,
            if: .isMissing,
            tag: UUID(),
            state: Self.state(report.done.count + 1)
        )
        if let row = rows.first { commit.condition = .tag(row.tag) }
        if !rows.isEmpty, report.done.count.isMultiple(of: 2) {
            switch await Self.ending({ try await store.takeSlot(slot, for: .seconds(60)).value }) {
            case .success(.taken): break
            case .success(let outcome): return report.fault("nobody else wants the slot: \(outcome)")
            case .failure(let error): return report.note(error)
            }
            commit.slotToken = slot.token
        }
        return await self.carryOut(commit, &report)
    }

    /// Commits; after a lost answer again, until it is known what became of it.
    ///
    /// - Returns: False if the store has not carried it out.
    private func carryOut(_ commit: SharedCommit, _ report: inout Report) async -> Bool {
        let store = self.store
        var isDoubtful = false
        var result: Result<[SharedCommit.Outcome], SharedStoreError> = .success([])
        await until("it is known what became of a commit") {
            result = await Self.ending({ try await store.commit([commit]).value })
            guard case .failure(let error) = result else { return true }
            if error.code == .outcomeUnknown { isDoubtful = true }
            return report.note(error) || !isDoubtful
        }
        switch result {
        case .success(let outcomes):
            return self.note(outcomes, of: commit, isDoubtful: isDoubtful, &report)
        case .failure:
            // The next commit has another tag: this one must never be found.
            if !isDoubtful { report.undone.append(commit.tag) }
            return !report.faults.isEmpty
        }
    }

    private func note(
        _ outcomes: [SharedCommit.Outcome],
        of commit: SharedCommit,
        isDoubtful: Bool,
        _ report: inout Report
    ) -> Bool {
        guard let outcome = outcomes.first else { return report.fault("a commit has no outcome") }
        switch outcome {
        case .committed: break
        case .differs(let row):
            guard isDoubtful, let row, row.tags.contains(commit.tag) else {
                return report.fault("a commit was refused, and nobody else changes the row")
            }
            report.found += 1
        }
        report.done.append(commit.tag)
        self.done.withLock { $0 += 1 }
        return true
    }

    /// The value of a call, or the error with which it ended.
    private static func ending<Value: Sendable>(
        _ call: () async throws -> Value
    ) async -> Result<Value, SharedStoreError> {
        do {
            return .success(try await call())
        } catch let error as SharedStoreError {
            return .failure(error)
        } catch {
            return .failure(SharedStoreError(.failed, "\(error)"))
        }
    }
}
#endif
