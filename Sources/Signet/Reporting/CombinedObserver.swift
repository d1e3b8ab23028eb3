// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// Combines several observers: each receives every call, in the order given.
public struct CombinedObserver: SignetObserver {
    private let observers: [any SignetObserver]

    /// Makes an observer of several.
    public init(_ observers: any SignetObserver...) {
        self.observers = observers
    }

    /// Forwards to every observer.
    public func requestFinished(_ report: RequestReport) {
        for observer in self.observers { observer.requestFinished(report) }
    }

    /// Forwards to every observer.
    public func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.automaticIdentifyFailed(installation: installation, error: error) }
    }

    /// Forwards to every observer.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.eventRefused(installation: installation, error: error) }
    }

    /// Forwards to every observer.
    public func batchDelivered(events: Int, bytes: Int) {
        for observer in self.observers { observer.batchDelivered(events: events, bytes: bytes) }
    }

    /// Forwards to every observer.
    public func batchDeadLettered(events: Int, error: SignetError) {
        for observer in self.observers { observer.batchDeadLettered(events: events, error: error) }
    }

    /// Forwards to every observer.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        for observer in self.observers { observer.batchPostponed(events: events, until: delay, error: error) }
    }

    /// Forwards to every observer.
    public func batchChanged(events: Int) {
        for observer in self.observers { observer.batchChanged(events: events) }
    }

    /// Forwards to every observer.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        for observer in self.observers { observer.eventsDropped(count, cause: cause) }
    }

    /// Forwards to every observer.
    public func corruptionDetected(_ description: String) {
        for observer in self.observers { observer.corruptionDetected(description) }
    }

    /// Forwards to every observer.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.stateNotSaved(installation: installation, error: error) }
    }

    /// Forwards to every observer.
    public func installationsRemoved(_ count: Int) {
        for observer in self.observers { observer.installationsRemoved(count) }
    }

    /// Forwards to every observer.
    public func sharedStoreFailed(_ error: SignetError) {
        for observer in self.observers { observer.sharedStoreFailed(error) }
    }

    /// Forwards to every observer.
    public func usersDropped(_ count: Int, installation: InstallationID) {
        for observer in self.observers { observer.usersDropped(count, installation: installation) }
    }

    /// Forwards to every observer.
    public func clockOffsetChanged(_ offset: Duration?) {
        for observer in self.observers { observer.clockOffsetChanged(offset) }
    }

    /// Forwards to every observer.
    public func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    ) {
        for observer in self.observers {
            observer.serviceDataDropped(count, of: kind, service: service, installation: installation, cause: cause)
        }
    }

    /// Forwards to every observer.
    public func servicePostponed(
        _ service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        until delay: Duration,
        error: SignetError
    ) {
        for observer in self.observers {
            observer.servicePostponed(service, installation: installation, until: delay, error: error)
        }
    }

    /// Forwards to every observer.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        for observer in self.observers {
            observer.identitySyncFailed(installation: installation, service: service, error: error)
        }
    }

    /// Forwards to every observer.
    public func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError) {
        for observer in self.observers {
            observer.dueWorkPostponed(kind: kind, count: count, until: delay, error: error)
        }
    }

    /// Forwards to every observer.
    public func erasureFailed(_ error: SignetError) {
        for observer in self.observers { observer.erasureFailed(error) }
    }

    /// Forwards to every observer.
    public func runtimeEnded(_ report: ShutdownReport) {
        for observer in self.observers { observer.runtimeEnded(report) }
    }
}
