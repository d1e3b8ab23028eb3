// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Reports failures of the shared store; a store that stays away is reported once.
final class FleetFailures: Sendable {
    private let observer: any SignetObserver
    /// The failures since the last answer: rows that are changed at the same time fail in turn.
    private let reported = Locked<Set<String>>([])

    init(_ observer: any SignetObserver) {
        self.observer = observer
    }

    func report(_ error: SignetError) {
        // Nothing is wrong with a row that was removed.
        guard error.code != .cancelled, error.code != .closed else { return }
        let isNew = self.reported.withLock { $0.insert(error.message).inserted }
        if isNew { self.observer.corruptionDetected("The shared store: \(error.message)") }
    }

    /// Notes that the store answers: the next failure is a new one.
    func answered() {
        self.reported.withLock { $0 = [] }
    }
}
