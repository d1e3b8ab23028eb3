// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Runs the upkeep that calls leave: where the owner says, or on the thread of the call.
final class JournalAside: Sendable {
    private let upkeep: JournalUpkeep
    /// Takes a piece of work; nil to do it at once.
    private let take: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?
    private let turn = Locked(AsideTurn())

    init(_ upkeep: JournalUpkeep, _ take: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?) {
        self.upkeep = upkeep
        self.take = take
    }

    /// Does the upkeep, or hands it over.
    ///
    /// - Throws: The disk's error, unless the upkeep is handed over.
    func reclaim() throws(StorageError) {
        guard self.take != nil else { return try self.upkeep.reclaim() }
        self.request()
    }

    /// Does the same after a call that has succeeded, so a failure is ignored.
    func reclaimAside() {
        guard self.take != nil else { return self.upkeep.reclaimAside() }
        self.request()
    }

    /// Lets work that has not begun do nothing.
    func close() {
        self.turn.withLock { $0.close() }
    }

    private func request() {
        if self.turn.withLock({ $0.request() }) { self.handOver() }
    }

    private func handOver() {
        // Waiting work must not keep the journal's files open.
        self.take? { [weak self] in self?.work() }
    }

    private func work() {
        guard self.turn.withLock({ $0.begin() }) else { return }
        self.upkeep.reclaimAside()
        if self.turn.withLock({ $0.end() }) { self.handOver() }
    }
}
