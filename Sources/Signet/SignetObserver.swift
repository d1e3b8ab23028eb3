//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// What the runtime tells about itself, for logs, metrics and traces: the one seam for all of them.
///
/// Methods are called from many tasks and threads, some inside `log`: return at once, never call back into the runtime,
/// never throw. No argument holds a key, an identity or an attribute value. Each method does nothing by default, so that
/// further ones can be added.
public protocol SignetObserver: Sendable {
    /// A request has ended, with an answer or without.
    func requestFinished(_ report: RequestReport)
    /// An identity request that Signet made by itself has failed; it is not retried unless a policy says so.
    func automaticIdentifyFailed(installation: InstallationID, error: SignetError)
    /// `record` did not accept an event, or the disk did not take one that Signet adds, such as that of a changed
    /// attribute.
    func eventRefused(installation: InstallationID, error: SignetError)
    /// The platform has taken a batch.
    func batchDelivered(events: Int, bytes: Int)
    /// The platform has refused a batch for good; it was set aside on disk.
    func batchDeadLettered(events: Int, error: SignetError)
    /// A batch could not be delivered; it stays on disk and is tried again.
    ///
    /// After a 413, half of it at a time, and at once.
    func batchPostponed(events: Int, until delay: Duration, error: SignetError)
    /// `onCreateBatch` has changed a batch.
    func batchChanged(events: Int)
    /// Accepted events were given up.
    func eventsDropped(_ count: Int, cause: DropCause)
    /// Something on disk was damaged; it was set aside and the runtime goes on without it.
    ///
    /// So is a criterion of a visitors' project that cannot be read, or whose conditions take too much work: the description
    /// has its path in the document. Each is told once for as long as it stands.
    func corruptionDetected(_ description: String)
    /// A change of state could not be written; it is kept in memory and written with the next change.
    func stateNotSaved(installation: InstallationID, error: SignetError)
    /// Records of a visitor were given up.
    func iterableRecordsDropped(_ count: Int, installation: InstallationID, cause: IterableDropCause)
    /// What was to be told of a visitor could not be; it stays on disk and is tried again.
    func iterablePostponed(installation: InstallationID, until delay: Duration, error: SignetError)
    /// What a profile was still to tell of somebody was given up: there is nobody any more whom it would be told of.
    func infobipDataDropped(changes: Int, events: Int, installation: InstallationID)
    /// Another service could not be told of a login or logout; see ``IdentitySyncOutcome``.
    func identitySyncFailed(installation: InstallationID, service: IdentitySyncOutcome.Service, error: SignetError)
    /// The disk did not let a user be erased to the end: nothing of theirs is sent, but bytes are left; it is tried again.
    func erasureFailed(_ error: SignetError)
    /// The runtime has ended, and its directory is free; nothing is told after this.
    func runtimeEnded(_ report: ShutdownReport)
}

extension SignetObserver {
    /// Does nothing.
    public func requestFinished(_ report: RequestReport) {}
    /// Does nothing.
    public func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {}
    /// Does nothing.
    public func eventRefused(installation: InstallationID, error: SignetError) {}
    /// Does nothing.
    public func batchDelivered(events: Int, bytes: Int) {}
    /// Does nothing.
    public func batchDeadLettered(events: Int, error: SignetError) {}
    /// Does nothing.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {}
    /// Does nothing.
    public func batchChanged(events: Int) {}
    /// Does nothing.
    public func eventsDropped(_ count: Int, cause: DropCause) {}
    /// Does nothing.
    public func corruptionDetected(_ description: String) {}
    /// Does nothing.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {}
    /// Does nothing.
    public func iterableRecordsDropped(_ count: Int, installation: InstallationID, cause: IterableDropCause) {}
    /// Does nothing.
    public func iterablePostponed(installation: InstallationID, until delay: Duration, error: SignetError) {}
    /// Does nothing.
    public func infobipDataDropped(changes: Int, events: Int, installation: InstallationID) {}
    /// Does nothing.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {}
    /// Does nothing.
    public func erasureFailed(_ error: SignetError) {}
    /// Does nothing.
    public func runtimeEnded(_ report: ShutdownReport) {}
}

/// The observer of those who did not bring one.
struct SilentObserver: SignetObserver {}
