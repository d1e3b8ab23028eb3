// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Claims of due rows.
enum ClaimConformance: ConformanceSubject {
    /// The span of claims: so long that the rows are not due again while somebody runs the cases.
    private static let span = Duration.seconds(3_000_000)

    static let cases: [Case] = [
        Case("due rows are claimed, the earliest first, and their moment moves ahead") { bench in
            let rows = try await bench.makeDueRows([3, 1, 2])
            let before = try await bench.store.read([]).milliseconds
            let claimed = try await bench.claim(rows, limit: SharedStoreLimits.batch, for: Self.span)
            try bench.expect(claimed.map(\.key), [rows[1].key, rows[2].key, rows[0].key], "by the moment, not by key")
            for row in claimed {
                let earliest = before + Self.span.milliseconds
                let look = row.look ?? 0
                try bench.expect(look >= earliest - 1, found: "\(look), before \(earliest)", "a span from now")
                try bench.expect(look < earliest + 600_000, found: "\(look), after \(earliest)", "a span from now")
                try bench.expect(try await bench.read(row.key), row, "the answer is the row as it is now")
                let old = rows.first { $0.key == row.key }
                var unchanged = row
                unchanged.look = old?.look
                try bench.expect(unchanged, old, "nothing else changes, the tag least of all")
            }
        },
        Case("a claim takes as many rows as it may, those that were due first") { bench in
            let rows = try await bench.makeDueRows([5, 4, 3, 2, 1])
            let none = try await bench.store.claimDue(0, for: Self.span).value
            try bench.expect(none, [], "no rows asked for")
            let claimed = try await bench.claim(rows, limit: 2, for: Self.span)
            try bench.expect(Array(claimed.prefix(2).map(\.key)), [rows[4].key, rows[3].key], "the earliest two first")
            try bench.expect(claimed.map(\.key), rows.reversed().map(\.key), "then the others")
        },
        Case("a claimed row is not due until the span is over, then it is again") { bench in
            let rows = try await bench.makeDueRows([1])
            let first = try await bench.claim(rows, limit: SharedStoreLimits.batch, for: .seconds(5))
            let again = try await bench.claim(rows, limit: SharedStoreLimits.batch, for: .seconds(5))
            let look = first.first?.look ?? 0
            try bench.expect(first.count, 1, "the row was due")
            try bench.expect(again.count, 0, "another replica does not get it")
            try await bench.tools.passTime(.seconds(5))
            try await bench.wait(past: look)
            let later = try await bench.claim(rows, limit: SharedStoreLimits.batch, for: Self.span)
            try bench.expect(later.map(\.key), rows.map(\.key), "whoever claimed it may have died")
        },
        Case("rows without a moment, and those whose moment is to come, are not claimed") { bench in
            let never = try await bench.makeRow { $0.session = .begin(bench.session()) }
            let now = try await bench.store.read([]).milliseconds
            let later = try await bench.makeRow { $0.look = .set(now + 3_600_000) }
            let taken = try await bench.makeDueRows([1])
            var change = bench.change(taken[0])
            change.look = .set(nil)
            try await bench.mustCommit(change)
            let claimed = try await bench.claim([never, later] + taken, limit: SharedStoreLimits.batch, for: Self.span)
            try bench.expect(claimed, [], "none of them is due")
            try bench.expect(try await bench.mustRead(later.key).look, later.look, "the moment stays")
        },
        Case("a row whose moment is now is due") { bench in
            let now = try await bench.store.read([]).milliseconds
            let row = try await bench.makeRow { $0.look = .set(now) }
            try await bench.wait(past: now)
            let claimed = try await bench.claim([row], limit: SharedStoreLimits.batch, for: Self.span)
            try bench.expect(claimed.map(\.key), [row.key], "its moment has come")
        },
        Case("claims at once share the rows: each row once") { bench in
            let rows = try await bench.makeDueRows((1...40).map { $0 })
            let keys = Set(rows.map(\.key))
            let claimed = try await withThrowingTaskGroup(of: [UUID].self, returning: [UUID].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await bench.store.claimDue(10, for: Self.span).value.map(\.key) }
                }
                var claimed: [UUID] = []
                for try await keys in group { claimed += keys }
                return claimed
            }
            let ours = claimed.filter(keys.contains)
            try bench.expect(ours.count, Set(ours).count, "no row twice")
            let rest = try await bench.claim(rows, limit: SharedStoreLimits.batch, for: Self.span).map(\.key)
            try bench.expect(Set(ours).intersection(rest), [], "nor later")
            try bench.expect(Set(ours).union(rest), keys, "no row is lost")
        },
    ]
}

extension SharedStoreConformance.Bench {
    /// Makes rows that are due since long before all others: a random time, and some milliseconds.
    fileprivate func makeDueRows(_ milliseconds: [Int64]) async throws -> [SharedInstallation] {
        let start = Int64.random(in: 1_000...1_000_000_000)
        var rows: [SharedInstallation] = []
        for offset in milliseconds {
            rows.append(
                try await self.makeRow { creation in
                    creation.look = .set(start + offset)
                    creation.session = .begin(self.session())
                }
            )
        }
        return rows
    }

    /// Claims until no row is due, and returns those of these rows, in the order in which they came.
    fileprivate func claim(
        _ rows: [SharedInstallation],
        limit: Int,
        for span: Duration
    ) async throws -> [SharedInstallation] {
        let keys = Set(rows.map(\.key))
        var claimed: [SharedInstallation] = []
        while true {
            let page = try await self.store.claimDue(limit, for: span).value
            try self.expect(page.count <= limit, found: "\(page.count) rows", "at most \(limit)")
            claimed += page.filter { keys.contains($0.key) }
            // A store that gives a row twice would never come to an end.
            guard page.count == limit, claimed.count <= rows.count else { return claimed }
        }
    }
}
