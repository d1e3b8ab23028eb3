// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Rows: made, changed and read as a whole.
enum RowConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a commit makes a row that is missing, with all that it names") { bench in
            var creation = bench.creation([7, 8, 9])
            creation.session = .begin(SharedInstallation.OpenSession(id: .random(), started: 5, last: 9, events: 3))
            creation.look = .set(4_102_444_800_123)
            creation.outbox = .set([4, 5])
            try bench.expect(try await bench.read(creation.key), nil, "a row that was not made is not read")
            try await bench.mustCommit(creation)
            let found = try await bench.read(creation.key)
            try bench.expect(found, bench.row(made: creation), "the row is what the commit says")
        },
        Case("a row is made only if it is missing") { bench in
            let row = try await bench.makeRow()
            let second = bench.creation([9], key: row.key)
            try bench.expect(try await bench.commit(second), .differs(row), "the second creator gets the row")
            try bench.expect(try await bench.read(row.key), row, "the row stays as it is")
        },
        Case("a reading returns only the rows that there are") { bench in
            let (first, second) = (try await bench.makeRow(), try await bench.makeRow())
            let keys: [UUID] = [.random(), second.key, .random(), first.key]
            let found = try await bench.store.read(keys).value
            try bench.expect(Set(found), [first, second], "both rows and nothing else")
            try bench.expect(found.count, 2, "each row once")
        },
        Case("a commit on the tag that was read changes what it names and keeps the rest") { bench in
            var row = try await bench.makeRow { creation in
                creation.session = .begin(bench.session())
                creation.look = .set(4_102_444_800_000)
                creation.outbox = .set([1])
            }
            let change = bench.change(row, state: [42])
            try await bench.mustCommit(change)
            (row.state, row.tag, row.tags) = ([42], change.tag, [change.tag, row.tag])
            try bench.expect(try await bench.read(row.key), row, "session, look and outbox stay")
        },
        Case("a commit without a state keeps the state") { bench in
            let row = try await bench.makeRow()
            try await bench.mustCommit(bench.change(row))
            try bench.expect(try await bench.mustRead(row.key).state, row.state, "nil keeps the state")
        },
        Case("a commit on an old tag differs and returns the row") { bench in
            let old = try await bench.makeRow()
            try await bench.mustCommit(bench.change(old, state: [1]))
            let row = try await bench.mustRead(old.key)
            try bench.expect(try await bench.commit(bench.change(old, state: [2])), .differs(row), "the row is another")
            try bench.expect(try await bench.read(old.key), row, "nothing was changed")
        },
        Case("a commit on a tag of a missing row differs with nothing") { bench in
            let row = bench.row(made: bench.creation())
            try bench.expect(try await bench.commit(bench.change(row, state: [2])), .differs(nil), "there is no row")
            try bench.expect(try await bench.read(row.key), nil, "a commit on a tag makes no row")
        },
        Case("a refused commit changes no part") { bench in
            let old = try await bench.makeRow { $0.session = .begin(bench.session()) }
            try await bench.mustCommit(bench.change(old))
            let wish = SharedSlotRequest(key: old.key, token: .random(), owner: .random())
            _ = try await bench.store.takeSlot(wish, for: .seconds(60))
            let row = try await bench.mustRead(old.key)
            var refused = bench.change(old, state: [66])
            refused.slotToken = wish.token
            refused.session = .end
            refused.look = .set(1)
            refused.outbox = .set([66])
            try bench.expect(try await bench.commit(refused), .differs(row), "the tag is old")
            try bench.expect(
                try await bench.read(old.key),
                row,
                "state, session, slot, look and outbox: all or nothing"
            )
        },
        Case("a refused commit does not stop the others of its call") { bench in
            let (first, second, third) = (
                try await bench.makeRow(), try await bench.makeRow(), try await bench.makeRow()
            )
            try await bench.mustCommit(bench.change(second, state: [5]))
            let newer = try await bench.mustRead(second.key)
            let created = bench.creation()
            let commits = [
                bench.change(first, state: [1]), bench.change(second, state: [2]), created,
                bench.change(third, state: [3]),
            ]
            let outcomes = try await bench.store.commit(commits).value
            let expected: [SharedCommit.Outcome] = [.committed, .differs(newer), .committed, .committed]
            try bench.expect(outcomes, expected, "the outcomes are in the order of the commits")
            try bench.expect(try await bench.mustRead(first.key).state, [1], "the first is taken")
            try bench.expect(try await bench.mustRead(second.key), newer, "the second is not")
            try bench.expect(try await bench.mustRead(third.key).state, [3], "the last is taken")
            try bench.expect(try await bench.read(created.key), bench.row(made: created), "the new row is made")
        },
        Case("a row remembers the last 16 tags, newest first") { bench in
            var row = try await bench.makeRow()
            var tags = [row.tag]
            for _ in 0..<20 {
                let change = bench.change(row)
                try await bench.mustCommit(change)
                tags.insert(change.tag, at: 0)
                row = try await bench.mustRead(row.key)
                try bench.expect(row.tag, change.tag, "the tag is that of the last commit")
                try bench.expect(row.tags, Array(tags.prefix(16)), "the last 16 tags")
            }
        },
        Case("a commit whose reply was lost is found by its tag, behind another commit as well") { bench in
            let row = try await bench.makeRow()
            let lost = bench.change(row, state: [1])
            try await bench.mustCommit(lost)
            let taken = try await bench.mustRead(row.key)
            try bench.expect(try await bench.commit(lost), .differs(taken), "the repetition finds its own tag")
            try await bench.mustCommit(bench.change(taken, state: [2]))
            guard case .differs(let newest?) = try await bench.commit(lost) else {
                return try bench.expect(false, found: "committed, or no row", "the repetition differs")
            }
            try bench.expect(newest.tags.contains(lost.tag), found: "\(newest.tags)", "the tag is among the last")
            try bench.expect(newest.state, [2], "the later commit stands")
        },
        Case("a row that was made is found by its tag if the reply was lost") { bench in
            let creation = bench.creation()
            try await bench.mustCommit(creation)
            let row = bench.row(made: creation)
            try bench.expect(try await bench.commit(creation), .differs(row), "the repetition finds its own tag")
        },
        Case("what must happen and when to look are set, kept and taken away") { bench in
            let row = try await bench.makeRow { ($0.outbox, $0.look) = (.set([1, 2]), .set(4_102_444_800_001)) }
            var change = bench.change(row)
            (change.outbox, change.look) = (.set([3]), .set(4_102_444_800_999))
            try await bench.mustCommit(change)
            var found = try await bench.mustRead(row.key)
            try bench.expect(found.outbox, [3], "the outbox is replaced")
            try bench.expect(found.look, 4_102_444_800_999, "the moment is replaced, to the millisecond")
            try await bench.mustCommit(bench.change(found))
            found = try await bench.mustRead(row.key)
            try bench.expect(found.outbox, [3], "the outbox is kept")
            try bench.expect(found.look, 4_102_444_800_999, "the moment is kept")
            change = bench.change(found)
            (change.outbox, change.look) = (.set([]), .set(nil))
            try await bench.mustCommit(change)
            found = try await bench.mustRead(row.key)
            try bench.expect(found.outbox, [], "the outbox is empty")
            try bench.expect(found.look, nil, "there is no moment")
        },
    ]
}
