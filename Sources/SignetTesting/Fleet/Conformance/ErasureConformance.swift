// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Erasures and their acknowledgements.
enum ErasureConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("an erasure is noted once, with the time of the database") { bench in
            let before = try await bench.store.read([]).milliseconds
            let erasure = try await bench.erase()
            let after = try await bench.store.read([]).milliseconds
            try bench.expect(
                before - 1 <= erasure.milliseconds && erasure.milliseconds <= after,
                found: "\(erasure.milliseconds), not from \(before) to \(after)",
                "the store sets the moment"
            )
            try await bench.wait(past: erasure.milliseconds + 1)
            _ = try await bench.store.erase(
                SharedErasure(id: erasure.id, hash: erasure.hash, by: .random(), milliseconds: 17)
            )
            let found = try await bench.store.erasures(of: [erasure.hash]).value
            try bench.expect(found, [erasure], "a repetition changes nothing, the moment neither")
        },
        Case("erasures are found by hash") { bench in
            let (first, second) = (try await bench.erase(), try await bench.erase())
            let again = try await bench.erase(hash: first.hash)
            let hashes = [bench.hash(), second.hash, first.hash, bench.hash()]
            let found = try await bench.store.erasures(of: hashes).value
            try bench.expect(Set(found), [first, second, again], "a user who was erased twice as well")
            try bench.expect(found.count, 3, "each once")
            try bench.expect(try await bench.store.erasures(of: [bench.hash()]).value, [], "no other")
        },
        Case("a hash has any bytes") { bench in
            for hash in [[0] + bench.hash(), bench.hash() + [0], bench.hash() + [39, 92, 255]] {
                let erasure = try await bench.erase(hash: hash)
                try bench.expect(try await bench.store.erasures(of: [hash]).value, [erasure], "it is found")
                let shorter = Array(hash.dropLast())
                try bench.expect(try await bench.store.erasures(of: [shorter]).value, [], "not by a part of it")
            }
        },
        Case("the rows of an erasure are done once that is noted") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            let (erasure, other) = (try await bench.erase(), try await bench.erase())
            try bench.expect(erasure.areRowsDone, false, "not when it is noted")
            var done = erasure
            done.areRowsDone = true
            for _ in 0..<2 {
                try await bench.store.finishRows(of: erasure.id)
                let found = try await bench.store.erasures(of: [erasure.hash, other.hash]).value
                try bench.expect(Set(found), [done, other], "of that one alone, noted once or twice")
                let pending = try await bench.pending(of: replica, among: [erasure, other])
                try bench.expect(Set(pending), [done, other], "those that wait say so as well")
            }
            _ = try await bench.store.erase(erasure)
            let found = try await bench.store.erasures(of: [erasure.hash]).value
            try bench.expect(found, [done], "a repetition of the erasure leaves it")
            try await bench.store.finishRows(of: .random())
        },
        Case("all erasures come in pages, in the order of their bytes") { bench in
            var ours: Set<UUID> = []
            for byte in [UInt8(0), 0x7F, 0x80, 0xFF] {
                var id = UUID.random().uuid
                id.0 = byte
                ours.insert(try await bench.erase(id: UUID(uuid: id)).id)
            }
            for limit in [1, 3, SharedStoreLimits.batch] {
                var (found, last): ([SharedErasure], UUID?) = ([], nil)
                while true {
                    let page = try await bench.store.erasures(after: last, limit: limit).value
                    try bench.expect(page.count <= limit, found: "\(page.count)", "at most \(limit)")
                    found += page
                    guard page.count == limit, let end = page.last?.id, last.map({ $0 < end }) ?? true else { break }
                    last = end
                }
                let ids = found.map(\.id)
                try bench.expect(ids == ids.sorted(), found: "\(ids)", "pages of \(limit): ascending")
                try bench.expect(Set(ids).intersection(ours), ours, "all of them, those of other replicas as well")
                let noted = try await bench.store.erasures(of: found.filter { ours.contains($0.id) }.map(\.hash)).value
                try bench.expect(Set(found).isSuperset(of: noted), found: "\(found)", "as they were noted")
            }
        },
        Case("an erasure is pending for a replica until it has acknowledged") { bench in
            let (first, second) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(first, token: .random())
            _ = try await bench.store.join(second, token: .random())
            let erasure = try await bench.erase()
            try bench.expect(try await bench.pending(of: first, among: [erasure]), [erasure], "for the one")
            try bench.expect(try await bench.store.acknowledgements(of: erasure.id).value, [], "nobody has done it")
            for _ in 0..<2 {
                try await bench.store.acknowledge(erasure.id, by: first)
                let acknowledged = try await bench.store.acknowledgements(of: erasure.id).value
                try bench.expect(acknowledged, [first], "the one has done it, told once or twice")
            }
            try bench.expect(try await bench.pending(of: first, among: [erasure]), [], "not for the one")
            try bench.expect(try await bench.pending(of: second, among: [erasure]), [erasure], "for the other")
            try await bench.store.acknowledge(erasure.id, by: second)
            let both = try await bench.store.acknowledgements(of: erasure.id).value
            try bench.expect(Set(both), [first, second], "both have done it")
        },
        Case("pending erasures come oldest first, and acknowledging a later one leaves the earlier") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            var erasures: [SharedErasure] = []
            for _ in 0..<4 {
                erasures.append(try await bench.erase())
                try await bench.wait(past: (erasures.last?.milliseconds ?? 0) + 1)
            }
            try bench.expect(try await bench.pending(of: replica, among: erasures), erasures, "in the order of time")
            try await bench.store.acknowledge(erasures[2].id, by: replica)
            var left = try await bench.pending(of: replica, among: erasures)
            try bench.expect(left, [erasures[0], erasures[1], erasures[3]], "no watermark: one is done")
            try await bench.store.acknowledge(erasures[0].id, by: replica)
            left = try await bench.pending(of: replica, among: erasures)
            try bench.expect(left, [erasures[1], erasures[3]], "two are done")
        },
        Case("a flush that counts pending erasures counts those of its replica") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            _ = try await bench.erase()
            // A store need not count: then the replica asks.
            guard let pending = try await bench.countedPending(of: replica) else { return }
            try bench.expect((1...SharedStoreLimits.batch).contains(pending), found: "\(pending)", "one is pending")
            while case let page = try await bench.store.pendingErasures(of: replica).value, !page.isEmpty {
                for erasure in page { try await bench.store.acknowledge(erasure.id, by: replica) }
            }
            let left = try await bench.countedPending(of: replica)
            // Another case may have made one meanwhile.
            let others = try await bench.store.pendingErasures(of: replica).value
            try bench.expect(left == 0 || !others.isEmpty, found: "\(left ?? -1)", "all are acknowledged")
        },
        Case("a replica that joins after an erasure has it pending too") { bench in
            let (erasure, replica) = (try await bench.erase(), UUID.random())
            _ = try await bench.store.join(replica, token: .random())
            try bench.expect(
                try await bench.pending(of: replica, among: [erasure]),
                [erasure],
                "it may have an old disk"
            )
        },
        Case("a replica that joins is told the moment of the oldest erasure") { bench in
            let erasure = try await bench.erase()
            _ = try await bench.erase()
            let oldest = try await bench.store.join(.random(), token: .random()).value.oldestErasure
            guard let oldest else { return try bench.expect(false, found: "none", "there is an erasure") }
            try bench.expect(oldest <= erasure.milliseconds, found: "\(oldest)", "no erasure is older")
        },
    ]
}

