// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Sessions: begun, kept and ended by commits.
enum SessionConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a session begins with a commit, and later commits keep it") { bench in
            let row = try await bench.makeRow()
            let session = SharedInstallation.OpenSession(id: .random(), started: 10, last: 20, events: 2)
            var begin = bench.change(row)
            begin.session = .begin(session)
            try await bench.mustCommit(begin)
            var found = try await bench.mustRead(row.key)
            try bench.expect(found.session, session, "the session is open")
            try await bench.mustCommit(bench.change(found, state: [1]))
            found = try await bench.mustRead(row.key)
            try bench.expect(found.session, session, "the session stays")
        },
        Case("a kept session has what replicas have flushed meanwhile") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: 5_000, events: 4)
            try await bench.mustCommit(bench.change(row, state: [1]))
            let found = try await bench.mustRead(row.key).session
            try bench.expect(found, session.with(last: 5_000, events: 4), "the commit was decided before the flush")
        },
        Case("a session that begins replaces the open one") { bench in
            let (old, new) = (bench.session(), bench.session(started: 9_000))
            let row = try await bench.makeRow { $0.session = .begin(old) }
            var begin = bench.change(row)
            begin.session = .begin(new)
            try await bench.mustCommit(begin)
            let outcome = try await bench.flush(row, old, last: 9_500, events: 1)
            try bench.expect(outcome, .sessionEnded(tag: begin.tag), "the old one has ended")
            try bench.expect(try await bench.mustRead(row.key).session, new, "the new one is open")
        },
        Case("a flush of a session that a commit has ended changes nothing") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: 2_000, events: 1)
            var end = bench.change(row)
            end.session = .end
            try await bench.mustCommit(end)
            let ended = try await bench.mustRead(row.key)
            try bench.expect(ended.session, nil, "no session is open")
            let outcome = try await bench.flush(row, session, last: 3_000, events: 1)
            try bench.expect(outcome, .sessionEnded(tag: end.tag), "with the tag of the end")
            try bench.expect(try await bench.read(row.key), ended, "nothing was changed")
        },
        Case("the end of a session is taken if nobody has flushed since") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: 4_000, events: 1)
            var end = bench.change(row)
            end.condition = .unchanged(tag: row.tag, last: 4_000, events: session.events + 1)
            end.session = .end
            try await bench.mustCommit(end)
            try bench.expect(try await bench.mustRead(row.key).session, nil, "the session is over")
        },
        Case("the end of a session differs if a replica has flushed since") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: 4_000, events: 1)
            let now = try await bench.mustRead(row.key)
            var end = bench.change(row)
            end.condition = .unchanged(tag: row.tag, last: session.last, events: session.events)
            end.session = .end
            try bench.expect(try await bench.commit(end), .differs(now), "an event came after the reading")
            try bench.expect(try await bench.read(row.key), now, "the session goes on")
        },
        Case("the end of a session differs if a replica has flushed an event of the same moment") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: session.last, events: 1)
            let now = try await bench.mustRead(row.key)
            var end = bench.change(row)
            end.condition = .unchanged(tag: row.tag, last: session.last, events: session.events)
            end.session = .end
            try bench.expect(try await bench.commit(end), .differs(now), "the moment is the same, the number is not")
            end.condition = .unchanged(tag: row.tag, last: session.last, events: session.events + 1)
            try await bench.mustCommit(end)
        },
        Case("the end of a session differs on an old tag and without a session") { bench in
            let session = bench.session()
            let old = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustCommit(bench.change(old))
            let row = try await bench.mustRead(old.key)
            var end = bench.change(old)
            end.condition = .unchanged(tag: old.tag, last: session.last, events: session.events)
            end.session = .end
            try bench.expect(try await bench.commit(end), .differs(row), "the tag is old")
            end.condition = .unchanged(tag: row.tag, last: session.last, events: session.events)
            try await bench.mustCommit(end)
            let ended = try await bench.mustRead(old.key)
            var again = bench.change(ended)
            again.condition = .unchanged(tag: ended.tag, last: session.last, events: session.events)
            try bench.expect(try await bench.commit(again), .differs(ended), "no session, no last event")
        },
    ]
}

