// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel

@testable import Signet

/// The way of one process to the shared store: it ends with the process, and tells what is asked and answered.
struct FleetStore: SharedStore {
    private let store: any SharedStore
    private let isAlive: @Sendable () -> Bool
    private let failed: @Sendable () -> Void
    private let tell: (@Sendable (String) -> Void)?

    /// Makes the way.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isAlive: False once the process has died: the dead ask nothing.
    ///   - failed: Called for each failure of a call that an `open` needs.
    ///   - tell: Takes a line for each call of interest; nil for none.
    init(
        to store: any SharedStore,
        isAlive: @escaping @Sendable () -> Bool,
        failed: @escaping @Sendable () -> Void,
        tell: (@Sendable (String) -> Void)?
    ) {
        (self.store, self.isAlive, self.failed, self.tell) = (store, isAlive, failed, tell)
    }

    private var base: any SharedStore {
        get throws(SharedStoreError) {
            guard self.isAlive() else { throw SharedStoreError(.unreachable, "The process is dead.") }
            return self.store
        }
    }

    func prepare(workspace: [UInt8]) async throws(SharedStoreError) -> SharedAnswer<SharedFormat> {
        do throws(SharedStoreError) {
            return try await self.base.prepare(workspace: workspace)
        } catch {
            self.failed()
            throw error
        }
    }

    func read(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        do throws(SharedStoreError) {
            return try await self.told("read") { store throws(SharedStoreError) in try await store.read(keys) }
        } catch {
            self.failed()
            throw error
        }
    }

    func commit(_ commits: [SharedCommit]) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]> {
        try await self.told("commit \(commits.map(Self.text).joined(separator: "; "))") {
            store throws(SharedStoreError) in
            try await store.commit(commits)
        }
    }

    func consents(of mpids: [MPID]) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]> {
        try await self.base.consents(of: mpids)
    }

    func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SharedStoreError) -> SharedAnswer<SharedConsent.Outcome> {
        try await self.told("write consent") { store throws(SharedStoreError) in
            try await store.write(consent, replacing: tag)
        }
    }

    func removeConsent(of mpid: MPID) async throws(SharedStoreError) {
        try await self.base.removeConsent(of: mpid)
    }

    func removeConsents(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try await self.base.removeConsents(days: idle, limit: limit)
    }

    func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.told("takeSlot") { store throws(SharedStoreError) in try await store.takeSlot(slot, for: span) }
    }

    func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.base.renewSlot(slot, for: span)
    }

    func releaseSlot(_ slot: SharedSlotRequest) async throws(SharedStoreError) {
        try await self.base.releaseSlot(slot)
    }

    func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedActivity.Outcome]> {
        guard !activities.isEmpty else {
            return try await self.base.flush(activities, of: replica, token: token, age: age)
        }
        return try await self.told(
            "flush \(activities.map { "\($0.session.short) +\($0.events)" }.joined(separator: ", "))"
        ) { store throws(SharedStoreError) in
            try await store.flush(activities, of: replica, token: token, age: age)
        }
    }

    func claimDue(
        _ limit: Int,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        let answer = try await self.base.claimDue(limit, for: span)
        for row in answer.value { self.tell?("claimed \(row.id), session \(row.session?.id.short ?? "none")") }
        return answer
    }

    func join(_ replica: UUID, token: UUID) async throws(SharedStoreError) -> SharedAnswer<SharedReplica.Joining> {
        do throws(SharedStoreError) {
            return try await self.base.join(replica, token: token)
        } catch {
            self.failed()
            throw error
        }
    }

    func leave(_ replica: UUID) async throws(SharedStoreError) {
        self.tell?("leave")
        try await self.base.leave(replica)
    }

    func replicas() async throws(SharedStoreError) -> SharedAnswer<[SharedReplica]> {
        try await self.base.replicas()
    }

    func erase(_ erasure: SharedErasure) async throws(SharedStoreError) -> SharedAnswer<Void> {
        try await self.told("erase") { store throws(SharedStoreError) in try await store.erase(erasure) }
    }

    func finishRows(of erasure: UUID) async throws(SharedStoreError) {
        self.tell?("finishRows")
        try await self.base.finishRows(of: erasure)
    }

    func mentionedUsers(after mpid: MPID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[MPID]> {
        try await self.base.mentionedUsers(after: mpid, limit: limit)
    }

    func mentions(
        of mpid: MPID,
        after key: UUID?,
        limit: Int
    ) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try await self.base.mentions(of: mpid, after: key, limit: limit)
    }

    func pendingErasures(of replica: UUID) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try await self.base.pendingErasures(of: replica)
    }

    func acknowledge(_ erasure: UUID, by replica: UUID) async throws(SharedStoreError) {
        self.tell?("acknowledge")
        try await self.base.acknowledge(erasure, by: replica)
    }

    func acknowledgements(of erasure: UUID) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try await self.base.acknowledgements(of: erasure)
    }

    func erasures(of hashes: [[UInt8]]) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try await self.base.erasures(of: hashes)
    }

    func erasures(after id: UUID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try await self.base.erasures(after: id, limit: limit)
    }

    func remove(_ key: UUID, tag: UUID) async throws(SharedStoreError) -> SharedAnswer<Bool> {
        try await self.told("remove") { store throws(SharedStoreError) in try await store.remove(key, tag: tag) }
    }

    func removeIdle(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try await self.base.removeIdle(days: idle, limit: limit)
    }

    func forgetEnded(days: Int) async throws(SharedStoreError) {
        try await self.base.forgetEnded(days: days)
    }

    func close() async {
        await self.store.close()
    }

    private func told<Value: Sendable>(
        _ text: @autoclosure () -> String,
        _ body: (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> SharedAnswer<Value> {
        guard let tell = self.tell else { return try await body(self.base) }
        do throws(SharedStoreError) {
            let answer = try await body(self.base)
            var said = "answered"
            if let outcomes = answer.value as? [SharedCommit.Outcome] {
                said = outcomes.map { if case .committed = $0 { "committed" } else { "differs" } }.joined(
                    separator: ", "
                )
            } else if let rows = answer.value as? [SharedInstallation] {
                said = rows.map { "\($0.id) session \($0.session?.id.short ?? "none")" }.joined(separator: ", ")
            } else if let outcomes = answer.value as? [SharedActivity.Outcome] {
                said = "\(outcomes.map { "\($0)".prefix(12) })"
            }
            tell("\(text()): \(said)")
            return answer
        } catch {
            tell("\(text()): \(error.code)")
            throw error
        }
    }

    private static func text(of commit: SharedCommit) -> String {
        var text = "\(commit.id) tag \(commit.tag.short)"
        if commit.slotToken != nil { text += " with slot" }
        switch commit.session {
        case .keep: break
        case .begin(let session): text += " begins \(session.id.short)"
        case .end: text += " ends"
        }
        if case .set(let bytes) = commit.outbox {
            do throws(SignetError) {
                let ends = bytes.isEmpty ? [] : try SharedOutbox(decoding: bytes).ends
                text += " outbox [\(ends.map(\.totals.session.uuid.short).joined(separator: " "))]"
            } catch {
                text += " an unreadable outbox"
            }
        }
        return text
    }
}

extension UUID {
    fileprivate var short: Substring { self.uuidString.prefix(8) }
}
