// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Calls: preparing, cancelling and closing.
enum CallConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a workspace may be prepared again, another is refused") { bench in
            let row = try await bench.makeRow()
            let other = try await bench.tools.makeStore()
            let format = try await other.prepare(workspace: bench.tools.workspace).value
            try bench.expect(format.written >= 1, found: "\(format)", "the format is a number")
            let again = try await bench.store.prepare(workspace: bench.tools.workspace).value
            try bench.expect(again, format, "each replica gets the same")
            let foreign = bench.tools.workspace.map { $0 ^ 1 } + [1]
            for _ in 0..<2 {
                try await bench.expectError(.workspaceMismatch, "the database is another workspace's") {
                    _ = try await other.prepare(workspace: foreign)
                }
            }
            _ = try await other.prepare(workspace: bench.tools.workspace)
            try bench.expect(try await other.read([row.key]).value, [row], "nothing was changed")
            await other.close()
        },
        Case("the time of the answers does not go backwards within a task") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let replica = UUID.random()
            let activity = SharedActivity(key: row.key, session: session.id, last: 5, events: 1)
            let wish = bench.wish(row)
            var last = Int64.min
            for _ in 0..<10 {
                let times = [
                    try await bench.store.read([row.key]).milliseconds,
                    try await bench.store.flush([activity], of: replica, token: .random(), age: .zero).milliseconds,
                    try await bench.store.takeSlot(wish, for: .seconds(5)).milliseconds,
                    try await bench.store.renewSlot(wish, for: .seconds(5)).milliseconds,
                    try await bench.store.commit([bench.change(row)]).milliseconds,
                    try await bench.store.join(replica, token: .random()).milliseconds,
                    try await bench.store.replicas().milliseconds,
                    try await bench.store.pendingErasures(of: replica).milliseconds,
                    try await bench.store.remove(row.key, tag: row.tag).milliseconds,
                ]
                try bench.expect(times == times.sorted(), found: "\(times)", "each not before the one before")
                try bench.expect(times[0] >= last, found: "\(times[0]) after \(last)", "nor between rounds")
                last = times[times.count - 1]
            }
        },
        Case("a call of a task that is cancelled throws so") { bench in
            let creation = bench.creation()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask {
                    try await bench.expectError(.cancelled, "a reading") { _ = try await bench.store.read([.random()]) }
                    try await bench.expectError(.cancelled, "a commit") { _ = try await bench.store.commit([creation]) }
                }
                try await group.waitForAll()
            }
            if let row = try await bench.read(creation.key) {
                try bench.expect(row, bench.row(made: creation), "it may have happened, but not by half")
            }
        },
        Case("calls that are cancelled return, and each has happened or not") { bench in
            let rounds = 12
            for round in 0..<rounds {
                let creations = (0..<16).map { _ in bench.creation() }
                let answered = try await withThrowingTaskGroup(of: UUID?.self, returning: Set<UUID>.self) { group in
                    for creation in creations {
                        group.addTask { try await Self.answered(creation, bench) }
                    }
                    for _ in 0..<round { await Task.yield() }
                    group.cancelAll()
                    var answered: Set<UUID> = []
                    for try await case let key? in group { answered.insert(key) }
                    return answered
                }
                let rows = try await bench.store.read(creations.map(\.key)).value
                let keys = Set(rows.map(\.key))
                try bench.expect(answered.subtracting(keys), [], "a commit that was answered has happened")
                let whole = creations.filter { keys.contains($0.key) }.map(bench.row(made:))
                try bench.expect(Set(rows), Set(whole), "each row is whole")
            }
            _ = try await bench.makeRow()
        },
        Case("a store that is closed refuses every call") { bench in
            let other = try await bench.tools.makeStore()
            let row = try await bench.makeRow()
            _ = try await other.read([row.key])
            await other.close()
            await other.close()
            for (name, call) in Self.everyCall(on: row, bench) {
                try await bench.expectError(.unreachable, "\(name) after the end") { try await call(other) }
            }
            try bench.expect(try await bench.read(row.key), row, "other stores go on, and nothing has happened")
        },
    ]

    /// The key of a commit that was answered; nil if the call was cancelled first.
    private static func answered(_ creation: SharedCommit, _ bench: Bench) async throws -> UUID? {
        do throws(SharedStoreError) {
            _ = try await bench.store.commit([creation])
            return creation.key
        } catch {
            try bench.expect(error.code, .cancelled, "no other error")
            return nil
        }
    }

    private typealias Call = @Sendable (any SharedStore) async throws -> Void

    private static func everyCall(on row: SharedInstallation, _ bench: Bench) -> [(String, Call)] {
        let id = UUID.random()
        let wish = bench.wish(row)
        return [
            ("prepare", { _ = try await $0.prepare(workspace: bench.tools.workspace) }),
            ("read", { _ = try await $0.read([row.key]) }),
            ("commit", { _ = try await $0.commit([bench.change(row, state: [])]) }),
            ("takeSlot", { _ = try await $0.takeSlot(wish, for: .seconds(1)) }),
            ("renewSlot", { _ = try await $0.renewSlot(wish, for: .seconds(1)) }),
            ("releaseSlot", { try await $0.releaseSlot(wish) }),
            ("flush", { _ = try await $0.flush([], of: id, token: id, age: .zero) }),
            ("claimDue", { _ = try await $0.claimDue(1, for: .seconds(1)) }),
            ("join", { _ = try await $0.join(id, token: .random()) }),
            ("leave", { try await $0.leave(id) }),
            ("replicas", { _ = try await $0.replicas() }),
            ("erase", { _ = try await $0.erase(SharedErasure(id: id, hash: [1], by: id)) }),
            ("finishRows", { try await $0.finishRows(of: id) }),
            ("mentionedUsers", { _ = try await $0.mentionedUsers(after: nil, limit: 1) }),
            ("mentions", { _ = try await $0.mentions(of: bench.user(), after: nil, limit: 1) }),
            ("pendingErasures", { _ = try await $0.pendingErasures(of: id) }),
            ("acknowledge", { try await $0.acknowledge(id, by: id) }),
            ("acknowledgements", { _ = try await $0.acknowledgements(of: id) }),
            ("erasures", { _ = try await $0.erasures(of: [[1]]) }),
            ("allErasures", { _ = try await $0.erasures(after: nil, limit: 1) }),
            ("remove", { _ = try await $0.remove(row.key, tag: row.tag) }),
            ("removeIdle", { _ = try await $0.removeIdle(days: 10_000, limit: 1) }),
            ("forgetEnded", { try await $0.forgetEnded(days: 10_000) }),
        ]
    }
}
