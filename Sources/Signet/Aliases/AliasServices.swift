// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The dependencies of the alias queue.
final class AliasServices: Sendable {
    /// Checks all waits in one call, because there may be many.
    typealias FirstSettled =
        @Sendable ([(installation: InstallationID, mpids: [MPID], sequence: UInt64)]) async -> Int?

    let dispatcher: NetworkDispatcher
    let store: StateStore
    let time: TimeSource
    let observer: any SignetObserver
    let outcomes: Broadcast<AliasOutcome>
    let requestTimeout: Duration
    let jitter: @Sendable () -> Double
    /// Finds the first wait that is over; a wait is for the events of users up to a sequence number.
    let firstSettled: FirstSettled
    /// Reads the last event of the journal at an installation's last opt-out; nil if it never opted out.
    let optedOutAfter: @Sendable (InstallationID) throws(SignetError) -> UInt64?
    private let environment: WorkspaceEnvironment
    private let apiKey: String

    init(
        _ context: RuntimeContext,
        optedOutAfter: @escaping @Sendable (InstallationID) throws(SignetError) -> UInt64?,
        firstSettled: @escaping FirstSettled
    ) {
        let configuration = context.configuration
        self.dispatcher = context.dispatcher
        self.store = context.store
        self.time = configuration.time
        self.observer = context.observer
        self.outcomes = context.aliasOutcomes
        self.requestTimeout = configuration.identity.requestTimeout
        self.jitter = configuration.jitter
        self.environment = configuration.environment
        self.apiKey = configuration.apiKey
        self.optedOutAfter = optedOutAfter
        self.firstSettled = firstSettled
    }

    // MARK: - The pause that the platform asked for

    /// The rest of a pause from an earlier process; nil if there is none.
    func storedPause() -> Duration? {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: StateKey.aliasPause) else { return nil }
            return UploadPause(bytes, now: self.time.milliseconds)?.length
        } catch {
            self.observer.corruptionDetected("The pause of alias requests cannot be read: \(error.message)")
            return nil
        }
    }

    /// Persists a pause.
    func store(_ pause: UploadPause) {
        do throws(SignetError) {
            try self.store.put(pause.encoded(now: self.time.milliseconds), for: StateKey.aliasPause)
        } catch {
            self.observer.corruptionDetected(
                "The pause of alias requests could not be written to disk: \(error.message)"
            )
        }
    }

    /// Removes the persisted pause when the platform takes requests again.
    func removePause() {
        do throws(SignetError) {
            try self.store.remove(StateKey.aliasPause)
        } catch {
            self.observer.corruptionDetected(
                "The end of the pause of alias requests could not be written to disk: \(error.message)"
            )
        }
    }

    // MARK: - Requests

    /// The requests of an earlier process, ordered by the event they wait for.
    func storedRequests() -> [AliasRecord] {
        do throws(SignetError) {
            return try self.store.values(withPrefix: StateKey.aliases) { self.observer.corruptionDetected($0.message) }
                .compactMap { key, value in
                    if let record = AliasRecord(value) { return record }
                    self.observer.corruptionDetected("A stored alias request cannot be read. It stays on disk unsent.")
                    return nil
                }
                .sorted { $0.lastEvent < $1.lastEvent }
        } catch {
            self.observer.corruptionDetected("Stored alias requests cannot be read: \(error.message)")
            return []
        }
    }

    /// Encodes a request as JSON.
    ///
    /// A window that was within the limits at the request stays within them however late it is sent. A minute is reserved for
    /// the transfer and for clocks that differ, because otherwise the platform refuses the whole request.
    func body(of record: AliasRecord) -> [UInt8] {
        let earliest = self.time.milliseconds - Int64(AliasRequest.maximumWindow) * 86_400_000 + 60_000
        return AliasBody(
            requestID: record.id,
            environment: self.environment,
            apiKey: self.apiKey,
            source: record.source,
            destination: record.destination,
            start: max(record.start, min(earliest, record.end - 1)),
            end: record.end,
            deviceApplicationStamp: record.deviceApplicationStamp
        ).encoded()
    }
}
