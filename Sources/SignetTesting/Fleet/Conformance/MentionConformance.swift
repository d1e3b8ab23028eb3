// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// Mentions: the rows that name a user.
enum MentionConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a row mentions the users whom its commits add") { bench in
            let (first, second, third) = (try bench.user(), try bench.user(), try bench.user())
            let row = try await bench.makeRow { $0.mentions = [first, second] }
            try bench.expect(try await bench.mentions(first), [row.key], "from the first commit on")
            try bench.expect(try await bench.mentions(third), [], "no other user")
            var change = bench.change(row)
            change.mentions = [third, first]
            try await bench.mustCommit(change)
            for user in [first, second, third] {
                try bench.expect(try await bench.mentions(user), [row.key], "added to those before, each once")
            }
        },
        Case("a row mentions a user until a commit forgets it") { bench in
            let (first, second) = (try bench.user(), try bench.user())
            let row = try await bench.makeRow { $0.mentions = [first, second] }
            var change = bench.change(row)
            change.forgets = [first, try bench.user()]
            try await bench.mustCommit(change)
            try bench.expect(try await bench.mentions(first), [], "it is forgotten")
            try bench.expect(try await bench.mentions(second), [row.key], "the other is not")
            change = bench.change(try await bench.mustRead(row.key))
            change.mentions = [first]
            try await bench.mustCommit(change)
            try bench.expect(try await bench.mentions(first), [row.key], "it may come back")
            change = bench.change(try await bench.mustRead(row.key))
            (change.mentions, change.forgets) = ([first], [first, second])
            try await bench.mustCommit(change)
            try bench.expect(
                try await bench.mentions(first),
                [row.key],
                "whom a commit mentions and forgets, it mentions"
            )
            try bench.expect(try await bench.mentions(second), [], "the other is forgotten")
        },
        Case("a refused commit mentions and forgets nobody") { bench in
            let (first, second) = (try bench.user(), try bench.user())
            let old = try await bench.makeRow { $0.mentions = [first] }
            try await bench.mustCommit(bench.change(old))
            var refused = bench.change(old, state: [1])
            (refused.mentions, refused.forgets) = ([second], [first])
            guard case .differs = try await bench.commit(refused) else {
                return try bench.expect(false, found: "committed", "the tag is old")
            }
            try bench.expect(try await bench.mentions(first), [old.key], "not forgotten")
            try bench.expect(try await bench.mentions(second), [], "not mentioned")
            var creation = bench.creation(key: old.key)
            creation.mentions = [second]
            _ = try await bench.commit(creation)
            try bench.expect(try await bench.mentions(second), [], "nor by a second creator")
        },
        Case("the keys of mentions come in pages, in the order of their bytes") { bench in
            let user = try bench.user()
            var keys: [UUID] = []
            for byte in [UInt8(0), 1, 0x40, 0x7F, 0x80, 0x81, 0xC0, 0xFF] {
                var key = UUID.random().uuid
                key.0 = byte
                keys.append(UUID(uuid: key))
            }
            // The last byte counts as well.
            var (low, high) = (keys[7].uuid, keys[7].uuid)
            (low.15, high.15) = (0x7F, 0x80)
            keys.removeLast()
            keys += [UUID(uuid: low), UUID(uuid: high)]
            for key in keys.shuffled() {
                try await bench.makeRow(key) { $0.mentions = [user] }
            }
            try bench.expect(try await bench.mentions(user), keys, "all of them, ascending")
            for limit in [1, 2, 4, 9] {
                var (paged, last): ([UUID], UUID?) = ([], nil)
                for _ in 0..<keys.count {
                    let page = try await bench.store.mentions(of: user, after: last, limit: limit).value
                    try bench.expect(page.count <= limit, found: "\(page.count) keys", "at most \(limit)")
                    guard let end = page.last else { break }
                    paged += page
                    last = end
                }
                try bench.expect(paged, keys, "pages of \(limit): each key once")
            }
            let behind = try await bench.store.mentions(of: user, after: keys.last, limit: 10).value
            try bench.expect(behind, [], "nothing after the last")
        },
        Case("the users whom rows mention come in pages, each once, in the order of their numbers") { bench in
            var users: Set<MPID> = []
            while users.count < 12 { users.insert(try bench.user()) }
            for _ in 0..<2 { _ = try await bench.makeRow { $0.mentions = Array(users) } }
            let gone = try bench.user()
            let row = try await bench.makeRow { $0.mentions = [gone] }
            var change = bench.change(row)
            change.forgets = [gone]
            try await bench.mustCommit(change)
            for limit in [5, SharedStoreLimits.users] {
                var (found, last): ([MPID], MPID?) = ([], nil)
                while true {
                    let page = try await bench.store.mentionedUsers(after: last, limit: limit).value
                    try bench.expect(page.count <= limit, found: "\(page.count)", "at most \(limit)")
                    found += page
                    guard page.count == limit, let end = page.last, last.map({ $0 < end }) ?? true else { break }
                    last = end
                }
                try bench.expect(found == found.sorted(), found: "\(found)", "pages of \(limit): ascending")
                try bench.expect(Set(found).count, found.count, "each once, though two rows mention it")
                try bench.expect(Set(found).intersection(users), users, "all of them")
                try bench.expect(found.contains(gone), false, "nobody whom no row mentions")
            }
            let largest = MPID(rawValue: .max)
            try bench.expect(
                try await bench.store.mentionedUsers(after: largest, limit: 1).value,
                [],
                "nothing after the largest"
            )
        },
        Case("users have any number: negative, smallest, largest") { bench in
            for number in [Int64.min, .max, -1, 1, Int64(Int32.max) + 1, Int64.random(in: Int64.min..<0)] {
                guard let user = MPID(rawValue: number) else { continue }
                let row = try await bench.makeRow { $0.mentions = [user] }
                var page = try await bench.store.mentions(of: user, after: bench.before(row.key), limit: 1).value
                try bench.expect(page, [row.key], "the row mentions \(number)")
                var change = bench.change(row)
                change.forgets = [user]
                try await bench.mustCommit(change)
                page = try await bench.store.mentions(of: user, after: bench.before(row.key), limit: 1).value
                try bench.expect(page.contains(row.key), false, "and forgets it")
            }
        },
        Case("a row mentions more than a few users") { bench in
            var users: Set<MPID> = []
            while users.count < 300 { users.insert(try bench.user()) }
            let row = try await bench.makeRow { $0.mentions = Array(users) }
            for user in users.prefix(20) {
                try bench.expect(try await bench.mentions(user), [row.key], "each of them")
            }
            var change = bench.change(row)
            change.forgets = Array(users.dropFirst())
            try await bench.mustCommit(change)
            var found = 0
            for user in users { found += try await bench.mentions(user).count }
            try bench.expect(found, 1, "one is left")
        },
    ]
}

extension SharedStoreConformance.Bench {
    /// A user whom no other case knows.
    func user() throws(SharedStoreConformance.Failure) -> MPID {
        let candidates = [Int64.random(in: .min ... .max), 1].compactMap(MPID.init(rawValue:))
        return try self.one(of: Array(candidates.prefix(1)), "a user has a number")
    }

    /// The rows that mention a user.
    func mentions(_ user: MPID) async throws -> [UUID] {
        try await self.store.mentions(of: user, after: nil, limit: SharedStoreLimits.batch).value
    }

    /// Makes a row with a key.
    func makeRow(_ key: UUID, _ edit: (inout SharedCommit) -> Void) async throws {
        var creation = self.creation(key: key)
        edit(&creation)
        try await self.mustCommit(creation)
    }

    /// The key before a key that does not end in zero; nil for any key otherwise.
    fileprivate func before(_ key: UUID) -> UUID? {
        var bytes = key.uuid
        guard bytes.15 > 0 else { return nil }
        bytes.15 -= 1
        return UUID(uuid: bytes)
    }
}
