// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetJournal
import SignetLock
import SignetModel

/// Remembers all that a runtime tells, and lets a test wait for it.
final class RecordingObserver: SignetObserver {
    enum Note: Sendable {
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

    init() {
        (self.stream, self.continuation) = AsyncStream.makeStream()
    }

    /// Everything so far.
    var notes: [Note] {
        self.state.withLock { $0 }
    }

    var damages: [String] {
        self.notes.compactMap { if case .damage(let text) = $0 { text } else { nil } }
    }

    /// The failures of calls that the runtime makes in the shared store by itself.
    var storeFailures: [SignetError] {
        self.notes.compactMap { if case .sharedStoreFailed(let error) = $0 { error } else { nil } }
    }

    /// The numbers of users who left rows that were full.
    var usersDropped: [Int] {
        self.notes.compactMap { if case .usersDropped(let count, _) = $0 { count } else { nil } }
    }

    /// The numbers of installations that were removed.
    var installationsRemoved: [Int] {
        self.notes.compactMap { if case .installationsRemoved(let count) = $0 { count } else { nil } }
    }

    /// The reports of the machine's clock; nil where it is right again.
    var clockOffsets: [Duration?] {
        self.notes.compactMap { if case .clockOffset(let offset) = $0 { offset } else { nil } }
    }

    var reports: [ShutdownReport] {
        self.notes.compactMap { if case .ended(let report) = $0 { report } else { nil } }
    }

    var pauses: [Duration] {
        self.notes.compactMap { if case .postponed(_, let until, _) = $0 { until } else { nil } }
    }

    /// Waits until a note has come that no earlier call has waited for.
    ///
    /// For one caller at a time.
    func next<Value>(_ choose: (Note) -> Value?) async -> Value? {
        for await note in self.stream {
            if let value = choose(note) { return value }
        }
        return nil
    }

    /// Waits for the next pause of delivery.
    func nextPause() async -> Duration? {
        await self.next { if case .postponed(_, let until, _) = $0 { until } else { nil } }
    }

    /// Waits for the next delivery.
    func nextDelivery() async -> Int? {
        await self.next { if case .delivered(let events) = $0 { events } else { nil } }
    }

    private func note(_ note: Note) {
        self.state.withLock { $0.append(note) }
        self.continuation.yield(note)
    }

    func requestFinished(_ report: RequestReport) { self.note(.request(report)) }
    func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        self.note(.ownRequestFailed(installation, error))
    }
    func eventRefused(installation: InstallationID, error: SignetError) { self.note(.refused(installation, error)) }
    func batchDelivered(events: Int, bytes: Int) { self.note(.delivered(events: events)) }
    func batchDeadLettered(events: Int, error: SignetError) { self.note(.deadLetters(events: events, error)) }
    func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.note(.postponed(events: events, until: delay, error))
    }
    func batchChanged(events: Int) { self.note(.changed(events: events)) }
    func eventsDropped(_ count: Int, cause: DropCause) { self.note(.dropped(count, cause)) }
    func sharedStoreFailed(_ error: SignetError) { self.note(.sharedStoreFailed(error)) }
    func usersDropped(_ count: Int, installation: InstallationID) { self.note(.usersDropped(count, installation)) }
    func installationsRemoved(_ count: Int) { self.note(.installationsRemoved(count)) }
    func clockOffsetChanged(_ offset: Duration?) { self.note(.clockOffset(offset)) }
    func erasureFailed(_ error: SignetError) { self.note(.erasureFailed(error)) }
    func runtimeEnded(_ report: ShutdownReport) { self.note(.ended(report)) }
    func corruptionDetected(_ description: String) { self.note(.damage(description)) }
    func stateNotSaved(installation: InstallationID, error: SignetError) { self.note(.notSaved(installation, error)) }
}
