// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// Values: the smallest and the largest come back as they were written.
enum ValueConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("64 KiB of state and of outbox come back") { bench in
            let large = (0..<SharedStoreLimits.valueBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let row = try await bench.makeRow { ($0.state, $0.outbox) = (large, .set(large.reversed())) }
            try bench.expect(try await bench.mustRead(row.key) == row, found: "other bytes", "the bytes are the same")
            var change = bench.change(row, state: large.reversed())
            change.outbox = .set(large)
            try await bench.mustCommit(change)
            let found = try await bench.mustRead(row.key)
            try bench.expect(found.state == large.reversed(), found: "other bytes", "a change of the same size as well")
            try bench.expect(found.outbox == large, found: "other bytes", "and of the outbox")
        },
        Case("an empty state comes back") { bench in
            let row = try await bench.makeRow { $0.state = [] }
            try bench.expect(try await bench.mustRead(row.key).state, [], "no bytes")
            try await bench.mustCommit(bench.change(row, state: [1]))
            let filled = try await bench.mustRead(row.key)
            try await bench.mustCommit(bench.change(filled, state: []))
            try bench.expect(try await bench.mustRead(row.key).state, [], "empty is not the same as unchanged")
        },
        Case("each value of a byte comes back") { bench in
            let bytes = [0, 0] + Array(UInt8.min ... .max) + [92, 120, 39, 255, 0]
            let row = try await bench.makeRow { ($0.state, $0.outbox) = (bytes, .set(bytes.reversed())) }
            try bench.expect(try await bench.mustRead(row.key), row, "zeros, quotes and backslashes too")
        },
        Case("an id of 256 bytes comes back") { bench in
            let row = try await bench.makeRow { $0.id = InstallationID(String(repeating: "ü", count: 128)) }
            try bench.expect(try await bench.mustRead(row.key), row, "the id is the same")
        },
        Case("ids come back byte by byte: quotes, emoji, right to left, composed and decomposed") { bench in
            let ids = [
                "o'neill", "say \"hi\"", "back\\slash \\x00", "{a,b}", "$1 %s ; drop table installation; --",
                " spaced ",
                "👩‍👩‍👧‍👦🏳️‍🌈", "مرحبا", "שלום", "e\u{301}", "\u{E9}", "\u{FEFF}bom", "\u{10FFFD}", "NULL",
            ]
            for id in ids {
                let row = try await bench.makeRow { $0.id = InstallationID(id) }
                let found = try await bench.mustRead(row.key).id.rawValue
                try bench.expect(Array(found.utf8), Array(id.utf8), "the bytes of the id are the same")
            }
        },
        Case("keys and tags come back, with all bits") { bench in
            let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            let ones = UUID(
                uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)
            )
            for tag in [zero, ones] {
                let row = try await bench.makeRow { $0.tag = tag }
                try bench.expect(try await bench.mustRead(row.key), row, "the tag is the same")
                let wish = SharedSlotRequest(key: row.key, token: tag, owner: tag)
                _ = try await bench.store.takeSlot(wish, for: .seconds(60))
                let slot = try await bench.mustRead(row.key).slot
                try bench.expect(slot.map { [$0.token, $0.owner] }, [tag, tag], "token and owner are the same")
            }
        },
        Case("moments and counts of a session come back") { bench in
            for (started, last) in [(Int64(0), Int64(0)), (-1, 1), (1_700_000_000_123, 253_402_300_799_999)] {
                let session = SharedInstallation.OpenSession(
                    id: .random(),
                    started: started,
                    last: last,
                    events: Int(Int32.max)
                )
                let row = try await bench.makeRow { $0.session = .begin(session) }
                try bench.expect(try await bench.mustRead(row.key).session, session, "to the millisecond")
            }
        },
    ]
}

