// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Removal of rows.
enum RemovalConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a row without session and slot is removed, mentions with it") { bench in
            let user = try bench.user()
            let row = try await bench.makeRow { ($0.mentions, $0.outbox, $0.look) = ([user], .set([1]), .set(nil)) }
            for _ in 0..<2 {
                let isRemoved = try await bench.store.remove(row.key, tag: row.tag).value
                try bench.expect(isRemoved, true, "a repetition finds no row, and is true")
                try bench.expect(try await bench.read(row.key), nil, "the row is gone")
            }
            try bench.expect(try await bench.mentions(user), [], "it mentions nobody")
        },
        Case("a removed row differs for those who have read it, and can be made again") { bench in
            let user = try bench.user()
            let row = try await bench.makeRow { $0.mentions = [user] }
            _ = try await bench.store.remove(row.key, tag: row.tag)
            try bench.expect(try await bench.commit(bench.change(row, state: [1])), .differs(nil), "there is no row")
            let creation = bench.creation([2], key: row.key)
            try await bench.mustCommit(creation)
            try bench.expect(try await bench.read(row.key), bench.row(made: creation), "a new row, with one tag")
            try bench.expect(try await bench.mentions(user), [], "which mentions nobody")
        },
        Case("a row is not removed on an old tag") { bench in
            let old = try await bench.makeRow()
            try await bench.mustCommit(bench.change(old))
            let row = try await bench.mustRead(old.key)
            try bench.expect(try await bench.store.remove(old.key, tag: old.tag).value, false, "the row differs")
            try bench.expect(try await bench.read(old.key), row, "it stays")
        },
        Case("a row is not removed with a session") { bench in
            let row = try await bench.makeRow { $0.session = .begin(bench.session()) }
            try bench.expect(try await bench.store.remove(row.key, tag: row.tag).value, false, "a session is open")
            try bench.expect(try await bench.read(row.key), row, "it stays")
            var end = bench.change(row)
            end.session = .end
            try await bench.mustCommit(end)
            try bench.expect(try await bench.store.remove(row.key, tag: end.tag).value, true, "it has ended")
        },
        Case("a row is not removed while its slot is in use") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            try await bench.mustTake(wish, for: .seconds(60))
            try bench.expect(try await bench.store.remove(row.key, tag: row.tag).value, false, "a request is under way")
            try bench.expect(try await bench.mustRead(row.key).tag, row.tag, "it stays")
            let slot = try await bench.mustTake(wish, for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            try bench.expect(try await bench.store.remove(row.key, tag: row.tag).value, true, "the slot is over")
            try bench.expect(try await bench.read(row.key), nil, "the row is gone")
        },
        Case("a row that was committed to today is not idle") { bench in
            let row = try await bench.makeRow()
            let removed = try await bench.store.removeIdle(days: 1, limit: SharedStoreLimits.batch).value
            try bench.expect(
                (0...SharedStoreLimits.batch).contains(removed),
                found: "\(removed)",
                "the number of rows of others"
            )
            try bench.expect(try await bench.read(row.key), row, "it stays")
        },
    ]
}

