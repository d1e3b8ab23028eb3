// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetLock
package import SignetModel

/// Remembers all that a runtime tells, and lets a test wait for it.
package final class RecordingObserver: SignetObserver {
    package enum Note: Sendable {
        case request(RequestReport)
        case ownRequestFailed(InstallationID, SignetError)
        case refused(InstallationID, SignetError)
        case delivered(events: Int)
        case deadLetters(events: Int, SignetError)
        case postponed(events: Int, until: Duration, SignetError)
        case changed(events: Int)
        case dropped(Int, DropCause)
        case damage(String)
        case notSaved(InstallationID, SignetError)
        case sharedStoreFailed(SignetError)
        case usersDropped(Int, InstallationID)
        case installationsRemoved(Int)
        case clockOffset(Duration?)
        case erasureFailed(SignetError)
        case ended(ShutdownReport)
    }

    private let state = Locked<[Note]>([])
    private let stream: AsyncStream<Note>
    private let continuation: AsyncStream<Note>.Continuation

    package init() {
        (self.stream, self.continuation) = AsyncStream.makeStream()
    }

    /// Everything so far.
    package var notes: [Note] {
        self.state.withLock { $0 }
    }

    package var damages: [String] {
        self.notes.compactMap { if case .damage(let text) = $0 { text } else { nil } }
    }

    /// The failures of calls that the runtime makes in the shared store by itself.
    package var storeFailures: [SignetError] {
        self.notes.compactMap { if case .sharedStoreFailed(let error) = $0 { error } else { nil } }
    }

    /// The numbers of users who left rows that were full.
    package var usersDropped: [Int] {
        self.notes.compactMap { if case .usersDropped(let count, _) = $0 { count } else { nil } }
    }

    /// The numbers of installations that were removed.
    package var installationsRemoved: [Int] {
        self.notes.compactMap { if case .installationsRemoved(let count) = $0 { count } else { nil } }
    }

    /// The reports of the machine's clock; nil where it is right again.
    package var clockOffsets: [Duration?] {
        self.notes.compactMap { if case .clockOffset(let offset) = $0 { offset } else { nil } }
    }

    package var reports: [ShutdownReport] {
        self.notes.compactMap { if case .ended(let report) = $0 { report } else { nil } }
    }

    package var pauses: [Duration] {
        self.notes.compactMap { if case .postponed(_, let until, _) = $0 { until } else { nil } }
    }

    /// Waits until a note has come that no earlier call has waited for.
    ///
    /// For one caller at a time.
    package func next<Value>(_ choose: (Note) -> Value?) async -> Value? {
        for await note in self.stream {
            if let value = choose(note) { return value }
        }
        return nil
    }

    /// Waits for the next pause of delivery.
    package func nextPause() async -> Duration? {
        await self.next { if case .postponed(_, let until, _) = $0 { until } else { nil } }
    }

    /// Waits for the next delivery.
    package func nextDelivery() async -> Int? {
        await self.next { if case .delivered(let events) = $0 { events } else { nil } }
    }

    private func note(_ note: Note) {
        self.state.withLock { $0.append(note) }
        self.continuation.yield(note)
    }

    package func requestFinished(_ report: RequestReport) { self.note(.request(report)) }
    package func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        self.note(.ownRequestFailed(installation, error))
    }
    package func eventRefused(installation: InstallationID, error: SignetError) {
        self.note(.refused(installation, error))
    }
    package func batchDelivered(events: Int, bytes: Int) { self.note(.delivered(events: events)) }
    package func batchDeadLettered(events: Int, error: SignetError) { self.note(.deadLetters(events: events, error)) }
    package func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.note(.postponed(events: events, until: delay, error))
    }
    package func batchChanged(events: Int) { self.note(.changed(events: events)) }
    package func eventsDropped(_ count: Int, cause: DropCause) { self.note(.dropped(count, cause)) }
    package func sharedStoreFailed(_ error: SignetError) { self.note(.sharedStoreFailed(error)) }
    package func usersDropped(_ count: Int, installation: InstallationID) {
        self.note(.usersDropped(count, installation))
    }
    package func installationsRemoved(_ count: Int) { self.note(.installationsRemoved(count)) }
    package func clockOffsetChanged(_ offset: Duration?) { self.note(.clockOffset(offset)) }
    package func erasureFailed(_ error: SignetError) { self.note(.erasureFailed(error)) }
    package func runtimeEnded(_ report: ShutdownReport) { self.note(.ended(report)) }
    package func corruptionDetected(_ description: String) { self.note(.damage(description)) }
    package func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.note(.notSaved(installation, error))
    }
}
