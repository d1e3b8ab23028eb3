// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Erases the users whom other replicas have erased, on this one's disk, and finishes erasures that were cut short.
final class FleetErasures: Sendable {
    /// The time until rows are tried again that could not be finished: it may take a look at all users.
    private static let pause = Duration.seconds(10)

    private let fleet: FleetMember
    private let stores: SharedStores
    private let erasure: UserErasure
    private let failures: FleetFailures
    private let check = Locked(ErasureCheck())
    /// The uptimes at which rows are tried again.
    private let postponed = Locked<[UUID: Duration]>([:])
    /// Signalled when a flush was answered that erasures wait.
    private let pending = AsyncSignal()

    init(_ stores: SharedStores, _ erasure: UserErasure, _ failures: FleetFailures) {
        (self.fleet, self.stores, self.erasure, self.failures) = (stores.fleet, stores, erasure, failures)
    }

    /// Takes in the answer of a flush.
    ///
    /// - Parameters:
    ///   - count: The number of erasures that wait for this replica; nil if the store does not say it.
    ///   - sent: The uptime before the flush was sent.
    func flushed(_ count: Int?, sent: Duration) {
        if self.check.withLock({ $0.flushed(count, sent: sent) }) { self.pending.signal() }
    }

    /// Takes in that a flush was not answered: batches ask by themselves until the store answers again.
    func unanswered() {
        self.check.withLock { $0.unanswered() }
        self.fleet.hearsOfErasures.withLock { $0 = false }
    }

    /// Works until the task is cancelled.
    func run() async {
        let time = self.stores.context.time
        // Those of an earlier process.
        var areNoted = false
        while true {
            await self.pending.wait(until: time.uptime + self.stores.pauseLength, on: time)
            guard !Task.isCancelled else { return }
            guard !areNoted || self.fleet.lacksErasures || self.check.withLock({ $0.isDue(at: time.uptime) }) else {
                continue
            }
            do throws(SignetError) {
                if !areNoted { try await self.erasure.noteAgain(in: self.fleet) }
                areNoted = true
                try await self.eraseAsOthers()
            } catch {
                // Batches wait: what others erase meanwhile is not known.
                self.fleet.hearsOfErasures.withLock { $0 = false }
                self.failures.report(error)
            }
        }
    }

    private func eraseAsOthers() async throws(SignetError) {
        // Page by page, as long as one is full: each erasure is acknowledged, so it leaves the next page.
        while true {
            let pending = try await self.fleet.pendingErasures()
            // All of them here first: batches wait for that, and not for the rows.
            for erasure in pending { try await self.erasure.eraseHere(erasure, in: self.fleet) }
            var areFinished = true
            for erasure in pending { areFinished = try await self.finish(erasure) && areFinished }
            guard areFinished, pending.count >= SharedStoreLimits.batch else { return }
        }
    }

    /// Acknowledges an erasure as soon as no row knows the user; finishes the rows if nobody else does.
    ///
    /// - Returns: False if another replica is at work on the rows, or if they are tried again later.
    private func finish(_ erasure: SharedErasure) async throws(SignetError) -> Bool {
        var erasure = erasure
        if !erasure.areRowsDone {
            guard try await self.finishRows(of: erasure) else { return false }
            erasure.areRowsDone = true
            // Once more, for what was logged while rows knew the user.
            try await self.erasure.eraseHere(erasure, in: self.fleet)
        }
        try await self.erasure.finish(erasure, in: self.fleet)
        return true
    }

    private func finishRows(of erasure: SharedErasure) async throws(SignetError) -> Bool {
        // The list may be older than the end of a call in this process.
        if try await self.fleet.areRowsDone(of: self.fleet.tombstone(of: erasure)) { return true }
        let now = self.stores.context.time.uptime
        if let end = self.postponed.withLock({ $0[erasure.id] }), now < end { return false }
        guard try await self.fleet.mustFinishRows(of: erasure) else { return false }
        do throws(SignetError) {
            try await self.erasure.finishRows(of: erasure, self.stores)
            self.postponed.withLock { _ = $0.removeValue(forKey: erasure.id) }
            return true
        } catch {
            // The others go on: a row that cannot be written holds up one erasure.
            self.postponed.withLock { $0[erasure.id] = now + Self.pause }
            self.failures.report(error)
            return false
        }
    }
}