/// Limits: larger values and longer lists are refused.
enum LimitConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("more than 64 KiB are refused, and nothing is written") { bench in
            let large = [UInt8](repeating: 1, count: SharedStoreLimits.valueBytes + 1)
            let (state, outbox) = (bench.creation(large), bench.creation())
            try await bench.expectError(.invalidArgument, "the state is too large") {
                _ = try await bench.store.commit([state])
            }
            try await bench.expectError(.invalidArgument, "the outbox is too large") {
                var outbox = outbox
                outbox.outbox = .set(large)
                _ = try await bench.store.commit([bench.creation(), outbox])
            }
            let found = try await bench.store.read([state.key, outbox.key]).value
            try bench.expect(found, [], "no row was made")
        },
        Case("256 commits and 256 keys are one call; 257 are refused") { bench in
            let creations = (0...SharedStoreLimits.batch).map { _ in bench.creation([3]) }
            let keys = creations.map(\.key)
            try await bench.expectError(.invalidArgument, "257 commits") { _ = try await bench.store.commit(creations) }
            try await bench.expectError(.invalidArgument, "257 keys") { _ = try await bench.store.read(keys) }
            try bench.expect(try await bench.store.read(Array(keys.dropLast())).value, [], "no row was made")
            let outcomes = try await bench.store.commit(Array(creations.dropLast())).value
            try bench.expect(
                outcomes,
                Array(repeating: .committed, count: SharedStoreLimits.batch),
                "256 commits are taken"
            )
            let rows = try await bench.store.read(Array(keys.dropLast())).value
            try bench.expect(rows.count, SharedStoreLimits.batch, "256 rows are read")
        },
        Case("no keys, no commits and no activities are calls too") { bench in
            try bench.expect(try await bench.store.read([]).value, [], "no keys")
            try bench.expect(try await bench.store.commit([]).value, [], "no commits")
            let flush = try await bench.store.flush([], of: .random(), token: .random(), age: .zero)
            try bench.expect(flush.value, [], "no activities")
            try bench.expect(try await bench.store.erasures(of: []).value, [], "no hashes")
        },
        Case("a key that is there twice is refused") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            try await bench.expectError(.invalidArgument, "two readings of one row") {
                _ = try await bench.store.read([row.key, .random(), row.key])
            }
            try await bench.expectError(.invalidArgument, "two commits of one row") {
                let commits = [bench.change(row, state: [1]), bench.change(row, state: [2])]
                _ = try await bench.store.commit(commits)
            }
            try await bench.expectError(.invalidArgument, "two activities of one row") {
                let activity = SharedActivity(key: row.key, session: session.id, last: 2_000, events: 1)
                _ = try await bench.store.flush([activity, activity], of: .random(), token: .random(), age: .zero)
            }
            try bench.expect(try await bench.read(row.key), row, "nothing was changed")
        },
        Case("a row is made with a state, without a slot, for an id that is valid") { bench in
            var stateless = bench.creation()
            stateless.state = nil
            try await bench.expectError(.invalidArgument, "there is no state to begin with") {
                _ = try await bench.store.commit([stateless])
            }
            var fenced = bench.creation()
            fenced.slotToken = .random()
            try await bench.expectError(.invalidArgument, "a missing row has no slot") {
                _ = try await bench.store.commit([fenced])
            }
            for id in ["", String(repeating: "x", count: 257), "zero\u{0}", "line\n"] {
                var invalid = bench.creation()
                invalid.id = InstallationID(id)
                try await bench.expectError(.invalidArgument, "no id of an installation") {
                    _ = try await bench.store.commit([bench.creation(), invalid])
                }
                try bench.expect(try await bench.read(invalid.key), nil, "no row was made")
            }
            try bench.expect(try await bench.store.read([stateless.key, fenced.key]).value, [], "no row was made")
        },
        Case("16,384 activities are one call; 16,385 are refused") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let real = SharedActivity(key: row.key, session: session.id, last: 2_000, events: 1)
            let others = (0..<SharedStoreLimits.activities).map { _ in
                SharedActivity(key: .random(), session: .random(), last: 1, events: 1)
            }
            try await bench.expectError(.invalidArgument, "one too many") {
                _ = try await bench.store.flush(others + [real], of: .random(), token: .random(), age: .zero)
            }
            try bench.expect(try await bench.read(row.key), row, "nothing was added")
            let activities = Array(others.dropLast()) + [real]
            let outcomes = try await bench.store.flush(activities, of: .random(), token: .random(), age: .zero).value
            let missing = [SharedActivity.Outcome](repeating: .isMissing, count: SharedStoreLimits.activities - 1)
            try bench.expect(outcomes == missing + [.added(tag: row.tag)], found: "others", "each has its outcome")
            try bench.expect(try await bench.mustRead(row.key).session?.events, 1, "the real one was added")
        },
        Case("numbers below zero are refused") { bench in
            let session = bench.session()
            let row = try await bench.makeRow { $0.session = .begin(session) }
            let user = try bench.user()
            try await bench.expectError(.invalidArgument, "events") {
                let activity = SharedActivity(key: row.key, session: session.id, last: 2_000, events: -1)
                _ = try await bench.store.flush([activity], of: .random(), token: .random(), age: .zero)
            }
            try await bench.expectError(.invalidArgument, "the age of a flush") {
                _ = try await bench.store.flush([], of: .random(), token: .random(), age: .milliseconds(-1))
            }
            try await bench.expectError(.invalidArgument, "claims") {
                _ = try await bench.store.claimDue(-1, for: .seconds(1))
            }
            try await bench.expectError(.invalidArgument, "mentions") {
                _ = try await bench.store.mentions(of: user, after: nil, limit: -1)
            }
            try await bench.expectError(.invalidArgument, "idle rows") {
                _ = try await bench.store.removeIdle(days: 10_000, limit: -1)
            }
            try await bench.expectError(.invalidArgument, "idle days: they would be days to come") {
                _ = try await bench.store.removeIdle(days: -1, limit: 1)
            }
            try await bench.expectError(.invalidArgument, "days of what has ended") {
                try await bench.store.forgetEnded(days: -1)
            }
            try bench.expect(try await bench.read(row.key), row, "nothing was changed")
        },
        Case("days beyond the limit are refused") { bench in
            try await bench.expectError(.invalidArgument, "idle days") {
                _ = try await bench.store.removeIdle(days: SharedStoreLimits.days + 1, limit: 1)
            }
            try await bench.expectError(.invalidArgument, "days of what has ended") {
                try await bench.store.forgetEnded(days: SharedStoreLimits.days + 1)
            }
            try await bench.store.forgetEnded(days: SharedStoreLimits.days)
        },
        Case("more than 256 rows are not asked for at once") { bench in
            let user = try bench.user()
            try await bench.expectError(.invalidArgument, "claims") {
                _ = try await bench.store.claimDue(SharedStoreLimits.batch + 1, for: .seconds(1))
            }
            try await bench.expectError(.invalidArgument, "mentions") {
                _ = try await bench.store.mentions(of: user, after: nil, limit: SharedStoreLimits.batch + 1)
            }
            try await bench.expectError(.invalidArgument, "idle rows") {
                _ = try await bench.store.removeIdle(days: 10_000, limit: SharedStoreLimits.batch + 1)
            }
            try await bench.expectError(.invalidArgument, "hashes") {
                _ = try await bench.store.erasures(
                    of: (0...SharedStoreLimits.batch).map { [UInt8(truncatingIfNeeded: $0)] + [7] }
                )
            }
        },
    ]
}
