// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Delivers the alias requests of all installations, each after the events it needs, and never blocks events.
actor AliasQueue {
    /// The number of outcomes kept by id; older ones are removed.
    private static let maximumOutcomes = 10_000
    /// The pause before a row that could not be read is read again.
    private static let unreadablePause = Duration.seconds(30)

    /// A message from a caller to the queue; messages are handled in order.
    private enum Arrival {
        case request(AliasRecord)
        case optOut(InstallationID, upTo: UInt64)
    }

    private enum Phase {
        /// The requests of an earlier process are not known yet.
        case new
        case restored
        /// `run` has returned: nothing is sent any more.
        case ended
    }

    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: EventQueue
    private let arrivals = Locked<[Arrival]>([])
    private let wakeup: AsyncSignal
    private let storedPause: StoredPause
    private var machine = AliasStateMachine()
    private var phase = Phase.new
    /// Resolved when the next try has ended, with any result.
    private var nextTry = Promise<Void>()
    private var outcomes: [UUID: AliasOutcome] = [:]
    private var outcomeOrder: [UUID] = []

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - context: The parts that the runtime shares.
    ///   - users: The users of installations.
    ///   - events: The queue that knows which events are settled.
    ///   - wakeup: Signalled when events are settled, because a request that waited for them may go then.
    init(_ context: RuntimeContext, users: any EventUsers, events: EventQueue, wakeup: AsyncSignal) {
        self.context = context
        self.users = users
        self.events = events
        self.wakeup = wakeup
        self.storedPause = StoredPause(context, key: StateKey.aliasPause, of: "alias requests")
    }

    /// Hands a persisted request to the queue; nothing is sent before ``wake()``.
    ///
    /// Call it under the lock of the installation, so that it comes before or after an opt-out.
    nonisolated func add(_ record: AliasRecord) {
        self.arrivals.withLock { $0.append(.request(record)) }
    }

    /// Drops the requests of an installation that has opted out, after its record says so; the rules of ``add(_:)`` hold.
    ///
    /// - Parameters:
    ///   - installation: The installation that opted out.
    ///   - last: The last event of the journal at the opt-out.
    nonisolated func optedOut(_ installation: InstallationID, upTo last: UInt64) {
        self.arrivals.withLock { $0.append(.optOut(installation, upTo: last)) }
    }

    /// Makes the queue handle its messages.
    nonisolated func wake() {
        self.wakeup.signal()
    }

    /// The outcome of a request; nil while it is pending, and for one that is no longer kept.
    func outcome(of id: UUID) -> AliasOutcome? {
        self.outcomes[id]
    }

    /// Ends every pause.
    func resume() {
        self.machine.resume()
        self.storedPause.remove()
        self.wakeup.signal()
    }

    /// Delivers until the task is cancelled.
    func run() async {
        self.restore()
        while !Task.isCancelled {
            self.takeIn()
            switch self.machine.next(now: self.context.time.uptime) {
            case .busy:
                await self.wakeup.wait()
            case .wait(let deadline):
                await self.wakeup.wait(until: deadline, on: self.context.time)
            case .consider(let records, let deadline):
                if let record = await self.firstSettled(records), await self.mayGo(record), self.begin(record) {
                    await self.send(record)
                } else {
                    await self.wakeup.wait(until: deadline, on: self.context.time)
                }
            }
        }
        self.phase = .ended
        self.endTry()
    }

    /// Waits until nothing more can be sent for now: the rest waits for a pause, or for events.
    ///
    /// Also returns when this task or that of `run` is cancelled.
    ///
    /// - Returns: True if everything was sent that could be; false after a cancellation.
    func drain() async -> Bool {
        self.restore()
        while !Task.isCancelled, self.phase != .ended {
            // Taken before the check, because the try that it waits for may have ended by then.
            let ended = self.nextTry
            self.takeIn()
            switch self.machine.next(now: self.context.time.uptime) {
            case .busy: break
            case .wait: return true
            case .consider(let records, _): if await self.firstSettled(records) == nil { return true }
            }
            _ = await ended.value()
        }
        return false
    }

    /// True if requests of an installation have not ended.
    func hasRequests(of installation: InstallationID) -> Bool {
        self.restore()
        self.takeIn()
        return self.machine.hasRequests(of: installation)
    }

    /// Waits until all requests of an installation have ended.
    ///
    /// Also returns when this task or that of `run` is cancelled.
    ///
    /// - Returns: False after a cancellation.
    func untilEnded(of installation: InstallationID) async -> Bool {
        while !Task.isCancelled {
            // Taken before the check, because the try that it waits for may have ended by then.
            let ended = self.nextTry
            guard self.hasRequests(of: installation) else { return true }
            guard self.phase != .ended else { return false }
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
        guard self.phase == .new else { return }
        self.phase = .restored
        let stored = AliasRecord.stored(self.context)
        for record in stored { self.machine.add(record) }
        // The messages to this process are older than the records of the installations.
        self.takeIn()
        for installation in Set(stored.map(\.installation)) {
            do throws(SignetError) {
                // The process was killed between an opt-out and the removal of its requests.
                if let last = try self.users.optedOutAfter(installation) { self.optOut(installation, upTo: last) }
            } catch {
                // Not sent, because the user may have opted out; it stays on disk for the next start.
                _ = self.machine.optOut(installation, upTo: .max)
                self.context.observer.corruptionDetected(
                    "The opt-out state of an installation cannot be read. Its alias requests wait: \(error.message)"
                )
            }
        }
        do throws(SignetError) {
            guard let pause = try self.storedPause.read() else { return }
            self.machine.pause(until: self.context.time.uptime + pause.length)
        } catch {
            self.context.observer.corruptionDetected("The pause of alias requests cannot be read: \(error.message)")
        }
    }

    /// Drops the requests that name an erased user, and notifies subscribers.
    ///
    /// The caller that erases the user removes the records on disk.
    func forget(_ mpid: MPID) {
        self.takeIn()
        for record in self.machine.forget(mpid) { self.tell(record, .forgotten) }
        self.wakeup.signal()
    }

    /// The users of waiting requests.
    var knownUsers: Set<MPID> {
        self.takeIn()
        return self.machine.users
    }

    /// Drops the requests of an installation that is reset, and notifies subscribers.
    ///
    /// The caller that resets it removes the records on disk.
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
        return await self.events.firstSettled(waits).map { records[$0] }
    }

    /// Asks the row of the installation, where replicas share it: another one may have opted it out, or erased users.
    ///
    /// - Returns: False if the request has ended, or must wait.
    private func mayGo(_ record: AliasRecord) async -> Bool {
        guard self.users.readsRows else { return true }
        do throws(SignetError) {
            try await self.users.prepareToSend()
            try await self.users.prepare([record.installation], nil, upTo: 0)
            let withdrawal = self.users.withdrawal(record.installation, 0, nil)
            let unreadable = self.users.unreadable(record.installation)
            self.users.forgetReading(record.installation)
            if unreadable != nil {
                // The row may say that the installation has opted out; delivery reports it.
                self.machine.postpone(record.id, until: self.context.time.uptime + Self.unreadablePause)
            } else {
                switch withdrawal {
                case .all?: self.optOut(record.installation, upTo: .max)
                case .before(let moment)?:
                    let gone = self.machine.optOut(record.installation, before: moment)
                    for record in gone { self.end(record, .optedOut) }
                    guard gone.contains(where: { $0.id == record.id }) else { return true }
                default: return true
                }
            }
        } catch {
            self.machine.pause(until: self.context.time.uptime + .seconds(1))
        }
        // The loop and a drain look again.
        self.wakeup.signal()
        self.endTry()
        return false
    }

    /// Begins a try, unless the installation has opted out since the request was chosen.
    private func begin(_ record: AliasRecord) -> Bool {
        self.takeIn()
        return self.machine.begin(record.id)
    }

    private func send(_ record: AliasRecord) async {
        let result = await self.context.dispatcher.perform(
            .alias,
            body: record.body(self.context),
            timeout: self.context.configuration.identity.requestTimeout
        )
        switch result {
        case .success:
            self.settle(record, .accepted)
        case .failure(let error):
            if self.isFinal(error, for: record) {
                self.settle(record, .refused(error))
            } else {
                self.postpone(record, error)
            }
        }
        self.endTry()
    }

    /// True if a request is not sent again after this error; counts a refusal without a reason of the platform.
    private func isFinal(_ error: SignetError, for record: AliasRecord) -> Bool {
        switch DeliveryVerdict(error) {
        case .refused, .tooLarge(isOfPlatform: true):
            return true
        case .unauthorized:
            // A workspace that is not provisioned for aliasing never will be (IDSync, aliasing): the platform itself
            // says so. 401 is about the key and the secret, and those can be corrected.
            return error.httpStatus == 403 && ErrorReply.isOfPlatform(error.errors)
        case .unexplained, .tooLarge(isOfPlatform: false):
            switch UnexplainedRefusals.next(after: record.refusals, at: self.context.time.milliseconds) {
            case .giveUp: return true
            case .tryAgain(let refusals):
                if refusals != record.refusals { self.count(refusals, of: record) }
                return false
            }
        case .misdirected, .asked, .failed:
            return false
        }
    }

    private func count(_ refusals: UnexplainedRefusals, of record: AliasRecord) {
        // Forgotten meanwhile, and removed from disk.
        guard let counted = self.machine.refused(record.id, refusals) else { return }
        do throws(SignetError) {
            try self.context.store.put(counted.encoded(), for: StateKey.alias(record.id))
        } catch {
            self.context.observer.stateNotSaved(installation: record.installation, error: error)
        }
    }

    private func postpone(_ record: AliasRecord, _ error: SignetError) {
        let configuration = self.context.configuration
        let unasked = configuration.events.pauseWithoutRetryAfter
        let jitter = configuration.jitter()
        let failure = AliasStateMachine.Failure(error)
        var pause = Duration.zero
        let end = self.machine.failed(now: self.context.time.uptime, failure) { failures in
            pause = DeliveryPause.after(error, unasked: unasked, failures: failures, jitter: jitter)
            return pause
        }
        if failure == .asked {
            // A restart must not bypass the pause.
            self.storedPause.write(UploadPause(.asked, pause, failures: 0))
        }
        // The user was erased, or the installation opted out, while the request was in flight.
        switch end {
        case .forgotten: self.tell(record, .forgotten)
        case .optedOut: self.end(record, .optedOut)
        case nil: break
        }
    }

    private func settle(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        self.machine.settled(record.id)
        self.storedPause.remove()
        self.end(record, kind)
    }

    /// Removes the request from disk first, then notifies subscribers once; after a crash before that it is sent again.
    private func end(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        do throws(SignetError) {
            try self.context.store.remove(StateKey.alias(record.id))
        } catch {
            self.context.observer.stateNotSaved(installation: record.installation, error: error)
        }
        self.tell(record, kind)
    }

    private func tell(_ record: AliasRecord, _ kind: AliasOutcome.Kind) {
        let outcome = AliasOutcome(installation: record.installation, id: record.id, kind: kind)
        self.outcomes[record.id] = outcome
        self.outcomeOrder.append(record.id)
        if self.outcomeOrder.count > Self.maximumOutcomes { self.outcomes[self.outcomeOrder.removeFirst()] = nil }
        self.context.aliasOutcomes.send(outcome, of: record.installation)
        self.endTry()
    }
}

extension AliasStateMachine.Failure {
    /// Classifies an error for the next try.
    fileprivate init(_ error: SignetError) {
        if DeliveryVerdict(error) == .asked {
            self = .asked
        } else {
            self = error.httpStatus == nil ? .unreachable : .answered
        }
    }
}
