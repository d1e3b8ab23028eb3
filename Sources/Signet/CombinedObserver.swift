//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// Several observers as one: each is told everything, in their order.
public struct CombinedObserver: SignetObserver {
    private let observers: [any SignetObserver]

    /// Makes one of several.
    public init(_ observers: any SignetObserver...) {
        self.observers = observers
    }

    /// Tells all.
    public func requestFinished(_ report: RequestReport) {
        for observer in self.observers { observer.requestFinished(report) }
    }

    /// Tells all.
    public func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.automaticIdentifyFailed(installation: installation, error: error) }
    }

    /// Tells all.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.eventRefused(installation: installation, error: error) }
    }

    /// Tells all.
    public func batchDelivered(events: Int, bytes: Int) {
        for observer in self.observers { observer.batchDelivered(events: events, bytes: bytes) }
    }

    /// Tells all.
    public func batchDeadLettered(events: Int, error: SignetError) {
        for observer in self.observers { observer.batchDeadLettered(events: events, error: error) }
    }

    /// Tells all.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        for observer in self.observers { observer.batchPostponed(events: events, until: delay, error: error) }
    }

    /// Tells all.
    public func batchChanged(events: Int) {
        for observer in self.observers { observer.batchChanged(events: events) }
    }

    /// Tells all.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        for observer in self.observers { observer.eventsDropped(count, cause: cause) }
    }

    /// Tells all.
    public func corruptionDetected(_ description: String) {
        for observer in self.observers { observer.corruptionDetected(description) }
    }

    /// Tells all.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        for observer in self.observers { observer.stateNotSaved(installation: installation, error: error) }
    }

    /// Tells all.
    public func iterableRecordsDropped(_ count: Int, installation: InstallationID, cause: IterableDropCause) {
        for observer in self.observers {
            observer.iterableRecordsDropped(count, installation: installation, cause: cause)
        }
    }

    /// Tells all.
    public func iterablePostponed(installation: InstallationID, until delay: Duration, error: SignetError) {
        for observer in self.observers {
            observer.iterablePostponed(installation: installation, until: delay, error: error)
        }
    }

    /// Tells all.
    public func infobipDataDropped(changes: Int, events: Int, installation: InstallationID) {
        for observer in self.observers {
            observer.infobipDataDropped(changes: changes, events: events, installation: installation)
        }
    }

    /// Tells all.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        for observer in self.observers {
            observer.identitySyncFailed(installation: installation, service: service, error: error)
        }
    }

    /// Tells all.
    public func erasureFailed(_ error: SignetError) {
        for observer in self.observers { observer.erasureFailed(error) }
    }

    /// Tells all.
    public func runtimeEnded(_ report: ShutdownReport) {
        for observer in self.observers { observer.runtimeEnded(report) }
    }
}
