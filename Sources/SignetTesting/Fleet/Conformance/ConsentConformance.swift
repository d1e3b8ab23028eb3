// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// The latest consents of users.
enum ConsentConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a consent is written on the tag that was read, and only on it") { bench in
            let user = try bench.user()
            _ = try await bench.makeRow { $0.mentions = [user] }
            try bench.expect(try await bench.consents([user]), [], "none at first")
            let first = SharedConsent(of: user, state: [0, 1, 255], tag: .random())
            try bench.expect(try await bench.write(first, on: nil), .written, "the first one")
            try bench.expect(try await bench.consents([user]), [first], "it comes back byte by byte")
            let second = SharedConsent(of: user, state: [2], tag: .random())
            try bench.expect(try await bench.write(second, on: nil), .differs(first), "there is one")
            try bench.expect(try await bench.write(second, on: .random()), .differs(first), "another tag")
            try bench.expect(try await bench.write(second, on: first.tag), .written, "its tag")
            try bench.expect(try await bench.write(first, on: nil), .differs(second), "the first one is gone")
            try bench.expect(try await bench.consents([user, try bench.user()]), [second], "the latest one")
        },
        Case("a consent that is written again is written") { bench in
            let user = try bench.user()
            _ = try await bench.makeRow { $0.mentions = [user] }
            let first = SharedConsent(of: user, state: [1], tag: .random())
            for _ in 0..<2 { try bench.expect(try await bench.write(first, on: nil), .written, "a repetition") }
            let second = SharedConsent(of: user, state: [2], tag: .random())
            for _ in 0..<2 { try bench.expect(try await bench.write(second, on: first.tag), .written, "a repetition") }
            try bench.expect(try await bench.consents([user]), [second], "the latest one")
        },
        Case("a row has the consents of the users whom it mentions") { bench in
            let (first, second) = (try bench.user(), try bench.user())
            var row = try await bench.makeRow { $0.mentions = [first, second] }
            let other = try await bench.makeRow { $0.mentions = [second] }
            for user in [first, second] {
                let consent = SharedConsent(of: user, state: Array("of \(user)".utf8), tag: .random())
                try bench.expect(try await bench.write(consent, on: nil), .written, "the first one")
            }
            let all = try await bench.consents([first, second])
            try bench.expect(Set(try await bench.mustRead(row.key).consents), Set(all), "those of both")
            let one = all.filter { $0.mpid == second }
            try bench.expect(try await bench.mustRead(other.key).consents, one, "that of its user alone")
            guard case .differs(let found) = try await bench.commit(bench.creation(key: row.key)) else {
                return try bench.expect(false, found: "committed", "the row is there")
            }
            try bench.expect(Set(found?.consents ?? []), Set(all), "also after a refused commit")
            let outcome = try await bench.store.takeSlot(bench.wish(row), for: .seconds(60)).value
            guard case .taken(let held) = outcome else { return try bench.expect(false, found: "\(outcome)", "free") }
            try bench.expect(Set(held.consents), Set(all), "and with the slot")
            row = try await bench.mustRead(row.key)
            var change = bench.change(row)
            change.forgets = [first]
            try await bench.mustCommit(change)
            try bench.expect(try await bench.mustRead(row.key).consents, one, "none of who is forgotten")
            try bench.expect(Set(try await bench.consents([first, second])), Set(all), "which stays")
        },
        Case("of many writers on one tag, one wins") { bench in
            let user = try bench.user()
            _ = try await bench.makeRow { $0.mentions = [user] }
            var tag: UUID?
            for _ in 0..<8 {
                let before = tag
                let consents = (0..<8).map { SharedConsent(of: user, state: [UInt8($0)], tag: .random()) }
                let written = try await withThrowingTaskGroup(of: SharedConsent?.self) { group in
                    for consent in consents {
                        group.addTask { try await bench.write(consent, on: before) == .written ? consent : nil }
                    }
                    return try await group.reduce(into: [SharedConsent]()) { all, one in
                        if let one { all.append(one) }
                    }
                }
                try bench.expect(written.count, 1, "one of them")
                try bench.expect(try await bench.consents([user]), written, "that is the latest")
                tag = written.first?.tag
            }
        },
        Case("no consent of a user whom no row mentions is made, and an erasure removes it") { bench in
            let user = try bench.user()
            let first = SharedConsent(of: user, state: [1], tag: .random())
            try bench.expect(try await bench.write(first, on: nil), .differs(nil), "no row mentions the user")
            let row = try await bench.makeRow { $0.mentions = [user] }
            try bench.expect(try await bench.write(first, on: nil), .written, "one does")
            var change = bench.change(row)
            change.forgets = [user]
            try await bench.mustCommit(change)
            for _ in 0..<2 { try await bench.store.removeConsent(of: user) }
            try bench.expect(try await bench.consents([user]), [], "it is gone")
            let second = SharedConsent(of: user, state: [2], tag: .random())
            for tag in [nil, first.tag] {
                try bench.expect(try await bench.write(second, on: tag), .differs(nil), "and nothing makes it again")
            }
        },
        Case("a consent of 64 KiB comes back; a larger one, and too many users, are refused") { bench in
            let user = try bench.user()
            _ = try await bench.makeRow { $0.mentions = [user] }
            let bytes = (0..<SharedStoreLimits.valueBytes).map { UInt8(truncatingIfNeeded: $0) }
            let consent = SharedConsent(of: user, state: bytes, tag: .random())
            try bench.expect(try await bench.write(consent, on: nil), .written, "64 KiB")
            try bench.expect(try await bench.consents([user]), [consent], "they come back")
            try await bench.expectError(.invalidArgument, "a larger one is refused") {
                _ = try await bench.write(SharedConsent(of: user, state: bytes + [0], tag: .random()), on: consent.tag)
            }
            let users = Array(repeating: user, count: SharedStoreLimits.batch + 1)
            try await bench.expectError(.invalidArgument, "too many users") { _ = try await bench.consents(users) }
            try await bench.expectError(.invalidArgument, "too many consents") {
                _ = try await bench.store.removeConsents(days: 1, limit: SharedStoreLimits.batch + 1)
            }
        },
    ]

    /// Those that some days have passed over.
    static let agingCases: [Case] = [
        Case("old consents are removed of users whom no row mentions") { bench in
            let (gone, mentioned, young) = (try bench.user(), try bench.user(), try bench.user())
            let row = try await bench.makeRow { $0.mentions = [gone, mentioned, young] }
            for user in [gone, mentioned] {
                let consent = SharedConsent(of: user, state: [1], tag: .random())
                try bench.expect(try await bench.write(consent, on: nil), .written, "the first one")
            }
            try await bench.passDays(32)
            let consent = SharedConsent(of: young, state: [1], tag: .random())
            try bench.expect(try await bench.write(consent, on: nil), .written, "a young one")
            var change = bench.change(try await bench.mustRead(row.key))
            change.forgets = [gone, young]
            try await bench.mustCommit(change)
            var removed = 0
            repeat {
                removed = try await bench.store.removeConsents(days: 30, limit: SharedStoreLimits.batch).value
            } while removed == SharedStoreLimits.batch
            let left = try await bench.consents([gone, mentioned, young]).map(\.mpid)
            try bench.expect(Set(left), [mentioned, young], "the others stay")
        }
    ]
}

extension SharedStoreConformance.Bench {
    fileprivate func consents(_ users: [MPID]) async throws -> [SharedConsent] {
        try await self.store.consents(of: users).value
    }

    fileprivate func write(_ consent: SharedConsent, on tag: UUID?) async throws -> SharedConsent.Outcome {
        try await self.store.write(consent, replacing: tag).value
    }
}
