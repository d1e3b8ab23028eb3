// SPDX-License-Identifier: Apache-2.0

import SignetIterable
import SignetModel
import SignetTransport

@testable import Signet

/// One call of each kind that a runtime makes to its observer.
///
/// A new kind belongs here, so that no observer of ours forgets to pass it on.
enum ObserverCalls {
    static let names = [
        "requestFinished", "automaticIdentifyFailed", "eventRefused", "batchDelivered", "batchDeadLettered",
        "batchPostponed", "batchChanged", "eventsDropped", "corruptionDetected", "stateNotSaved",
        "installationsRemoved", "sharedStoreFailed", "usersDropped", "clockOffsetChanged", "serviceDataDropped",
        "servicePostponed", "identitySyncFailed", "dueWorkPostponed", "erasureFailed", "runtimeEnded",
    ]

    static let error = SignetError(.serverFailure, "the server says no", httpStatus: 500)

    static func makeAll(on observer: any SignetObserver) {
        let installation: InstallationID = "cookie-secret"
        observer.requestFinished(
            RequestReport(
                endpoint: "login",
                request: TransportRequest(method: .post, url: "https://identity.example.com:8443/v1/login?secret"),
                urlTemplate: "/v1/login",
                status: 500,
                failure: .serverFailure,
                duration: .milliseconds(250)
            )
        )
        observer.automaticIdentifyFailed(installation: installation, error: self.error)
        observer.eventRefused(installation: installation, error: self.error)
        observer.batchDelivered(events: 7, bytes: 700)
        observer.batchDeadLettered(events: 3, error: self.error)
        observer.batchPostponed(events: 4, until: .seconds(5), error: self.error)
        observer.batchChanged(events: 2)
        observer.eventsDropped(5, cause: .age)
        observer.corruptionDetected("a frame of segment 3")
        observer.stateNotSaved(installation: installation, error: self.error)
        observer.installationsRemoved(10)
        observer.sharedStoreFailed(self.error)
        observer.usersDropped(9, installation: installation)
        observer.clockOffsetChanged(.seconds(-3))
        let service = IdentitySyncOutcome.Service.iterable
        observer.serviceDataDropped(6, of: "record", service: service, installation: installation, cause: "limit")
        observer.servicePostponed(service, installation: installation, until: .seconds(9), error: self.error)
        observer.identitySyncFailed(installation: installation, service: service, error: self.error)
        observer.dueWorkPostponed(kind: "identity", count: 4, until: .seconds(15), error: self.error)
        observer.erasureFailed(self.error)
        observer.runtimeEnded(ShutdownReport(eventsDelivered: 0, eventsLeft: 8, isComplete: false))
    }
}