/// Flushes: the activity of sessions, added once.
enum FlushConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a flush adds events, moves the last moment, and changes nothing else") { bench in
            let session = SharedInstallation.OpenSession(id: .random(), started: 10, last: 20, events: 2)
            var row = try await bench.makeRow { creation in
                creation.session = .begin(session)
                creation.look = .set(4_102_444_800_000)
                creation.outbox = .set([1])
            }
            let wish = SharedSlotRequest(key: row.key, token: .random(), owner: .random())
            _ = try await bench.store.takeSlot(wish, for: .seconds(60))
            row.slot = try await bench.mustRead(row.key).slot
            let outcome = try await bench.flush(row, session, last: 30, events: 5)
            try bench.expect(outcome, .added(tag: row.tag), "with the row's tag")
            row.session = session.with(last: 30, events: 7)
            try bench.expect(try await bench.read(row.key), row, "no tag, no slot, no look, no state")
        },
        Case("the row keeps the latest moment, and the events of all") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            for (last, events) in [(Int64(5_000), 1), (3_000, 2), (-7, 4), (5_000, 8), (5_001, 16)] {
                try await bench.mustFlush(row, session, last: last, events: events)
            }
            let found = try await bench.mustRead(row.key).session
            try bench.expect(found, session.with(last: 5_001, events: 31), "an early flush may come late")
        },
        Case("a session counts events up to the limit, and no further") { bench in
            let limit = SharedStoreLimits.sessionEvents
            let (session, other) = (bench.session(), bench.session())
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.mustFlush(row, session, last: 2_000, events: limit - 1)
            for (last, events) in [(Int64(3_000), 5), (4_000, limit), (5_000, .max)] {
                try await bench.mustFlush(row, session, last: last, events: events)
                let found = try await bench.mustRead(row.key).session
                try bench.expect(found, session.with(last: last, events: limit), "the limit, and the moment moves on")
            }
            var begin = bench.change(row)
            begin.session = .begin(other.with(last: 6_000, events: .max))
            try await bench.mustCommit(begin)
            let found = try await bench.mustRead(row.key).session
            try bench.expect(found, other.with(last: 6_000, events: limit), "a session that begins with more as well")
        },
        Case("a flush that is repeated adds nothing and answers the same") { bench in
            let (replica, token, session) = (UUID.random(), UUID.random(), bench.session())
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let ended = try await bench.makeRow()
            let activities = [
                SharedActivity(key: row.key, session: session.id, last: 2_000, events: 3),
                SharedActivity(key: ended.key, session: .random(), last: 2_000, events: 3),
                SharedActivity(key: .random(), session: .random(), last: 2_000, events: 3),
            ]
            let expected: [SharedActivity.Outcome] = [
                .added(tag: row.tag), .sessionEnded(tag: ended.tag), .isMissing,
            ]
            for _ in 0..<3 {
                let answer = try await bench.store.flush(activities, of: replica, token: token, age: .zero)
                try bench.expect(answer.value, expected, "the same outcomes")
                let found = try await bench.mustRead(row.key).session
                try bench.expect(found, session.with(last: 2_000, events: 3), "counted once")
            }
        },
        Case("another token adds again, and so does another replica with the same token") { bench in
            let (replica, token, session) = (UUID.random(), UUID.random(), bench.session())
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let activity = SharedActivity(key: row.key, session: session.id, last: 2_000, events: 1)
            let other = UUID.random()
            for (index, (replica, token)) in [
                (replica, token), (.random(), token), (replica, other), (.random(), other), (.random(), token),
            ].enumerated() {
                _ = try await bench.store.flush([activity], of: replica, token: token, age: .zero)
                try bench.expect(try await bench.mustRead(row.key).session?.events, index + 1, "one event more")
            }
        },
        Case("a flush of another session changes nothing") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let outcome = try await bench.flush(row, bench.session(), last: 9_000, events: 1)
            try bench.expect(outcome, .sessionEnded(tag: row.tag), "it is not the open one")
            try bench.expect(try await bench.read(row.key), row, "nothing was changed")
        },
        Case("a flush of a missing row makes none") { bench in
            let row = bench.row(made: bench.creation())
            try bench.expect(try await bench.flush(row, bench.session(), last: 1, events: 1), .isMissing, "no row")
            try bench.expect(try await bench.read(row.key), nil, "there is still none")
        },
        Case("a flush of many rows answers in their order") { bench in
            var (activities, expected): ([SharedActivity], [SharedActivity.Outcome]) = ([], [])
            for number in 0..<30 {
                let session = bench.session()
                let row = try await bench.makeRow { if number % 3 != 1 { $0.session = .begin(session) } }
                let key = number % 3 == 2 ? UUID.random() : row.key
                activities.append(SharedActivity(key: key, session: session.id, last: 2_000, events: number))
                expected.append(
                    [.added(tag: row.tag), .sessionEnded(tag: row.tag), .isMissing][number % 3]
                )
            }
            let outcomes = try await bench.store.flush(activities, of: .random(), token: .random(), age: .zero).value
            try bench.expect(outcomes, expected, "in the order of the activities")
            let rows = try await bench.store.read(activities.map(\.key)).value
            for row in rows {
                let events = activities.first { $0.key == row.key && $0.session == row.session?.id }?.events
                try bench.expect(row.session?.events, events, "each row has its own events")
            }
        },
    ]
}

extension SharedInstallation.OpenSession {
    fileprivate func with(last: Int64, events: Int) -> Self {
        Self(id: self.id, started: self.started, last: last, events: events)
    }
}

extension SharedStoreConformance.Bench {
    /// Flushes one activity for a replica of its own.
    func flush(
        _ row: SharedInstallation,
        _ session: SharedInstallation.OpenSession,
        last: Int64,
        events: Int
    ) async throws -> SharedActivity.Outcome {
        let activity = SharedActivity(key: row.key, session: session.id, last: last, events: events)
        let answer = try await self.store.flush([activity], of: .random(), token: .random(), age: .zero)
        return try self.one(of: answer.value, "an activity has one outcome")
    }

    /// Flushes one activity, and fails the case if the session is not open.
    func mustFlush(
        _ row: SharedInstallation,
        _ session: SharedInstallation.OpenSession,
        last: Int64,
        events: Int
    ) async throws {
        let outcome = try await self.flush(row, session, last: last, events: events)
        try self.expect(outcome, .added(tag: row.tag), "the session is open")
    }
}