/// Rows, erasures and replicas that some days have passed over.
enum AgingConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("idle rows are removed, but not with session, slot in use or outbox") { bench in
            let user = try bench.user()
            let idle = try await bench.makeRow { $0.mentions = [user] }
            let open = try await bench.makeRow { $0.session = .begin(bench.session()) }
            let owing = try await bench.makeRow { $0.outbox = .set([1]) }
            let asking = try await bench.makeRow()
            let changed = try await bench.makeRow()
            try await bench.passDays(32)
            try await bench.mustTake(bench.wish(asking), for: .seconds(60))
            try await bench.mustCommit(bench.change(changed))
            var removed = 0
            repeat {
                removed = try await bench.store.removeIdle(days: 30, limit: SharedStoreLimits.batch).value
            } while removed == SharedStoreLimits.batch
            try bench.expect(try await bench.read(idle.key), nil, "it is gone")
            try bench.expect(try await bench.mentions(user), [], "its mentions too")
            for row in [open, owing, asking, changed] {
                try bench.expect(try await bench.mustRead(row.key).key, row.key, "it stays")
            }
        },
        Case("idle rows are removed some at a time, and counted") { bench in
            var keys: [UUID] = []
            for _ in 0..<5 { keys.append(try await bench.makeRow().key) }
            try await bench.passDays(32)
            while try await bench.store.read(keys).value.count == 5 {
                let removed = try await bench.store.removeIdle(days: 30, limit: 2).value
                try bench.expect(removed, 2, "five and more are idle")
            }
            repeat {} while try await bench.store.removeIdle(days: 30, limit: 2).value == 2
            try bench.expect(try await bench.store.read(keys).value, [], "all are gone")
            try bench.expect(try await bench.store.removeIdle(days: 30, limit: 2).value, 0, "there are no more")
        },
        Case("an idle row that is committed to meanwhile stays whole, or is gone for the commit") { bench in
            for _ in 0..<6 {
                var rows: [SharedInstallation] = []
                for _ in 0..<12 { rows.append(try await bench.makeRow()) }
                try await bench.passDays(32)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for row in rows {
                        group.addTask {
                            let change = bench.change(row, state: [9])
                            let outcome = try await bench.commit(change)
                            let found = try await bench.read(row.key)
                            try bench.expect(found?.tag, outcome == .committed ? change.tag : nil, "\(outcome)")
                            try bench.expect(found?.state, outcome == .committed ? [9] : nil, "\(outcome)")
                        }
                    }
                    for _ in 0..<6 {
                        group.addTask { _ = try await bench.store.removeIdle(days: 30, limit: 4) }
                    }
                    try await group.waitForAll()
                }
            }
        },
        Case("a beat ahead of the database's clock does not count") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            try await bench.passDays(-1)
            let answer = try await bench.store.flush([], of: replica, token: .random(), age: .zero)
            let beat = try await bench.replica(replica)?.beat ?? .max
            try bench.expect(
                beat <= answer.milliseconds + 60_000,
                found: "\(beat) at \(answer.milliseconds)",
                "the clock was set back: the beat is of now"
            )
            try await bench.passDays(1)
        },
        Case("erasures, and replicas that have left or died, are forgotten after a time") { bench in
            let (living, left, dead) = (UUID.random(), UUID.random(), UUID.random())
            for replica in [living, left, dead] { _ = try await bench.store.join(replica, token: .random()) }
            let old = try await bench.erase()
            let unfinished = try await bench.erase()
            try await bench.store.finishRows(of: old.id)
            for erasure in [old, unfinished] { try await bench.store.acknowledge(erasure.id, by: living) }
            try await bench.store.leave(left)
            try await bench.passDays(99)
            let young = try await bench.erase()
            _ = try await bench.store.flush([], of: living, token: .random(), age: .zero)
            try await bench.store.forgetEnded(days: 97)
            let found = try await bench.store.erasures(of: [old.hash, young.hash]).value
            try bench.expect(found, [young], "the old one is forgotten")
            let acknowledged = try await bench.store.acknowledgements(of: old.id).value
            try bench.expect(acknowledged, [], "its acknowledgements too")
            // Its moment is another one where days pass by changing the tables.
            let still = try await bench.store.erasures(of: [unfinished.hash]).value.map(\.id)
            try bench.expect(still, [unfinished.id], "one whose rows are not done stays, however old")
            let kept = try await bench.store.acknowledgements(of: unfinished.id).value
            try bench.expect(kept, [living], "with its acknowledgements")
            try bench.expect(
                try await bench.pending(of: living, among: [old, young]),
                [young],
                "the young one is pending"
            )
            try bench.expect(try await bench.replica(living)?.id, living, "it has flushed today")
            try bench.expect(try await bench.replica(left), nil, "it left long ago")
            try bench.expect(try await bench.replica(dead), nil, "it died long ago")
            try bench.expect(
                try await bench.store.join(dead, token: .random()).value.isKnown,
                false,
                "it is new when it comes back"
            )
        },
    ]
}

extension SharedStoreConformance.Bench {
    func passDays(_ days: Int) async throws {
        guard let passDays = self.tools.passDays else {
            return try self.expect(false, found: "none", "the tools can pass days")
        }
        try await passDays(days)
    }
}
