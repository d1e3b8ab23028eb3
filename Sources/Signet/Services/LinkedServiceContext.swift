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
    /// True for an installation in memory that has opted out.
    package let isOptedOut: @Sendable (InstallationID) -> Bool

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
        case .notRunning: throw .notRunning
        case .cancelled: throw .cancelled
        }
    }

    /// An exchange of requests and answers with the service.
    package var exchange: Exchange {
        Exchange(transport: self.transport, time: self.time, observer: self.observer, statistics: self.statistics)
    }
}
