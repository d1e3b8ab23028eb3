//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// An installation as the services see it that follow its logins.
///
/// All of it is answered at once, so that a service can ask and decide without anything happening in between.
protocol LinkedHome: AnyObject, Sendable {
    /// What the services are still to do about changes of the user.
    ///
    /// - Throws: What the disk says: then a service must not go on, because nobody knows for whom.
    func linkedLedger() throws(SignetError) -> Outbox

    /// Who is known to the installation.
    var currentMPID: MPID? { get }

    /// Whether the installation has opted out: then nothing is kept or sent for it.
    var isOptedOut: Bool { get }

    /// A service says how a record ended, and that those before it are superseded.
    func endLinked(_ record: OutboxEntry, _ service: IdentitySyncOutcome.Service, _ kind: IdentitySyncOutcome.Kind)
}

/// A service's way to the installation that it follows; weak, so that the two do not keep one another alive.
final class LinkedHomeReference: Sendable {
    private struct State {
        weak var target: (any LinkedHome)?
    }

    private let state = Locked(State())

    /// The installation, while it lives.
    var target: (any LinkedHome)? {
        self.state.withLock { $0.target }
    }

    /// Another object stands for the installation.
    func set(_ target: any LinkedHome) {
        self.state.withLock { $0.target = target }
    }
}