extension SharedStoreConformance.Bench {
    /// The hash of a user whom no other case knows.
    func hash() -> [UInt8] {
        withUnsafeBytes(of: (UUID.random().uuid, UUID.random().uuid)) { Array($0) }
    }

    /// Notes an erasure, and returns it as the store has noted it.
    func erase(hash: [UInt8]? = nil, id: UUID = .random()) async throws -> SharedErasure {
        let erasure = SharedErasure(id: id, hash: hash ?? self.hash(), by: .random(), milliseconds: 17)
        _ = try await self.store.erase(erasure)
        let found = try await self.store.erasures(of: [erasure.hash]).value.filter { $0.id == erasure.id }
        let noted = try self.one(of: found, "the erasure is noted once")
        try self.expect(noted.replica, erasure.replica, "with the replica that has noted it")
        return noted
    }

    /// The number of pending erasures that a flush of a replica says.
    func countedPending(of replica: UUID) async throws -> Int? {
        try await self.store.flush([], of: replica, token: .random(), age: .zero).pendingErasures
    }

    /// The pending erasures of a replica, as far as they are this case's; those of others are acknowledged on the way.
    func pending(of replica: UUID, among ours: [SharedErasure]) async throws -> [SharedErasure] {
        let ids = Set(ours.map(\.id))
        while true {
            let page = try await self.store.pendingErasures(of: replica).value
            try self.expect(page.count <= SharedStoreLimits.batch, found: "\(page.count)", "at most 256 at once")
            let moments = page.map(\.milliseconds)
            try self.expect(moments == moments.sorted(), found: "\(moments)", "oldest first")
            let others = page.filter { !ids.contains($0.id) }
            guard page.count == SharedStoreLimits.batch, !others.isEmpty else {
                return page.filter { ids.contains($0.id) }
            }
            for other in others { try await self.store.acknowledge(other.id, by: replica) }
        }
    }
}
