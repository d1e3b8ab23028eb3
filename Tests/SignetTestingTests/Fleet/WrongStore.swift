// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetLock
import SignetModel
import SignetTesting

/// A store with one mistake; the rest is right.
final class WrongStore: SharedStore {
    struct Memory: Sendable {
        var flushes: [UUID: UUID] = [:]
        var states: [UUID: [UInt8]] = [:]
        var cache: [UUID: SharedInstallation] = [:]
        var left: Set<UUID> = []
        var done: Set<UUID> = []
        var readings = 0

        /// The row with the state that the last call with this row has seen.
        mutating func withOldState(_ row: SharedInstallation) -> SharedInstallation {
            let old = self.states.updateValue(row.state, forKey: row.key)
            var row = row
            row.state = old ?? row.state
            return row
        }
    }

    let base: MemorySharedStore
    let mistake: StoreMistake
    let memory = Locked(Memory())

    init(_ base: MemorySharedStore, _ mistake: StoreMistake) {
        (self.base, self.mistake) = (base, mistake)
    }

    func close() {
        if self.mistake != .worksAfterItsEnd { self.base.close() }
    }

    func prepare(workspace: [UInt8]) async throws(SharedStoreError) -> SharedAnswer<SharedFormat> {
        try await self.base.prepare(workspace: self.mistake == .takesAnyWorkspace ? [1, 2, 3] : workspace)
    }

    /// The row as it is.
    func row(_ key: UUID) async throws(SharedStoreError) -> SharedInstallation? {
        try await self.base.read([key]).value.first
    }

    // MARK: - Rows

    func read(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        var answer = try await self.readRightly(keys)
        switch self.mistake {
        case .keepsTheNewestTagOnly:
            answer.value = answer.value.map(Self.withOneTag)
        case .readsRowsWithoutConsents:
            for index in answer.value.indices { answer.value[index].consents = [] }
        case .readsFromAStandby:
            let rows = answer.value
            answer.value = self.memory.withLock { memory in
                rows.map { row in
                    let old = memory.cache[row.key] ?? row
                    memory.cache[row.key] = old
                    return old
                }
            }
        case .readsTheStateBeforeTheTag:
            let rows = answer.value
            answer.value = self.memory.withLock { memory in rows.map { memory.withOldState($0) } }
        case .tellsAnOldTime:
            let isOld = self.memory.withLock { memory in
                memory.readings += 1
                return memory.readings.isMultiple(of: 2)
            }
            if isOld { answer.milliseconds -= 1_000 }
        default: break
        }
        return answer
    }

    private func readRightly(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        if self.mistake == .takesAnyNumberOfKeys, keys.count > SharedStoreLimits.batch {
            var answer = try await self.base.read(Array(keys.prefix(SharedStoreLimits.batch)))
            answer.value += try await self.base.read(Array(keys.dropFirst(SharedStoreLimits.batch))).value
            return answer
        }
        if self.mistake == .readsAKeyOnce { return try await self.base.read(Array(Set(keys))) }
        guard self.mistake == .ignoresCancellation else { return try await self.base.read(keys) }
        return try await Self.uncancelled { () async throws(SharedStoreError) in try await self.base.read(keys) }
    }

