// SPDX-License-Identifier: Apache-2.0

import SignetModel
package import SignetTransport

/// The parts of a runtime that a service works with.
package struct LinkedServiceContext: Sendable {
    package let store: StateStore
    package let transport: any Transport
    /// Runs jobs inside `run()`.
    package let jobs: WorkQueue
    package let lifecycle: RuntimeLifecycle
    package let time: TimeSource
    package let observer: any SignetObserver
    package let statistics: StatisticsRecorder
    /// Returns a number from 0 to 1, for the jitter of pauses.
    package let jitter: @Sendable () -> Double
    /// The kind of app; an application says when it enters the foreground and the background.
    package let mode: SignetConfiguration.Sessions.Mode
    /// True for an installation that has opted out, in memory or not.
    ///
    /// Throws the error of the disk.
    package let isOptedOut: @Sendable (InstallationID) throws(SignetError) -> Bool
    /// Reports an installation, by its number, with work on disk that no driver is about to do.
    package var workIsLeft: @Sendable (UInt32) -> Void = { _ in }
    /// Asks for another try of everything that a service owes, also to installations that are not open.
    package var retryDueWork: @Sendable (IdentitySyncOutcome.Service) -> Void = { _ in }
    /// Keeps a driver without a user in memory, or lets go of it.
    package var keepInMemory: @Sendable (any LinkedManager, _ isNeeded: Bool) -> Void = { _, _ in }

    /// Counts and reports damage.
    package func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }

    /// Waits until the runtime runs.
    ///
    /// - Throws: `notRunning` after that time, or when it has ended; `cancelled`.
    package func awaitRun(within limit: Duration) async throws(SignetError) {
        switch await self.lifecycle.readiness(within: limit, on: self.time) {
        case .ready: return
        case .notRunning: throw self.lifecycle.refusal
        case .cancelled: throw .cancelled
        }
    }

    /// An exchange of requests and answers with the service.
    package var exchange: Exchange {
        Exchange(transport: self.transport, time: self.time, observer: self.observer, statistics: self.statistics)
    }
}
