// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetLock
import SignetModel
import SignetTesting

extension WrongStore {
    // MARK: - Slots

    func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        self.memory.withLock { $0.cache.removeAll() }
        let read = try await self.base.read([slot.key])
        if let row = read.value.first, let held = row.slot, held.token != slot.token {
            if self.mistake == .neverFreesAFarSlot, held.until > read.milliseconds {
                return SharedAnswer(.held(row), at: read.milliseconds)
            }
            if self.mistake == .keepsASlotOverItsTime, held.until <= read.milliseconds {
                return SharedAnswer(.held(row), at: read.milliseconds)
            }
            if self.mistake == .givesTheSlotToAnyone {
                return try await self.replace(held.token, by: slot, for: span)
            }
        }
        if self.mistake == .refusesTheSameToken, let row = read.value.first, row.slot?.token == slot.token {
            return SharedAnswer(.held(row), at: read.milliseconds)
        }
        var answer = try await self.base.takeSlot(slot, for: span)
        if self.mistake == .takesTheSlotOfAnOldRow, case .taken(let row) = answer.value {
            answer.value = .taken(self.memory.withLock { $0.withOldState(row) })
        }
        guard self.mistake == .givesTheSlotToAnyone, case .held(let row) = answer.value, let held = row.slot else {
            return answer
        }
        return try await self.replace(held.token, by: slot, for: span)
    }

    func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        let read = try await self.base.read([slot.key])
        guard let row = read.value.first, let held = row.slot else {
            if self.mistake == .renewsAFreeSlot { return try await self.base.takeSlot(slot, for: span) }
            return try await self.base.renewSlot(slot, for: span)
        }
        if self.mistake == .refusesALateRenewal, held.until <= read.milliseconds {
            return SharedAnswer(.held(row), at: read.milliseconds)
        }
        if self.mistake == .renewsForAnyToken, held.token != slot.token {
            return try await self.replace(held.token, by: slot, for: span)
        }
        return try await self.base.renewSlot(slot, for: span)
    }

    private func replace(
        _ token: UUID,
        by slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.base.releaseSlot(SharedSlotRequest(key: slot.key, token: token, owner: token))
        return try await self.base.takeSlot(slot, for: span)
    }

    func releaseSlot(_ slot: SharedSlotRequest) async throws(SharedStoreError) {
        var slot = slot
        if self.mistake == .releasesForAnyToken, let held = try await self.row(slot.key)?.slot {
            slot.token = held.token
        }
        try await self.base.releaseSlot(slot)
    }

    // MARK: - Activity

    func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedActivity.Outcome]> {
        self.memory.withLock { $0.cache.removeAll() }
        switch self.mistake {
        case .namesNoJoining:
            var answer = try await self.base.flush(activities, of: replica, token: token, age: age)
            answer.joining = nil
            return answer
        case .ignoresTheAge:
            return try await self.base.flush(activities, of: replica, token: token, age: .zero)
        case .movesTheBeatBack:
            try await self.base.leave(replica)
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        case .movesTheBeatOnARepetition where self.base.engine.database.replicas[replica]?.flush == token:
            for token in [UUID(), token] { _ = try await self.base.flush([], of: replica, token: token, age: age) }
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        case .trustsABeatAheadOfItsClock where self.base.engine.database.replicas[replica]?.flush != token:
            if let beat = self.base.engine.database.replicas[replica]?.beat, beat > self.base.engine.milliseconds {
                return SharedAnswer([], at: self.base.engine.milliseconds)
            }
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        case .countsARepetition:
            return try await self.base.flush(activities, of: replica, token: UUID(), age: age)
        case .knowsATokenOfAnyReplica:
            let first = self.memory.withLock { memory in
                let first = memory.flushes[token] ?? replica
                memory.flushes[token] = first
                return first
            }
            return try await self.base.flush(activities, of: first, token: token, age: age)
        case .makesARowOnAFlush where activities.count <= SharedStoreLimits.batch:
            let answer = try await self.base.flush(activities, of: replica, token: token, age: age)
            for (activity, outcome) in zip(activities, answer.value) where outcome == .isMissing {
                _ = try await self.base.commit([
                    SharedCommit("made", key: activity.key, if: .isMissing, tag: UUID(), state: [])
                ])
            }
            return answer
        case .countsNoErasures:
            var answer = try await self.base.flush(activities, of: replica, token: token, age: age)
            answer.pendingErasures = 0
            return answer
        case .answersAFlushInTheOrderOfKeys:
            return try await self.base.flush(activities.sorted { $0.key < $1.key }, of: replica, token: token, age: age)
        case .makesNoBeatOfAnEmptyFlush where activities.isEmpty:
            return SharedAnswer([], at: try await self.base.read([]).milliseconds)
        case .flushesIntoAnySession where activities.count <= SharedStoreLimits.batch:
            var activities = activities
            for index in activities.indices {
                let open = try await self.row(activities[index].key)?.session?.id
                activities[index].session = open ?? activities[index].session
            }
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        case .flushesWithANewTag where activities.count == 1:
            let answer = try await self.base.flush(activities, of: replica, token: token, age: age)
            for activity in activities {
                guard let row = try await self.row(activity.key) else { continue }
                _ = try await self.base.commit([SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: UUID())])
            }
            return answer
        default:
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        }
    }

    func claimDue(
        _ limit: Int,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        var answer = try await self.base.claimDue(
            limit,
            for: self.mistake == .claimsWithoutMovingTheMoment ? .zero : span
        )
        if self.mistake == .claimsTheLatestFirst { answer.value.reverse() }
        return answer
    }

    // MARK: - Replicas

    func join(_ replica: UUID, token: UUID) async throws(SharedStoreError) -> SharedAnswer<SharedReplica.Joining> {
        let hasFlushed = self.base.engine.database.replicas[replica] != nil
        var answer = try await self.base.join(
            replica,
            token: self.mistake == .takesARepeatedJoiningForAnother ? UUID() : token
        )
        if self.mistake == .knowsWhoHasOnlyFlushed, hasFlushed { answer.value.isKnown = true }
        if self.memory.withLock({ $0.left.remove(replica) != nil }) { answer.value.isKnown = false }
        if self.mistake == .tellsNoOldestErasure { answer.value.oldestErasure = nil }
        if self.mistake == .hidesErasuresFromBefore {
            for erasure in try await self.base.pendingErasures(of: replica).value {
                try await self.base.acknowledge(erasure.id, by: replica)
            }
        }
        return answer
    }

    func leave(_ replica: UUID) async throws(SharedStoreError) {
        if self.mistake == .forgetsWhoHasLeft {
            self.memory.withLock { memory in _ = memory.left.insert(replica) }
        }
        try await self.base.leave(replica)
    }

    func replicas() async throws(SharedStoreError) -> SharedAnswer<[SharedReplica]> {
        var answer = try await self.base.replicas()
        let left = self.memory.withLock { $0.left }
        answer.value.removeAll { left.contains($0.id) }
        return answer
    }

    func forgetEnded(days: Int) async throws(SharedStoreError) {
        if self.mistake == .forgetsUnfinishedErasures {
            for erasure in try await self.base.erasures(after: nil, limit: SharedStoreLimits.batch).value {
                try await self.base.finishRows(of: erasure.id)
            }
        }
        try await self.base.forgetEnded(days: self.mistake == .forgetsWhatIsYoung ? 0 : days)
    }

    // MARK: - Erasures

    func erase(_ erasure: SharedErasure) async throws(SharedStoreError) -> SharedAnswer<Void> {
        var erasure = erasure
        if self.mistake == .notesARepeatedErasure {
            let noted = try await self.base.erasures(of: [erasure.hash]).value.map(\.id)
            if noted.contains(erasure.id) { erasure.id = UUID() }
        }
        let answer = try await self.base.erase(erasure)
        guard self.mistake == .forgetsDoneRowsOnARepetition else { return answer }
        self.memory.withLock { memory in _ = memory.done.remove(erasure.id) }
        return answer
    }

    func finishRows(of erasure: UUID) async throws(SharedStoreError) {
        switch self.mistake {
        case .finishesTheRowsOfAll:
            for other in try await self.base.erasures(after: nil, limit: SharedStoreLimits.batch).value {
                try await self.base.finishRows(of: other.id)
            }
        case .forgetsDoneRowsOnARepetition:
            self.memory.withLock { memory in _ = memory.done.insert(erasure) }
        default:
            try await self.base.finishRows(of: erasure)
        }
    }

    func mentionedUsers(after mpid: MPID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[MPID]> {
        var answer = try await self.base.mentionedUsers(after: mpid, limit: limit)
        guard self.mistake == .listsUsersOncePerRow else { return answer }
        answer.value = Array(answer.value.flatMap { [$0, $0] }.prefix(limit))
        return answer
    }

    func mentions(
        of mpid: MPID,
        after key: UUID?,
        limit: Int
    ) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        guard self.mistake == .pagesBySignedBytes else {
            return try await self.base.mentions(of: mpid, after: key, limit: limit)
        }
        var answer = try await self.base.mentions(of: mpid, after: key, limit: limit)
        answer.value.sort { Int8(bitPattern: $0.uuid.0) < Int8(bitPattern: $1.uuid.0) }
        return answer
    }

    func pendingErasures(of replica: UUID) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        self.withoutDoneRows(try await self.base.pendingErasures(of: replica))
    }

    /// The erasures, done only as far as no repetition has undone it.
    private func withoutDoneRows(_ answer: SharedAnswer<[SharedErasure]>) -> SharedAnswer<[SharedErasure]> {
        guard self.mistake == .forgetsDoneRowsOnARepetition else { return answer }
        var answer = answer
        let done = self.memory.withLock { $0.done }
        for index in answer.value.indices { answer.value[index].areRowsDone = done.contains(answer.value[index].id) }
        return answer
    }

    func acknowledge(_ erasure: UUID, by replica: UUID) async throws(SharedStoreError) {
        if self.mistake == .acknowledgesAllBefore {
            let pending = try await self.base.pendingErasures(of: replica).value
            for earlier in pending.prefix(while: { $0.id != erasure }) {
                try await self.base.acknowledge(earlier.id, by: replica)
            }
        }
        if self.mistake == .acknowledgesForAll {
            for other in try await self.base.replicas().value { try await self.base.acknowledge(erasure, by: other.id) }
        }
        try await self.base.acknowledge(erasure, by: replica)
    }

    func acknowledgements(of erasure: UUID) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try await self.base.acknowledgements(of: erasure)
    }

    func erasures(of hashes: [[UInt8]]) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        self.withoutDoneRows(try await self.base.erasures(of: hashes))
    }

    func erasures(after id: UUID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        var answer = try await self.base.erasures(after: id, limit: limit)
        guard self.mistake == .listsErasuresBySignedBytes else { return answer }
        answer.value.sort { Int8(bitPattern: $0.id.uuid.0) < Int8(bitPattern: $1.id.uuid.0) }
        return answer
    }
}
