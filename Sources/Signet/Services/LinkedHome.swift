// SPDX-License-Identifier: Apache-2.0

import SignetLock
package import SignetModel

/// The installation that the manager of a service works for.
///
/// Every member answers synchronously, so a manager can ask and decide without anything happening in between.
package protocol LinkedHome: AnyObject, Sendable {
    /// The MPID of the current user.
    var currentMPID: MPID? { get }

    /// True when the installation has opted out: nothing is kept or sent for it.
    var isOptedOut: Bool { get }

    /// Returns the pending work of the services after changes of the user.
    ///
    /// - Throws: The error of the disk. The service must then stop, because the user of the work is unknown.
    func outbox() throws(SignetError) -> Outbox

    /// Records how a service ended an entry; the entries before it are superseded.
    func endOutboxEntry(_ record: OutboxEntry, _ service: IdentitySyncOutcome.Service, _ kind: IdentitySyncOutcome.Kind)
}

/// A service's reference to the installation it follows; weak, to avoid a retain cycle.
package final class LinkedHomeReference: Sendable {
    private struct State {
        weak var target: (any LinkedHome)?
    }

    private let state = Locked(State())

    package init() {}

    /// The installation, while it lives.
    package var target: (any LinkedHome)? {
        self.state.withLock { $0.target }
    }

    /// Replaces the object that stands for the installation.
    package func set(_ target: any LinkedHome) {
        self.state.withLock { $0.target = target }
    }
}
