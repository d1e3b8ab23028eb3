// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// One install of an app on one device, or one visitor cookie of a server: a cheap handle on shared state.
///
/// `SignetRuntime.open` makes it. All handles of an id share one state. The state stays in memory as long as a handle,
/// a live session or a request uses it; the next open restores it from disk, or from the row in a shared store.
public final class Installation: Sendable {
    let core: InstallationCore

    init(_ core: InstallationCore) {
        self.core = core
    }

    /// The id that you chose for the installation.
    public var id: InstallationID {
        self.core.id
    }

    /// The permanent id of the installation at the platform; sent with every request and every batch.
    ///
    /// It is permanent once the installation is on disk: from its first event, identity answer or setting on. An installation
    /// that was only opened gets another random one at the next open after it has left memory.
    public var deviceApplicationStamp: UUID {
        self.core.identityState.deviceApplicationStamp
    }

    /// The current user; nil before the first identity call has succeeded.
    public var currentUser: User? {
        self.core.identityState.directory.currentUser(now: self.core.context.time.milliseconds)
            .map(self.core.withLatestConsent)
    }

    /// Returns a user that was seen on the installation.
    ///
    /// - Parameter mpid: The user's MPID.
    /// - Returns: A snapshot; nil if that user was never current here, or has left the installation; see ``allUsers``.
    public func user(_ mpid: MPID) -> User? {
        self.core.identityState.directory.user(mpid, now: self.core.context.time.milliseconds)
            .map(self.core.withLatestConsent)
    }

    /// All users seen on the installation: the current user first, then by the time they were last seen.
    ///
    /// Each log-out may make a user without an identity, attributes, consent or push token. Of these, the first user of the
    /// installation and the ten who were seen last are kept. With a shared store, all stay until the row is full. Then
    /// they leave before known users; the first user counts as known.
    ///
    /// All users together have at most 64 KB, some hundred customers. Beyond that the users who were not seen for the longest time leave,
    /// and are counted (``SignetStatistics/usersDropped``). In a directory the users stay of whom the platform has not received attributes
    /// or consents yet; if no one else can leave, setting an attribute throws `limitReached`.
    public var allUsers: [User] {
        self.core.identityState.directory.allUsers(now: self.core.context.time.milliseconds)
            .map(self.core.withLatestConsent)
    }

    /// True if the installation has opted out: no identity call is sent, no event is accepted.
    public var isOptedOut: Bool {
        self.core.identityState.isOptedOut
    }

    /// User changes of this installation from this call on; ``Updates`` has the limit for a slow reader.
    public func userChanges() -> Updates<UserChange> {
        self.updates(self.core.context.userChanges)
    }

    /// Session changes of this installation from this call on; ``Updates`` has the limit for a slow reader.
    public func sessionChanges() -> Updates<SessionChange> {
        self.updates(self.core.context.sessionChanges)
    }

    /// Outcomes of alias requests of this installation from this call on; ``Updates`` has the limit for a slow reader.
    public func aliasOutcomes() -> Updates<AliasOutcome> {
        self.updates(self.core.context.aliasOutcomes)
    }

    /// Outcomes of identity sync, the work that a login or logout gives to other services, from this call on; see ``Updates``.
    ///
    /// The result and the error of `login` and `logout` are those of the identity call alone. A call has one outcome
    /// for each service in ``IdentityResult/servicesFollowing``, and none if all services know the user already.
    public func identitySyncOutcomes() -> Updates<IdentitySyncOutcome> {
        self.updates(self.core.context.identitySyncOutcomes)
    }

    /// Reads the installation again from the shared store: what other replicas have changed.
    ///
    /// A handle shows what this process last read. A server that opens one per request needs no refresh; one that keeps a handle,
    /// such as for a WebSocket, calls it before it reads. Handles that log are renewed about once a second.
    ///
    /// Without a shared store it does nothing.
    ///
    /// - Throws: `storeUnreachable`, `storeBusy`, `storeFailed`, `newerFormat`, `closed`, `cancelled`.
    public nonisolated(nonsending) func refresh() async throws(SignetError) {
        try await self.core.refresh(for: .refresh)
    }

    /// Ends the launch of the app behind this installation.
    ///
    /// Its session stays until its timeout or the next open, which is a launch. Calls of this and other handles of it
    /// throw `closed` from now on.
    ///
    /// Answers in flight are still accepted and published as updates. They are not logged as events, so that the end of
    /// the app is the last event of the launch. The platform knows its own answers, and the next batches carry the
    /// identities.
    public func endLaunch() {
        self.core.close()
    }
}
