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
            _ = try await bench.store.erase(SharedErasure(id: erasure.id, hash: erasure.hash, milliseconds: 17))
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
    func erase(hash: [UInt8]? = nil) async throws -> SharedErasure {
        let erasure = SharedErasure(id: .random(), hash: hash ?? self.hash(), milliseconds: 17)
        _ = try await self.store.erase(erasure)
        let found = try await self.store.erasures(of: [erasure.hash]).value.filter { $0.id == erasure.id }
        return try self.one(of: found, "the erasure is noted once")
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
