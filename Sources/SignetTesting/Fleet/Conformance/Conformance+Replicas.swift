// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

extension SharedStoreConformance {
    static let replicaCases: [Case] = [
        Case("a replica is new when it joins, and known from then on") { bench in
            let replica = UUID.random()
            try bench.expect(try await bench.replica(replica), nil, "no store knows a random id")
            let first = try await bench.store.join(replica)
            try bench.expect(first.value.isKnown, false, "it is new")
            let beat = try await bench.replica(replica)?.beat ?? 0
            try bench.expect(abs(beat - first.milliseconds) < 5_000, found: "\(beat)", "joining is a beat")
            try bench.expect(try await bench.store.join(replica).value.isKnown, true, "it is known")
        },
        Case("a replica that has left is known and has no beat, until it joins again") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica)
            try await bench.store.leave(replica)
            try bench.expect(
                try await bench.replica(replica),
                SharedReplica(id: replica, beat: nil),
                "nobody waits for it"
            )
            try await bench.store.leave(replica)
            try bench.expect(try await bench.store.join(replica).value.isKnown, true, "it has joined before")
            let beat = try await bench.replica(replica)?.beat
            try bench.expect(beat != nil, found: "no beat", "it lives")
        },
        Case("each flush is a beat, one without activities too") { bench in
            let replica = UUID.random()
            var last = try await bench.store.join(replica).milliseconds
            let row = try await bench.makeRow()
            let activity = SharedActivity(key: row.key, session: .random(), last: 1, events: 1)
            for activities in [[], [activity], []] {
                try await bench.wait(past: last)
                let sent = try await bench.store.read([]).milliseconds
                let answer = try await bench.store.flush(activities, of: replica, token: .random())
                let beat = try await bench.replica(replica)?.beat ?? 0
                try bench.expect(beat >= sent, found: "\(beat), flushed after \(sent)", "the beat is of the flush")
                last = max(answer.milliseconds, beat)
            }
        },
        Case("a replica that flushes lives, whether it is new or has left") { bench in
            let (new, left) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(left)
            try await bench.store.leave(left)
            for replica in [new, left] {
                _ = try await bench.store.flush([], of: replica, token: .random())
                let beat = try await bench.replica(replica)?.beat
                try bench.expect(beat != nil, found: "no beat", "it has one")
            }
        },
        Case("a flush of one replica is no beat of another") { bench in
            let (first, second) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(first)
            let joined = try await bench.store.join(second).milliseconds
            let beat = try await bench.replica(second)?.beat
            try await bench.wait(past: joined)
            _ = try await bench.store.flush([], of: first, token: .random())
            try bench.expect(try await bench.replica(second)?.beat, beat, "its own flushes count")
        },
        Case("what is young is not forgotten: replicas that live, replicas that have left, erasures") { bench in
            let (living, left) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(living)
            _ = try await bench.store.join(left)
            let erasure = try await bench.erase()
            try await bench.store.acknowledge(erasure.id, by: left)
            try await bench.store.leave(left)
            try await bench.store.forgetEnded(days: 1)
            try bench.expect(try await bench.replica(living)?.id, living, "it lives")
            try bench.expect(
                try await bench.replica(left),
                SharedReplica(id: left, beat: nil),
                "it has left a moment ago"
            )
            let found = try await bench.store.erasures(of: [erasure.hash]).value
            try bench.expect(found, [erasure], "the erasure is a moment old")
            let acknowledged = try await bench.store.acknowledgements(of: erasure.id).value
            try bench.expect(acknowledged, [left], "and so is its acknowledgement")
        },
    ]
}

extension SharedStoreConformance.Bench {
    /// Finds a replica in the list.
    func replica(_ id: UUID) async throws -> SharedReplica? {
        let found = try await self.store.replicas().value.filter { $0.id == id }
        try self.expect(found.count <= 1, found: "\(found)", "a replica is there once")
        return found.first
    }
}
