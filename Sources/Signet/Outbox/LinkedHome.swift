//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// The view that services have of an installation whose logins they follow.
///
/// Every member answers synchronously, so a service can ask and decide without anything happening in between.
protocol LinkedHome: AnyObject, Sendable {
    /// Returns the pending work of the services after changes of the user.
    ///
    /// - Throws: The error of the disk. The service must then stop, because the user of the work is unknown.
    func linkedLedger() throws(SignetError) -> Outbox

    /// The MPID of the current user.
    var currentMPID: MPID? { get }

    /// True when the installation has opted out: nothing is kept or sent for it.
    var isOptedOut: Bool { get }

    /// Records how a service ended an entry; the entries before it are superseded.
    func endLinked(_ record: OutboxEntry, _ service: IdentitySyncOutcome.Service, _ kind: IdentitySyncOutcome.Kind)
}

/// A service's reference to the installation it follows; weak, to avoid a retain cycle.
final class LinkedHomeReference: Sendable {
    private struct State {
        weak var target: (any LinkedHome)?
    }

    private let state = Locked(State())

    /// The installation, while it lives.
    var target: (any LinkedHome)? {
        self.state.withLock { $0.target }
    }

    /// Replaces the object that stands for the installation.
    func set(_ target: any LinkedHome) {
        self.state.withLock { $0.target = target }
    }
}
