// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import Testing

@Suite struct CombinedObserverTests {
    /// Notes the name of each method that is called.
    private final class Notes: SignetObserver {
        let names = Locked<[String]>([])

        private func note(_ name: String = #function) {
            self.names.withLock { $0.append(String(name.prefix { $0 != "(" })) }
        }

        func requestFinished(_ report: RequestReport) { self.note() }
        func automaticIdentifyFailed(installation: InstallationID, error: SignetError) { self.note() }
        func eventRefused(installation: InstallationID, error: SignetError) { self.note() }
        func batchDelivered(events: Int, bytes: Int) { self.note() }
        func batchDeadLettered(events: Int, error: SignetError) { self.note() }
        func batchPostponed(events: Int, until delay: Duration, error: SignetError) { self.note() }
        func batchChanged(events: Int) { self.note() }
        func eventsDropped(_ count: Int, cause: DropCause) { self.note() }
        func corruptionDetected(_ description: String) { self.note() }
        func stateNotSaved(installation: InstallationID, error: SignetError) { self.note() }
        func sharedStoreFailed(_ error: SignetError) { self.note() }
        func usersDropped(_ count: Int, installation: InstallationID) { self.note() }
        func installationsRemoved(_ count: Int) { self.note() }
        func clockOffsetChanged(_ offset: Duration?) { self.note() }
        func serviceDataDropped(
            _ count: Int,
            of kind: String,
            service: IdentitySyncOutcome.Service,
            installation: InstallationID,
            cause: String?
        ) { self.note() }
        func servicePostponed(
            _ service: IdentitySyncOutcome.Service,
            installation: InstallationID,
            until delay: Duration,
            error: SignetError
        ) { self.note() }
        func identitySyncFailed(installation: InstallationID, service: IdentitySyncOutcome.Service, error: SignetError)
        {
            self.note()
        }
        func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError) { self.note() }
        func erasureFailed(_ error: SignetError) { self.note() }
        func runtimeEnded(_ report: ShutdownReport) { self.note() }
    }

    @Test func everybodyIsToldEverything() {
        let (first, second) = (Notes(), Notes())
        ObserverCalls.makeAll(on: CombinedObserver(first, second))
        let names = first.names.withLock { $0 }
        #expect(names == ObserverCalls.names)
        #expect(second.names.withLock { $0 } == names)
    }
}
