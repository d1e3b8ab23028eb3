//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// The way from the threads that log to the queue that delivers: the journal holds the events, this only wakes the queue.
final class EventIntake: Sendable {
    private let adoptions = Locked<[(installation: InstallationID, mpid: MPID)]>([])
    /// Wakes the queue.
    let wakeup = Wakeup()

    /// An event is in the journal.
    func eventLogged() {
        self.wakeup.signal()
    }

    /// An event is in the journal under this number.
    func eventLogged(_ sequence: UInt64, _ urgency: EventTag.Urgency) {
        self.wakeup.signal()
    }

    /// The first user of an installation is known.
    ///
    /// Told after the journal has the last event that was logged for nobody.
    func adopted(_ installation: InstallationID, by mpid: MPID) {
        self.adoptions.withLock { $0.append((installation, mpid)) }
        self.wakeup.signal()
    }

    /// Takes what has been told since the last time.
    func takeAdoptions() -> [(installation: InstallationID, mpid: MPID)] {
        self.adoptions.withLock { adoptions in
            defer { adoptions = [] }
            return adoptions
        }
    }
}
