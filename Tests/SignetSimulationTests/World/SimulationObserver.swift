// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

/// Counts what a runtime says went wrong.
final class SimulationObserver: SignetObserver {
    private let ledger: NetworkLedger
    private let state = Locked((damages: [String](), unsaved: 0))

    init(_ ledger: NetworkLedger) {
        self.ledger = ledger
    }

    /// What was damaged.
    var damages: [String] {
        self.state.withLock { $0.damages }
    }

    /// How many states could not be written.
    var unsaved: Int {
        self.state.withLock { $0.unsaved }
    }

    func corruptionDetected(_ description: String) {
        self.state.withLock { $0.damages.append(description) }
    }

    func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.state.withLock { $0.unsaved += 1 }
        self.ledger.reach("state not saved")
    }

    func batchDeadLettered(events: Int, error: SignetError) {
        self.ledger.reach("batch set aside")
    }

    func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.ledger.reach("batch postponed")
    }
}
