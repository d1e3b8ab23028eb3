// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension RuntimeContext {
    /// Returns what is wrong now; without an observer, lines that are due go to the standard error.
    @discardableResult
    func reviewHealth() -> [HealthReason] {
        let journal = self.journal
        var failures: HealthStateMachine.Failures = []
        if self.configuration.events.storage.whenFull == .refuse { failures.insert(.fullStorage) }
        if self.configuration.fleet?.whenUnreachable != .logOnly { failures.insert(.unreachableStore) }
        let facts = HealthStateMachine.Facts(
            stage: self.lifecycle.stage,
            appended: journal.appendedCount,
            inMemory: self.memory.count,
            liveBytes: journal.liveBytes,
            limitBytes: self.configuration.journalOptions.limitBytes,
            overdue: self.overdueWork,
            failures: failures
        )
        return self.health.review(facts)
    }

    /// Work that is due, with the time since when.
    private var overdueWork: [HealthStateMachine.Overdue] {
        self.dueWork.status.kinds.sorted { $0.key < $1.key }.compactMap { name, kind in
            kind.since.map {
                HealthStateMachine.Overdue(
                    kind: name,
                    count: kind.overdue ?? kind.count,
                    since: $0,
                    code: kind.lastError
                )
            }
        }
    }

    /// Counts an event that was not accepted.
    func countRefusal(_ code: SignetError.Code) {
        self.statistics.eventRefused(code)
        self.health.failed(code)
    }

    /// Finds out if a disk that refused a write works again: an app that logs nothing would not notice.
    ///
    /// The journal is tried with the events in memory that it refused, if there are any, and with a flush.
    ///
    /// - Parameter reasons: The reasons of the last review.
    func tryDisk(_ reasons: [HealthReason]) async {
        guard reasons.contains(where: { if case .diskRefusesWrites = $0.kind { true } else { false } }) else { return }
        do throws(SignetError) {
            let isTried = try await self.disk.perform { () throws(SignetError) -> Bool in
                try self.emptyMemory()
                // The record says the same as before; a write that fails leaves it.
                guard let workspace = try self.store.value(for: StateKey.workspace) else { return false }
                try self.store.put(workspace, for: StateKey.workspace)
                try self.disk.sync()
                return true
            }
            if isTried { self.health.diskAccepted() }
        } catch {
            self.health.failed(error.code)
        }
    }
}
