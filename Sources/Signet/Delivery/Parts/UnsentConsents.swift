// SPDX-License-Identifier: Apache-2.0

/// Installations whose users' consents the platform does not have, with the times at which batches without events carry them.
///
/// A batch with events that goes before carries them too. Then nothing is left to do at that time.
struct UnsentConsents: Sendable {
    private var deadlines = DeadlineQueue<UInt32>()
    /// The deadlines that count; `deadlines` may have later ones of the same installation.
    private var waiting: [UInt32: Duration] = [:]

    /// Those whose rows are to be read now.
    ///
    /// Only once: a row says that a consent is unsent until the answer to its batch is noted there.
    private var dueRows: Set<UInt32> = []

    /// The time of the next look; nil if none is due.
    var first: Duration? {
        self.waiting.isEmpty ? nil : self.deadlines.first
    }

    /// The installations, in order.
    var installations: [UInt32] {
        self.waiting.keys.sorted()
    }

    /// The number of installations.
    var count: Int {
        self.waiting.count
    }

    /// True if an installation waits.
    func contains(_ installation: UInt32) -> Bool {
        self.waiting[installation] != nil
    }

    /// Adds an installation; the earliest of its deadlines counts.
    mutating func add(_ installation: UInt32, at deadline: Duration) {
        if let known = self.waiting[installation], known <= deadline { return }
        self.waiting[installation] = deadline
        self.deadlines.insert(installation, at: deadline)
    }

    /// Takes an installation that is due.
    mutating func takeDue(at now: Duration) -> UInt32? {
        while let installation = self.deadlines.popDue(at: now) {
            guard let deadline = self.waiting[installation], deadline <= now else { continue }
            self.waiting[installation] = nil
            return installation
        }
        if self.waiting.isEmpty { self.deadlines = DeadlineQueue() }
        return nil
    }

    /// Removes an installation.
    mutating func remove(_ installation: UInt32) {
        self.waiting[installation] = nil
        self.dueRows.remove(installation)
    }

    // MARK: - Where a shared store has the installations

    /// Notes that the row of an installation is read next.
    mutating func awaitRow(_ installation: UInt32) {
        self.dueRows.insert(installation)
    }

    /// True if the row of an installation is read for its consents.
    func isRowDue(_ installation: UInt32) -> Bool {
        self.dueRows.contains(installation)
    }

    /// Takes an installation whose row was read; if it has an unsent consent, the row is read again at its deadline.
    mutating func readRow(_ installation: UInt32, isUnsent: Bool) {
        self.dueRows.remove(installation)
        if !isUnsent { self.remove(installation) }
    }
}
