// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Races: several replicas change the same rows.
enum RaceConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("what one replica has committed, the next reading of another sees") { bench in
            let other = try await bench.tools.makeStore()
            var row = try await bench.makeRow()
            for number in UInt8(0)..<12 {
                let writer = number % 4 < 2 ? bench.store : other
                let change = bench.change(row, state: [number])
                try bench.expect(try await writer.commit([change]).value, [.committed], "the commit is taken")
                for reader in [bench.store, other] {
                    row = try bench.one(of: try await reader.read([row.key]).value, "the row is read")
                    try bench.expect(row.state, [number], "no reading is older than the commit")
                }
            }
            await other.close()
        },
        Case("of 32 creators of one row, one wins") { bench in
            let key = UUID.random()
            let creations = (UInt8(0)..<32).map { bench.creation([$0], key: key) }
            let winners = try await Self.winners(among: creations, bench)
            try bench.expect(winners.count, 1, "one creator wins")
            let row = try await bench.mustRead(key)
            try bench.expect(winners.map(\.tag), [row.tag], "the row is the winner's")
            try bench.expect(winners.map(\.state), [row.state], "and so is its state")
        },
        Case("of 32 commits on one tag, one wins, each round") { bench in
            var row = try await bench.makeRow()
            for round in 1...8 {
                let read = row
                let commits = (UInt8(0)..<32).map { bench.change(read, state: [$0]) }
                let winners = try await Self.winners(among: commits, bench)
                row = try await bench.mustRead(row.key)
                try bench.expect(winners.map(\.tag), [row.tag], "one commit wins, and the row is its")
                try bench.expect(winners.map(\.state), [row.state], "with its state")
                try bench.expect(row.tags.count, round + 1, "one tag more")
            }
        },
        Case("commits of the same rows in opposite order do not block each other") { bench in
            var rows: [SharedInstallation] = []
            for _ in 0..<16 { rows.append(try await bench.makeRow()) }
            let forward = rows.map { bench.change($0, state: [1]) }
            let backward = rows.reversed().map { bench.change($0, state: [2]) }
            async let first = bench.store.commit(forward).value
            async let second = bench.store.commit(Array(backward)).value
            let taken = try await (first, second)
            for (index, row) in rows.enumerated() {
                let outcomes = [taken.0[index], taken.1[rows.count - 1 - index]]
                try bench.expect(outcomes.filter { $0 == .committed }.count, 1, "one of two commits is taken")
                let state = try await bench.mustRead(row.key).state
                try bench.expect(state, outcomes[0] == .committed ? [1] : [2], "the row is the winner's")
            }
        },
        Case("flushes beside commits lose nothing") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...32 {
                    group.addTask {
                        let activity = SharedActivity(
                            key: row.key,
                            session: session.id,
                            last: 1_000 + Int64(number),
                            events: number
                        )
                        let answer = try await bench.store.flush(
                            [activity],
                            of: .random(),
                            token: .random(),
                            age: .zero
                        )
                        guard case .added = try bench.one(of: answer.value, "one outcome") else {
                            return try bench.expect(false, found: "\(answer.value)", "the session is open")
                        }
                    }
                }
                group.addTask {
                    var current = row
                    for number in UInt8(0)..<10 {
                        try await bench.mustCommit(bench.change(current, state: [number]))
                        current = try await bench.mustRead(row.key)
                    }
                }
                try await group.waitForAll()
            }
            let found = try await bench.mustRead(row.key)
            try bench.expect(found.session?.events, 528, "the events of all flushes: 1 + 2 + … + 32")
            try bench.expect(found.session?.last, 1_032, "the latest moment")
            try bench.expect(found.state, [9], "the last commit")
        },
        Case("a flush that is repeated while it is under way counts once") { bench in
            let (replica, token, session) = (UUID.random(), UUID.random(), bench.session())
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let activity = SharedActivity(key: row.key, session: session.id, last: 2_000, events: 3)
            // Known and unknown: a replica's first flush has no row to wait at.
            for round in 1...4 {
                let (replica, token) = round.isMultiple(of: 2) ? (replica, UUID.random()) : (UUID.random(), token)
                let answers = try await bench.atOnce(8) {
                    try await bench.store.flush([activity], of: replica, token: token, age: .zero).value
                }
                try bench.expect(answers, Array(repeating: [.added(tag: row.tag)], count: 8), "each is answered alike")
                try bench.expect(try await bench.mustRead(row.key).session?.events, 3 * round, "counted once")
            }
        },
        Case("a flush beside the begin of its session counts if it says so") { bench in
            for _ in 0..<400 {
                let (before, next) = (bench.session(), bench.session())
                let row = try await bench.makeRow { $0.session = .begin(before) }
                var change = bench.change(row)
                change.session = .begin(next)
                let begin = change
                let activity = SharedActivity(key: row.key, session: next.id, last: 2_000, events: 3)
                async let committing = bench.commit(begin)
                async let flushing = bench.store.flush([activity], of: .random(), token: .random(), age: .zero).value
                let (outcome, answers) = try await (committing, flushing)
                try bench.expect(outcome, .committed, "a flush does not move the tag")
                let events = try await bench.mustRead(row.key).session?.events ?? 0
                switch try bench.one(of: answers, "one outcome") {
                case .added: try bench.expect(events, next.events + 3, "what is told as added is there")
                case .sessionEnded: try bench.expect(events, next.events, "what is told as too late is not")
                case .isLocked: try bench.expect(events, next.events, "what is told as locked is not")
                case .isMissing: try bench.expect(false, found: "isMissing", "the row is there")
                }
            }
        },
        Case("what is told many times at once is noted once") { bench in
            let replica = UUID.random()
            let erasure = SharedErasure(id: .random(), hash: bench.hash(), by: replica)
            _ = try await bench.atOnce(16) { try await bench.store.join(replica, token: .random()).value }
            _ = try await bench.atOnce(16) { try await bench.store.erase(erasure).value }
            _ = try await bench.atOnce(16) { try await bench.store.acknowledge(erasure.id, by: replica) }
            try bench.expect(try await bench.replica(replica)?.id, replica, "one replica")
            let found = try await bench.store.erasures(of: [erasure.hash]).value
            try bench.expect(found.map(\.id), [erasure.id], "one erasure")
            let acknowledged = try await bench.store.acknowledgements(of: erasure.id).value
            try bench.expect(acknowledged, [replica], "one acknowledgement")
        },
        Case("of a removal and a commit at once, one happens") { bench in
            for _ in 0..<16 {
                let row = try await bench.makeRow()
                let change = bench.change(row, state: [9])
                async let committing = bench.commit(change)
                async let removing = bench.store.remove(row.key, tag: row.tag).value
                let (outcome, isRemoved) = try await (committing, removing)
                let found = try await bench.read(row.key)
                try bench.expect(outcome, isRemoved ? .differs(nil) : .committed, "the other one finds another row")
                try bench.expect(found?.state, isRemoved ? nil : [9], "the row is gone, or the commit's")
            }
        },
        Case("of 32 wishes for one slot, one gets it") { bench in
            let row = try await bench.makeRow()
            let tokens = (0..<32).map { _ in UUID.random() }
            let winners = try await withThrowingTaskGroup(of: UUID?.self, returning: [UUID].self) { group in
                for token in tokens {
                    group.addTask {
                        let wish = SharedSlotRequest(key: row.key, token: token, owner: .random())
                        let outcome = try await bench.store.takeSlot(wish, for: .seconds(60)).value
                        if case .taken = outcome { return token }
                        return nil
                    }
                }
                var winners: [UUID] = []
                for try await case let winner? in group { winners.append(winner) }
                return winners
            }
            try bench.expect(winners.count, 1, "one token has the slot")
            let slot = try await bench.mustRead(row.key).slot
            try bench.expect(slot?.token, winners.first, "the row names it")
        },
    ]

    /// Commits all at once, and returns those that were taken.
    private static func winners(among commits: [SharedCommit], _ bench: Bench) async throws -> [SharedCommit] {
        try await withThrowingTaskGroup(of: SharedCommit?.self) { group in
            for commit in commits {
                group.addTask { try await bench.commit(commit) == .committed ? commit : nil }
            }
            var winners: [SharedCommit] = []
            for try await case let winner? in group { winners.append(winner) }
            return winners
        }
    }
}

extension SharedStoreConformance.Bench {
    /// Calls a store many times at once.
    fileprivate func atOnce<Value: Sendable>(
        _ count: Int,
        _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for _ in 0..<count { group.addTask { try await call() } }
            var values: [Value] = []
            for try await value in group { values.append(value) }
            return values
        }
    }
}
