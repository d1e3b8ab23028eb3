// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// Receives the runtime's reports about itself, for logs, metrics and traces.
///
/// Methods are called from many tasks and threads, some inside `log`: return immediately, never call back into the
/// runtime, never throw. No argument holds a key, an identity or an attribute value. Each method does nothing by
/// default, so that further ones can be added.
public protocol SignetObserver: Sendable {
    // MARK: - Requests

    /// A request has ended, with an answer or without.
    func requestFinished(_ report: RequestReport)
    /// An automatic identity request has failed; it is not retried unless a policy says so.
    func automaticIdentifyFailed(installation: InstallationID, error: SignetError)
    // MARK: - Events

    /// An event was refused.
    ///
    /// Either ``Installation/logIfPossible(_:)`` did not accept it, or it is one that Signet adds, such as that of a
    /// changed attribute, and the disk did not accept it.
    func eventRefused(installation: InstallationID, error: SignetError)
    /// The platform has accepted a batch.
    func batchDelivered(events: Int, bytes: Int)
    /// The platform has refused a batch for good; it is a dead letter now.
    func batchDeadLettered(events: Int, error: SignetError)
    /// A batch could not be delivered; it stays on disk and is retried.
    ///
    /// After a 413 the batch is halved and retried immediately.
    func batchPostponed(events: Int, until delay: Duration, error: SignetError)
    /// `onCreateBatch` has changed a batch.
    func batchChanged(events: Int)
    /// Accepted events were dropped.
    func eventsDropped(_ count: Int, cause: DropCause)
    // MARK: - Disk

    /// Something could not be read or cleaned up; the runtime continues without it. Damaged bytes are quarantined.
    ///
    /// Services report here, too, what they cannot read: Iterable a criterion of the project, with its path in the
    /// document, once for as long as it stands.
    func corruptionDetected(_ description: String)
    /// A change of state could not be written; it is kept in memory and written with the next change.
    func stateNotSaved(installation: InstallationID, error: SignetError)
    // MARK: - A shared store

    /// One of Signet's own calls to the shared store failed.
    ///
    /// Such calls tell the store what visitors did, end sessions, erase users and remove installations. Signet makes most of them again.
    /// Events stay on disk; the counts of a session may lack some. `storeFailed`, `newerFormat`, `workspaceMismatch` and `directoryInUse`
    /// need a person. The same error is reported once a minute at most. Calls of the app throw their errors instead.
    func sharedStoreFailed(_ error: SignetError)
    /// Users of an installation have left it, because the record of its users was full: 64 KB, in a directory or in a row of a shared
    /// store.
    ///
    /// Those of whom nothing is known leave first, then those who were not seen for the longest time, and last those with attributes or
    /// consents that the platform has not accepted. In a directory these stay. The current user stays, and the first one counts as known.
    /// Events and consent of those who leave are delivered; their identities and attributes are gone here. If they come back, they are
    /// new here, under the same MPID.
    func usersDropped(_ count: Int, installation: InstallationID)
    /// The clock of this machine has moved away from that of the shared store, or is right again.
    ///
    /// Events have the store's time, so nothing is lost. An offset that stays is reported once.
    ///
    /// - Parameter offset: The offset, above 1 s either way, positive if this machine is ahead; nil once it is below 0.5 s again.
    func clockOffsetChanged(_ offset: Duration?)
    // MARK: - Installations

    /// Installations were removed: by a call, or because nobody had used them for the time of
    /// ``SignetConfiguration/Installations/retention``.
    ///
    /// A removal of many reports its portions.
    func installationsRemoved(_ count: Int)
    // MARK: - Services

    /// Data that waited for a service was dropped.
    ///
    /// - Parameters:
    ///   - count: The number of records.
    ///   - kind: The kind of record, such as `record`, `change` or `event`.
    ///   - service: The service.
    ///   - installation: The installation.
    ///   - cause: The cause by the service's own name, such as one of `IterableDropCause`; nil if it has only one.
    func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    )
    /// Data could not be sent to a service; it stays on disk and is retried.
    ///
    /// Iterable reports it. Infobip's postponed saves are `InfobipUpdate.Kind.failed`.
    func servicePostponed(
        _ service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        until delay: Duration,
        error: SignetError
    )
    /// A login or logout could not be forwarded to another service; see ``IdentitySyncOutcome``.
    func identitySyncFailed(installation: InstallationID, service: IdentitySyncOutcome.Service, error: SignetError)
    // MARK: - Due work

    /// Work that the runtime owes without a caller could not be done; it stays on disk and is done later.
    ///
    /// Reported once a pause, not once an installation.
    ///
    /// - Parameters:
    ///   - kind: The kind of work, as in ``SignetStatistics/dueWork``.
    ///   - count: The number of installations that wait.
    ///   - delay: The pause.
    ///   - error: The error of the try.
    func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError)
    // MARK: - Life

    /// The disk or the shared store failed during an erasure: none of the user's data is sent, but bytes remain; it is retried.
    func erasureFailed(_ error: SignetError)
    /// The runtime has ended, and its directory is free; no report follows.
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
    public func installationsRemoved(_ count: Int) {}
    /// Does nothing.
    public func sharedStoreFailed(_ error: SignetError) {}
    /// Does nothing.
    public func usersDropped(_ count: Int, installation: InstallationID) {}
    /// Does nothing.
    public func clockOffsetChanged(_ offset: Duration?) {}
    /// Does nothing.
    public func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    ) {}
    /// Does nothing.
    public func servicePostponed(
        _ service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        until delay: Duration,
        error: SignetError
    ) {}
    /// Does nothing.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {}
    /// Does nothing.
    public func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError) {}
    /// Does nothing.
    public func erasureFailed(_ error: SignetError) {}
    /// Does nothing.
    public func runtimeEnded(_ report: ShutdownReport) {}
}

/// The default observer, which does nothing.
struct SilentObserver: SignetObserver {}