    private static func uncancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(SharedStoreError) -> Value
    ) async throws(SharedStoreError) -> Value {
        let task = Task { () async -> Result<Value, SharedStoreError> in
            do throws(SharedStoreError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    private static func withOneTag(_ row: SharedInstallation) -> SharedInstallation {
        var row = row
        row.tags = [row.tag]
        return row
    }

    func commit(
        _ commits: [SharedCommit]
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]> {
        self.memory.withLock { $0.cache.removeAll() }
        if self.mistake == .ignoresCancellation {
            return try await Self.uncancelled { () async throws(SharedStoreError) in
                try await self.base.commit(commits)
            }
        }
        var answer = try await self.base.commit(commits.map(self.wrong))
        if self.mistake == .stopsAtARefusal { return try await self.stopAtARefusal(commits, answer) }
        for (index, outcome) in answer.value.enumerated() {
            answer.value[index] = try await self.afterwards(commits[index], outcome)
        }
        return answer
    }

    /// What the mistake makes of a commit before it happens.
    private func wrong(_ commit: SharedCommit) -> SharedCommit {
        var commit = commit
        switch self.mistake {
        case .cutsTheStateAtZero: commit.state = commit.state.map { Array($0.prefix { $0 != 0 }) }
        case .composesIDs: commit.id = InstallationID(commit.id.rawValue.precomposedStringWithCanonicalMapping)
        case .cutsIDsAt255Bytes:
            commit.id = InstallationID(String(decoding: commit.id.rawValue.utf8.prefix(255), as: UTF8.self))
        case .takesAnEmptyStateForNone: if commit.condition != .isMissing, commit.state == [] { commit.state = nil }
        case .beginsSessionsAtTheirStart:
            if case .begin(var session) = commit.session {
                (session.last, session.events) = (session.started, 0)
                commit.session = .begin(session)
            }
        case .neverForgetsAMention: commit.forgets = []
        case .commitsWithoutTheSlot: if commit.condition != .isMissing { commit.slotToken = nil }
        case .ignoresTheLastEvent:
            if case .unchanged(let tag, _, _) = commit.condition { commit.condition = .tag(tag) }
        case .comparesTheLastMomentAlone:
            guard case .unchanged(let tag, let last, _) = commit.condition,
                let session = self.base.engine.database.rows[commit.key]?.installation.session
            else { break }
            commit.condition = .unchanged(tag: tag, last: last, events: session.events)
        default: break
        }
        return commit
    }

    /// What the mistake does when a commit was taken or refused.
    private func afterwards(
        _ commit: SharedCommit,
        _ outcome: SharedCommit.Outcome
    ) async throws(SharedStoreError) -> SharedCommit.Outcome {
        switch (self.mistake, outcome) {
        case (.keepsTheNewestTagOnly, .differs(let row?)):
            return .differs(Self.withOneTag(row))
        case (.keepsTheSlotAfterTheCommit, .committed):
            guard let token = commit.slotToken else { return outcome }
            _ = try await self.base.takeSlot(
                SharedSlotRequest(key: commit.key, token: token, owner: token),
                for: .seconds(60)
            )
            return outcome
        case (.freesTheSlotOnEachCommit, .committed):
            guard let slot = try await self.row(commit.key)?.slot else { return outcome }
            try await self.base.releaseSlot(SharedSlotRequest(key: commit.key, token: slot.token, owner: slot.owner))
            return outcome
        case (.makesARowOnATag, .differs(nil)):
            var creation = commit
            (creation.condition, creation.state) = (.isMissing, commit.state ?? [])
            return try await self.base.commit([creation]).value.first ?? outcome
        case (.ignoresTheTag, .differs(let row?)) where commit.condition != .isMissing,
            (.createsOverARow, .differs(let row?)) where commit.condition == .isMissing:
            var again = commit
            again.condition = .tag(row.tag)
            return try await self.base.commit([again]).value.first ?? outcome
        case (.mentionsBeforeItChecks, .differs(let row?)):
            var half = SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: commit.tag)
            (half.mentions, half.forgets) = (commit.mentions, commit.forgets)
            _ = try await self.base.commit([half])
            return outcome
        default:
            return outcome
        }
    }

    private func stopAtARefusal(
        _ commits: [SharedCommit],
        _ answer: SharedAnswer<[SharedCommit.Outcome]>
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]> {
        guard let first = answer.value.firstIndex(where: { $0 != .committed }) else { return answer }
        var answer = answer
        for index in answer.value.indices.dropFirst(first + 1) {
            answer.value[index] = .differs(try await self.row(commits[index].key))
        }
        return answer
    }

    // MARK: - Consents

    func consents(of mpids: [MPID]) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]> {
        try await self.base.consents(of: mpids)
    }

    func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SharedStoreError) -> SharedAnswer<SharedConsent.Outcome> {
        let answer = try await self.base.write(consent, replacing: tag)
        guard self.mistake == .ignoresTheTagOfAConsent, case .differs(let found?) = answer.value else { return answer }
        return try await self.base.write(consent, replacing: found.tag)
    }

    func removeConsent(of mpid: MPID) async throws(SharedStoreError) {
        if self.mistake != .keepsTheConsentOfAnErasedUser { try await self.base.removeConsent(of: mpid) }
    }

    func removeConsents(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try await self.base.removeConsents(days: self.mistake == .removesYoungConsents ? 0 : idle, limit: limit)
    }

    // MARK: - Removal

    func remove(_ key: UUID, tag: UUID) async throws(SharedStoreError) -> SharedAnswer<Bool> {
        guard let row = try await self.row(key) else { return try await self.base.remove(key, tag: tag) }
        switch self.mistake {
        case .removesOnAnyTag:
            return try await self.base.remove(key, tag: row.tag)
        case .removesWithASession where row.tag == tag:
            var end = SharedCommit(row.id, key: key, if: .tag(tag), tag: UUID())
            end.session = .end
            _ = try await self.base.commit([end])
            return try await self.base.remove(key, tag: end.tag)
        default:
            return try await self.base.remove(key, tag: tag)
        }
    }

    func removeIdle(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try await self.base.removeIdle(days: self.mistake == .removesWhatIsYoung ? 0 : idle, limit: limit)
    }
}
