// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Erases the users whom other replicas have erased, on this one's disk.
final class FleetErasures: Sendable {
    private let fleet: FleetMember
    private let stores: SharedStores
    private let erasure: UserErasure
    private let failures: FleetFailures
    private let check = Locked(ErasureCheck())
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
        while true {
            await self.pending.wait(until: time.uptime + self.stores.pauseLength, on: time)
            guard !Task.isCancelled else { return }
            if self.check.withLock({ $0.isDue(at: time.uptime) }) { await self.eraseAsOthers() }
        }
    }

    private func eraseAsOthers() async {
        do throws(SignetError) {
            // Page by page, as long as one is full: each erasure is acknowledged, so it leaves the next page.
            while true {
                let pending = try await self.fleet.pendingErasures()
                for erasure in pending { try await self.erasure.eraseHere(erasure, in: self.fleet) }
                guard pending.count == SharedStoreLimits.batch else { return }
            }
        } catch {
            // Batches wait: what others erase meanwhile is not known.
            self.fleet.hearsOfErasures.withLock { $0 = false }
            self.failures.report(error)
        }
    }
}
