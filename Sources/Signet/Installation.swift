//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

public import struct FoundationEssentials.UUID

/// One install of an app on one device, or one visitor cookie of a server: a cheap handle on shared state.
///
/// Made by `SignetRuntime.open`. All handles of an id show the same; the state stays in memory while a handle, a live
/// session or a request of it does, and comes back from disk at the next open.
public final class Installation: Sendable {
    let core: InstallationCore

    init(_ core: InstallationCore) {
        self.core = core
    }

    /// Your name for it.
    public var id: InstallationID {
        self.core.id
    }

    /// The permanent id that the platform knows it by; sent with every request and every batch.
    public var deviceApplicationStamp: UUID {
        self.core.identityState.deviceApplicationStamp
    }

    /// Who is in front of it as of now; nil before the first identity call has succeeded.
    public var currentUser: User? {
        self.core.identityState.directory.currentUser(now: self.core.services.time.milliseconds)
    }

    /// A user that was seen on it.
    ///
    /// - Parameter mpid: Who.
    /// - Returns: A snapshot; nil when that user was never current here.
    public func user(_ mpid: MPID) -> User? {
        self.core.identityState.directory.user(mpid, now: self.core.services.time.milliseconds)
    }

    /// Everybody that was seen on it: the current user first, then by when they were last seen.
    public var allUsers: [User] {
        self.core.identityState.directory.allUsers(now: self.core.services.time.milliseconds)
    }

    /// Whether it has opted out: no identity call is sent, no event is accepted.
    public var isOptedOut: Bool {
        self.core.identityState.isOptedOut
    }

    /// User changes of this installation, from now on.
    public func userChanges() -> Updates<UserChange> {
        Updates(self.core.services.userChanges, of: self.id)
    }

    /// Session changes of this installation, from now on.
    public func sessionChanges() -> Updates<SessionChange> {
        Updates(self.core.services.sessionChanges, of: self.id)
    }

    /// Outcomes of alias requests of this installation, from now on.
    public func aliasOutcomes() -> Updates<AliasOutcome> {
        Updates(self.core.services.aliasOutcomes, of: self.id)
    }

    /// Ends the use of this installation, as the end of the app behind it does.
    ///
    /// Its session stays until its timeout or the next open, which is a launch. Calls of this and other handles of it
    /// throw `closed` from now on.
    ///
    /// Answers on their way are still taken, and are updates; but no event tells of them, so that the end of the app is the
    /// last event of its life. The platform knows of what it has answered, and the next batches carry the identities.
    public func endLaunch() {
        self.core.close()
    }
}
