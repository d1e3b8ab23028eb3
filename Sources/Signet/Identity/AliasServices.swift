//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// What the alias queue works with.
final class AliasServices: Sendable {
    /// Asks in one go for all, because there may be many.
    typealias FirstSettled =
        @Sendable ([(installation: InstallationID, mpids: [MPID], sequence: UInt64)]) async -> Int?

    let dispatcher: NetworkDispatcher
    let store: StateStore
    let time: TimeSource
    let observer: any SignetObserver
    let outcomes: Broadcast<AliasOutcome>
    let requestTimeout: Duration
    let jitter: @Sendable () -> Double
    /// Finds the first of some waits, for events of users up to a number, that is over.
    let firstSettled: FirstSettled
    /// After which event of the journal an installation has opted out, the last time; nil when it never did.
    let optedOutAfter: @Sendable (InstallationID) throws(SignetError) -> UInt64?
    private let environment: WorkspaceEnvironment
    private let apiKey: String

    init(
        dispatcher: NetworkDispatcher,
        store: StateStore,
        observer: any SignetObserver,
        outcomes: Broadcast<AliasOutcome>,
        configuration: SignetConfiguration,
        optedOutAfter: @escaping @Sendable (InstallationID) throws(SignetError) -> UInt64?,
        firstSettled: @escaping FirstSettled
    ) {
        self.dispatcher = dispatcher
        self.store = store
        self.time = configuration.time
        self.observer = observer
        self.outcomes = outcomes
        self.requestTimeout = configuration.identity.requestTimeout
        self.jitter = configuration.jitter
        self.environment = configuration.environment
        self.apiKey = configuration.apiKey
        self.optedOutAfter = optedOutAfter
        self.firstSettled = firstSettled
    }

    // MARK: - The pause that the platform asked for

    /// What is left of the pause of an earlier process; nil when there is none.
    func storedPause() -> Duration? {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: StateKey.aliasPause) else { return nil }
            return UploadPause(bytes, now: self.time.milliseconds)?.length
        } catch {
            self.observer.corruptionDetected("A pause of alias requests cannot be read: \(error.message)")
            return nil
        }
    }

    /// Writes a pause down.
    func store(_ pause: UploadPause) {
        do throws(SignetError) {
            try self.store.put(pause.encoded(now: self.time.milliseconds), for: StateKey.aliasPause)
        } catch {
            self.observer.corruptionDetected("A pause of alias requests could not be written down: \(error.message)")
        }
    }

    /// The platform takes requests again.
    func removePause() {
        do throws(SignetError) {
            try self.store.remove(StateKey.aliasPause)
        } catch {
            self.observer.corruptionDetected(
                "The end of a pause of alias requests was not written down: \(error.message)"
            )
        }
    }

    // MARK: - Requests

    /// Requests that an earlier process left, oldest first by the event they wait for.
    func storedRequests() -> [AliasRecord] {
        do throws(SignetError) {
            return try self.store.values(withPrefix: StateKey.aliases) { self.observer.corruptionDetected($0.message) }
                .compactMap { key, value in
                    if let record = AliasRecord(value) { return record }
                    self.observer.corruptionDetected("A stored alias request is not readable; it stays where it is.")
                    return nil
                }
                .sorted { $0.lastEvent < $1.lastEvent }
        } catch {
            self.observer.corruptionDetected("Stored alias requests cannot be read: \(error.message)")
            return []
        }
    }

    /// The JSON of a request.
    ///
    /// A window that was within the limits when it was asked for is kept within them however late it is sent, with a
    /// minute for the way and for clocks that differ: otherwise the platform refuses all of it.
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
