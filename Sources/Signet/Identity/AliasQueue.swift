//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Delivers alias requests of all installations: each after the events that it is about, none holding events back.
actor AliasQueue {
    /// How many outcomes can be asked for by id; older ones are forgotten.
    private static let maximumOutcomes = 10_000

    /// What those who call tell the queue, in their order.
    private enum Arrival {
        case request(AliasRecord)
        case optOut(InstallationID, upTo: UInt64)
    }

    private let services: AliasServices
    private let arrivals = Locked<[Arrival]>([])
    private let wakeup: AsyncSignal
    private var machine = AliasStateMachine()
    private var isRestored = false
    private var hasEnded = false
    /// Resolved when the next try is over, however it ended.
    private var nextTry = Promise<Void>()
    private var outcomes: [UUID: AliasOutcome] = [:]
    private var outcomeOrder: [UUID] = []
    /// Whether a pause that the platform asked for is written down.
    private var isPauseStored = false

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - services: What it works with.
    ///   - wakeup: Is signalled when events were settled: a request that waited for them may go then.
    init(services: AliasServices, wakeup: AsyncSignal) {
        self.services = services
        self.wakeup = wakeup
    }

    /// Takes a request: when this returns, it survives the death of the process.
    ///
    /// Call it under the lock of the installation, so that it comes before or after an opt-out, and ``wake()`` afterwards.
    nonisolated func add(_ record: AliasRecord) throws(SignetError) {
        try self.services.store.put(record.encoded(), for: StateKey.alias(record.id))
        self.arrivals.withLock { $0.append(.request(record)) }
    }

    /// An installation has opted out, and its record says so; the rules of ``add(_:)`` hold.
    ///
    /// - Parameters:
    ///   - installation: Which.
    ///   - last: The last event of the journal when it did.
    nonisolated func optedOut(_ installation: InstallationID, upTo last: UInt64) {
        self.arrivals.withLock { $0.append(.optOut(installation, upTo: last)) }
    }

    /// Has the queue look at what it was told.
    nonisolated func wake() {
        self.wakeup.signal()
    }

    /// How a request ended; nil when it is still on its way, or forgotten.
    func outcome(of id: UUID) -> AliasOutcome? {
        self.outcomes[id]
    }

    /// Ends every pause that was not asked for by the platform.
    func resume() {
        self.machine.resume()
        self.wakeup.signal()
    }

    /// Delivers until the task is cancelled.
    func run() async {
        self.restore()
        while !Task.isCancelled {
            self.takeIn()
            switch self.machine.next(now: self.services.time.uptime) {
            case .busy:
                await self.wakeup.wait()
            case .wait(let deadline):
                await self.wakeup.wait(until: deadline, on: self.services.time)
            case .consider(let records, let deadline):
                if let record = await self.firstSettled(records), self.machine.begin(record.id) {
                    await self.send(record)
                } else {
                    await self.wakeup.wait(until: deadline, on: self.services.time)
                }
            }
        }
        self.hasEnded = true
        self.endTry()
    }

    /// Returns when nothing can be sent for now: what is left waits for a pause, or for events; or when a task is cancelled,
    /// this one or that of `run`.
    ///
    /// - Returns: Whether everything was sent that could be; false after a cancellation.
    func drain() async -> Bool {
        self.restore()
        while !Task.isCancelled, !self.hasEnded {
            // In hand before the look: the try that it waits for may be over by then.
            let ended = self.nextTry
            self.takeIn()
            switch self.machine.next(now: self.services.time.uptime) {
            case .busy: break
            case .wait: return true
            case .consider(let records, _): if await self.firstSettled(records) == nil { return true }
            }
            _ = await ended.value()
        }
        return false
    }

    private func takeIn() {
        let arrivals = self.arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
        for arrival in arrivals {
            switch arrival {
            case .request(let record): self.machine.add(record)
            case .optOut(let installation, let last): self.optOut(installation, upTo: last)
            }
        }
    }

    private func optOut(_ installation: InstallationID, upTo last: UInt64) {
        for record in self.machine.optOut(installation, upTo: last) { self.end(record, .optedOut) }
    }

    private func endTry() {
        self.nextTry.resolve(())
        self.nextTry = Promise()
    }

    private func restore() {
        guard !self.isRestored else { return }
        self.isRestored = true
        let stored = self.services.storedRequests()
        for record in stored { self.machine.add(record) }
        // What this process was told of them is older than what their installations remember.
        self.takeIn()
        for installation in Set(stored.map(\.installation)) {
            do throws(SignetError) {
                // Killed between an opt-out and the end of what it ends.
                if let last = try self.services.optedOutAfter(installation) { self.optOut(installation, upTo: last) }
            } catch {
                // Not sent for somebody who may have opted out; it stays on disk for the next start.
                _ = self.machine.optOut(installation, upTo: .max)
                self.services.observer.corruptionDetected(
                    "Whether an installation has opted out cannot be read; its alias requests wait: \(error.message)"
                )
            }
        }
        guard let pause = self.services.storedPause() else { return }
        self.isPauseStored = true
        self.machine.pause(until: self.services.time.uptime + pause)
    }

    /// A user is erased: requests that name them are not sent any more; who listens is told.
    ///
    /// The records on disk are removed by who erases the user.
    func forget(_ mpid: MPID) {
        self.takeIn()
        for record in self.machine.forget(mpid) { self.tell(record, .forgotten) }
        self.wakeup.signal()
    }

    /// An installation is reset: its requests are not sent any more; who listens is told.
    ///
    /// The records on disk are removed by who resets it.
    func forget(_ installation: InstallationID, stamp: UUID) {
        self.takeIn()
        let gone = self.machine.forget { $0.installation == installation && $0.deviceApplicationStamp == stamp }
        for record in gone { self.tell(record, .forgotten) }
        self.wakeup.signal()
    }

    private func firstSettled(_ records: [AliasRecord]) async -> AliasRecord? {
        let waits = records.map {
            (installation: $0.installation, mpids: [$0.source, $0.destination], sequence: $0.lastEvent)
        }
        return await self.services.firstSettled(waits).map { records[$0] }
    }

    private func send(_ record: AliasRecord) async {
        let result = await self.services.dispatcher.perform(
            .alias,
            body: self.services.body(of: record),
            timeout: self.services.requestTimeout
        )
        switch result {
        case .success:
            self.settle(record, .accepted)
        case .failure(let error) where DeliveryPause.isFinal(error) || error.httpStatus == 403:
            // 403 too: an alias that the workspace is not provisioned for never will be (IDSync, aliasing). 401 is about
            // the key and the secret, and those can be put right.
            self.settle(record, .refused(error))
        case .failure(let error):
            self.postpone(record, error)
        }
        self.endTry()
    }

    private func postpone(_ record: AliasRecord, _ error: SignetError) {
        let jitter = self.services.jitter()
        let failure = AliasStateMachine.Failure(error)
        let end = self.machine.failed(now: self.services.time.uptime, failure) {
            DeliveryPause.after(error, failures: $0, jitter: jitter)
        }
        if failure == .asked {
            // A restart must not be a way around it.
            let pause = DeliveryPause.after(error, failures: 1, jitter: jitter)
            self.services.store(UploadPause(.asked, pause, failures: 0))
            self.isPauseStored = true
        }
        // Its user was erased, or its installation has opted out, while it was on the wire.
        switch end {
        case .forgotten: self.tell(record, .forgotten)
        case .optedOut: self.end(record, .optedOut)
        case nil: break
        }
    }

    private func settle(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        self.machine.settled(record.id)
        if self.isPauseStored {
            self.isPauseStored = false
            self.services.removePause()
        }
        self.end(record, kind)
    }

    /// Removed from disk first, told afterwards: an outcome is told once, or after a crash the request is sent again.
    private func end(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        do throws(SignetError) {
            try self.services.store.remove(StateKey.alias(record.id))
        } catch {
            self.services.observer.stateNotSaved(installation: record.installation, error: error)
        }
        self.tell(record, kind)
    }

    private func tell(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        let outcome = AliasOutcome(installation: record.installation, id: record.id, kind: kind)
        self.outcomes[record.id] = outcome
        self.outcomeOrder.append(record.id)
        if self.outcomeOrder.count > Self.maximumOutcomes { self.outcomes[self.outcomeOrder.removeFirst()] = nil }
        self.services.outcomes.send(outcome, of: record.installation)
    }
}

extension AliasStateMachine.Failure {
    /// What an error says of the next try.
    fileprivate init(_ error: SignetError) {
        if DeliveryVerdict(error) == .asked {
            self = .asked
        } else {
            self = error.httpStatus == nil ? .unreachable : .answered
        }
    }
}
