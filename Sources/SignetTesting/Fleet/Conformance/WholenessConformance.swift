// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Whole commits: no answer shows half of one.
enum WholenessConformance: ConformanceSubject {
    /// A store may keep a row in several tables: each commit of these cases writes its tag into all parts.
    static let cases: [Case] = [
        Case("no answer shows half of a commit") { bench in
            let made = try await bench.makeRow { creation in
                creation.write(creation.tag, look: 1_000)
                creation.session = .begin(bench.session())
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await Self.write(made, bench) }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<Self.rounds {
                            try bench.expectWhole(try await bench.mustRead(made.key), "a reading")
                        }
                    }
                }
                for _ in 0..<2 { group.addTask { try await Self.takeSlots(made, bench) } }
                group.addTask {
                    for _ in 0..<Self.rounds {
                        let claimed = try await bench.store.claimDue(SharedStoreLimits.batch, for: .milliseconds(1))
                            .value
                        for row in claimed where row.key == made.key { try bench.expectWhole(row, "a claim") }
                    }
                }
                group.addTask {
                    for _ in 0..<Self.rounds {
                        var stale = bench.change(made)
                        stale.condition = .tag(.random())
                        guard case .differs(let row?) = try await bench.commit(stale) else {
                            return try bench.expect(false, found: "committed, or no row", "no row has a random tag")
                        }
                        try bench.expectWhole(row, "a refusal")
                    }
                }
                try await group.waitForAll()
            }
            let last = try await bench.mustRead(made.key)
            try bench.expect(last.tags.count, 16, "the commits were taken")
            var rest = bench.change(last)
            rest.look = .set(nil)
            try await bench.mustCommit(rest)
        },
        Case("a row comes back whole after each of many commits") { bench in
            var row = try await bench.makeRow { $0.write($0.tag, look: 4_102_444_800_000) }
            for number in Int64(0)..<40 {
                var change = bench.change(row)
                change.write(change.tag, look: 4_102_444_800_000 + number)
                try await bench.mustCommit(change)
                row = try await bench.mustRead(row.key)
                try bench.expect(row.tag, change.tag, "the reading is of the commit")
                try bench.expectWhole(row, "a reading")
                try bench.expect(row.look, 4_102_444_800_000 + number, "the moment is of the commit")
                let wish = bench.wish(row)
                guard case .taken(let taken) = try await bench.store.takeSlot(wish, for: .seconds(10)).value else {
                    return try bench.expect(false, found: "held", "the slot is free")
                }
                try bench.expectWhole(taken, "a slot that was taken")
                try await bench.store.releaseSlot(wish)
            }
        },
    ]

    private static let rounds = 40

    private static func write(_ made: SharedInstallation, _ bench: Bench) async throws {
        for round in 0..<Self.rounds {
            let row = try await bench.mustRead(made.key)
            var change = bench.change(row)
            change.write(change.tag, look: 1_000 + Int64(round))
            try bench.expect(try await bench.commit(change), .committed, "no other task commits")
        }
    }

    private static func takeSlots(_ made: SharedInstallation, _ bench: Bench) async throws {
        for _ in 0..<Self.rounds {
            let wish = bench.wish(made)
            for outcome in [
                try await bench.store.takeSlot(wish, for: .seconds(10)).value,
                try await bench.store.renewSlot(wish, for: .seconds(10)).value,
            ] {
                switch outcome {
                case .taken(let row):
                    try bench.expectWhole(row, "a slot that was taken")
                    try bench.expect(row.slot?.token, wish.token, "the slot is this token's")
                case .held(let row): try bench.expectWhole(row, "a slot that was refused")
                case .isMissing: try bench.expect(false, found: "no row", "the row is there")
                }
            }
            try await bench.store.releaseSlot(wish)
        }
    }
}

extension SharedCommit {
    /// Writes a tag into all parts that a commit sets.
    fileprivate mutating func write(_ tag: UUID, look: Int64) {
        self.state = tag.bytes
        self.outbox = .set(tag.bytes + tag.bytes)
        self.look = .set(look)
    }
}

extension SharedStoreConformance.Bench {
    fileprivate func expectWhole(_ row: SharedInstallation, _ answer: String) throws {
        try self.expect(row.tags.first, row.tag, "\(answer): the newest tag is the tag")
        try self.expect(row.state, row.tag.bytes, "\(answer): the state is of the tag")
        try self.expect(row.outbox, row.tag.bytes + row.tag.bytes, "\(answer): the outbox is of the tag")
    }
}

extension UUID {
    fileprivate var bytes: [UInt8] {
        withUnsafeBytes(of: self.uuid) { Array($0) }
    }
}
