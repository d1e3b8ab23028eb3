// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Replicas: joining, beating and leaving.
enum ReplicaConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a replica is new when it joins, and known from then on") { bench in
            let replica = UUID.random()
            try bench.expect(try await bench.replica(replica), nil, "no store knows a random id")
            let first = try await bench.store.join(replica, token: .random())
            try bench.expect(first.value.isKnown, false, "it is new")
            let beat = try await bench.replica(replica)?.beat ?? 0
            try bench.expect(abs(beat - first.milliseconds) < 5_000, found: "\(beat)", "joining is a beat")
            try bench.expect(try await bench.store.join(replica, token: .random()).value.isKnown, true, "it is known")
        },
        Case("a replica that has left is known and has no beat, until it joins again") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            try await bench.store.leave(replica)
            try bench.expect(
                try await bench.replica(replica),
                SharedReplica(id: replica, beat: nil),
                "nobody waits for it"
            )
            try await bench.store.leave(replica)
            try bench.expect(
                try await bench.store.join(replica, token: .random()).value.isKnown,
                true,
                "it has joined before"
            )
            let beat = try await bench.replica(replica)?.beat
            try bench.expect(beat != nil, found: "no beat", "it lives")
        },
        Case("each flush is a beat, one without activities too") { bench in
            let replica = UUID.random()
            var last = try await bench.store.join(replica, token: .random()).milliseconds
            let row = try await bench.makeRow()
            let activity = SharedActivity(key: row.key, session: .random(), last: 1, events: 1)
            for activities in [[], [activity], []] {
                try await bench.wait(past: last)
                let sent = try await bench.store.read([]).milliseconds
                let answer = try await bench.store.flush(activities, of: replica, token: .random(), age: .zero)
                let beat = try await bench.replica(replica)?.beat ?? 0
                try bench.expect(beat >= sent, found: "\(beat), flushed after \(sent)", "the beat is of the flush")
                last = max(answer.milliseconds, beat)
            }
        },
        Case("a beat is as old as the flush that makes it") { bench in
            let replica = UUID.random()
            let before = try await bench.store.read([]).milliseconds
            let answer = try await bench.store.flush([], of: replica, token: .random(), age: .seconds(60))
            let after = try await bench.store.read([]).milliseconds
            let beat = try await bench.replica(replica)?.beat ?? 0
            try bench.expect(
                beat >= before - 60_001 && beat <= after - 59_999,
                found: "\(beat), flushed at \(answer.milliseconds)",
                "the database's time minus the age"
            )
        },
        Case("an old flush does not move the beat back") { bench in
            let replica = UUID.random()
            _ = try await bench.store.join(replica, token: .random())
            let beat = try await bench.replica(replica)?.beat
            _ = try await bench.store.flush([], of: replica, token: .random(), age: .seconds(3_600))
            try bench.expect(try await bench.replica(replica)?.beat, beat, "what it has told stays told")
        },
        Case("a flush that is repeated leaves the beat") { bench in
            let (replica, token) = (UUID.random(), UUID.random())
            let first = try await bench.store.flush([], of: replica, token: token, age: .seconds(60))
            let beat = try await bench.replica(replica)?.beat
            try await bench.wait(past: first.milliseconds + 1)
            for age in [Duration.zero, .seconds(59), .seconds(61)] {
                _ = try await bench.store.flush([], of: replica, token: token, age: age)
                try bench.expect(
                    try await bench.replica(replica)?.beat,
                    beat,
                    "later events may wait for the next flush"
                )
            }
            try await bench.store.leave(replica)
            _ = try await bench.store.flush([], of: replica, token: token, age: .zero)
            let left = SharedReplica(id: replica, beat: nil)
            try bench.expect(try await bench.replica(replica), left, "one that comes too late brings nobody back")
        },
        Case("joining that is repeated answers as the first time") { bench in
            let (replica, first, second) = (UUID.random(), UUID.random(), UUID.random())
            for (token, isKnown) in [(first, false), (first, false), (second, true), (second, true)] {
                let joining = try await bench.store.join(replica, token: token).value
                try bench.expect(joining.isKnown, isKnown, "each token has one answer")
            }
        },
        Case("joining that is repeated leaves the beat") { bench in
            let (replica, token) = (UUID.random(), UUID.random())
            let first = try await bench.store.join(replica, token: token)
            let beat = try await bench.replica(replica)?.beat
            try await bench.wait(past: max(first.milliseconds, beat ?? 0) + 1)
            _ = try await bench.store.join(replica, token: token)
            try bench.expect(try await bench.replica(replica)?.beat, beat, "it may have logged since")
        },
        Case("a flush names the token of the replica's last joining") { bench in
            let (replica, first, second) = (UUID.random(), UUID.random(), UUID.random())
            try bench.expect(try await bench.joining(of: replica), nil, "one that has not joined has none")
            _ = try await bench.store.join(replica, token: first)
            _ = try await bench.store.join(.random(), token: .random())
            try bench.expect(try await bench.joining(of: replica), first, "its own, and of no other replica")
            _ = try await bench.store.join(replica, token: second)
            for _ in 0..<2 { try bench.expect(try await bench.joining(of: replica), second, "whoever flushes") }
            _ = try await bench.store.join(replica, token: first)
            try bench.expect(try await bench.joining(of: replica), first, "the last one counts")
            try await bench.store.leave(replica)
            try bench.expect(try await bench.joining(of: replica), first, "after it has left as well")
            let token = UUID.random()
            for _ in 0..<2 {
                let answer = try await bench.store.flush([], of: replica, token: token, age: .zero)
                try bench.expect(answer.joining, first, "a repetition says it, too")
            }
        },
        Case("a replica that has only flushed is new when it joins") { bench in
            let replica = UUID.random()
            _ = try await bench.store.flush([], of: replica, token: .random(), age: .zero)
            let joining = try await bench.store.join(replica, token: .random()).value
            try bench.expect(joining.isKnown, false, "it may have been forgotten")
        },
        Case("a replica that flushes lives, whether it is new or has left") { bench in
            let (new, left) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(left, token: .random())
            try await bench.store.leave(left)
            for replica in [new, left] {
                _ = try await bench.store.flush([], of: replica, token: .random(), age: .zero)
                let beat = try await bench.replica(replica)?.beat
                try bench.expect(beat != nil, found: "no beat", "it has one")
            }
        },
        Case("a flush of one replica is no beat of another") { bench in
            let (first, second) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(first, token: .random())
            let joined = try await bench.store.join(second, token: .random()).milliseconds
            let beat = try await bench.replica(second)?.beat
            try await bench.wait(past: joined)
            _ = try await bench.store.flush([], of: first, token: .random(), age: .zero)
            try bench.expect(try await bench.replica(second)?.beat, beat, "its own flushes count")
        },
        Case("what is young is not forgotten: replicas that live, replicas that have left, erasures") { bench in
            let (living, left) = (UUID.random(), UUID.random())
            _ = try await bench.store.join(living, token: .random())
            _ = try await bench.store.join(left, token: .random())
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
    /// The token of a replica's last joining, as a flush says it.
    func joining(of replica: UUID) async throws -> UUID? {
        try await self.store.flush([], of: replica, token: .random(), age: .zero).joining
    }

    /// Finds a replica in the list.
    func replica(_ id: UUID) async throws -> SharedReplica? {
        let found = try await self.store.replicas().value.filter { $0.id == id }
        try self.expect(found.count <= 1, found: "\(found)", "a replica is there once")
        return found.first
    }
}
