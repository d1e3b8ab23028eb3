// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension EventQueue {
    /// A batch on the wire.
    private struct Part {
        let record: BatchRecord
        let body: [UInt8]
        let events: Int
        let isRepeated: Bool
    }

    /// Makes one try to send some batches, inside `run()`.
    func upload(_ request: UploadStateMachine.Request) async {
        var parts: [Part] = []
        var gone: [BatchOutcome] = []
        do throws(SignetError) {
            for id in request.batches {
                guard let batch = self.held[id] else { continue }
                self.held[id]?.body = nil
                // Killed after its events had left the journal: only the batch itself is left to remove.
                guard let (body, events) = try self.body(of: batch) else {
                    gone.append(BatchOutcome(record: batch.record, events: 0, kind: .settledBefore))
                    continue
                }
                parts.append(Part(record: batch.record, body: body, events: events, isRepeated: batch.isRepeated))
            }
        } catch {
            return self.postpone(request, error, Self.diskPause, .disk)
        }
        guard !parts.isEmpty else { return self.settle(request, gone) }
        self.countSent(parts)
        let isShared = parts.count > 1
        let ids = parts.map(\.record.id)
        self.onWire.formUnion(ids)
        let answer = await self.services.dispatcher.deliver(
            isShared ? .bulkEvents : .events,
            body: isShared ? Self.join(parts) : parts[0].body,
            timeout: self.services.requestTimeout
        )
        self.onWire.subtract(ids)
        defer { self.resumeAnswerWaiters() }
        // Batches whose user was erased meanwhile and whose answer was given up: ignore the answer.
        parts.removeAll { self.held[$0.record.id] == nil }
        for part in parts { self.held[part.record.id]?.isRepeated = true }
        if let used = answer.percentageUsed { self.machine.rate.heed(percentageUsed: used) }
        switch answer.result {
        case .success:
            let delivered = parts.map {
                BatchOutcome(record: $0.record, events: $0.events, kind: .delivered(bytes: $0.body.count))
            }
            self.settle(request, delivered + gone)
        case .failure(let error):
            let verdict = answer.isAccelerating ? .failed : DeliveryVerdict(error)
            parts.removeAll { self.dropForgotten($0.record) }
            self.failed(request, parts, gone, error, isShared && verdict == .refused ? nil : verdict)
        }
    }

    private func body(of batch: InFlightBatch) throws(SignetError) -> (bytes: [UInt8], events: Int)? {
        if let body = batch.body { return body }
        return try self.services.body(of: batch.record)
    }

    /// Returns the JSON array of several batches, the body of their request.
    private static func join(_ parts: [Part]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(parts.reduce(2) { $0 + $1.body.count + 1 })
        for (index, part) in parts.enumerated() {
            body.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            body += part.body
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    private func countSent(_ parts: [Part]) {
        self.services.statistics.record { counts in
            for part in parts {
                counts.batchesSent += 1
                counts.eventsSent += part.events
                counts.bytesSent += part.body.count
                if part.isRepeated { counts.eventsRepeated += part.events }
            }
        }
    }

    private func failed(
        _ request: UploadStateMachine.Request,
        _ parts: [Part],
        _ gone: [BatchOutcome],
        _ error: SignetError,
        _ verdict: DeliveryVerdict?
    ) {
        switch verdict {
        case nil:
            // The platform refused one of several batches, but does not say which.
            self.sendApart(request)
        case .refused:
            do throws(SignetError) {
                if error.httpStatus == 413, let batch = parts.first, try self.halve(batch.record) {
                    self.services.observer.batchPostponed(events: batch.events, until: .zero, error: error)
                    return self.sendApart(request)
                }
                for part in parts { try self.deadLetter(part.record, part.body, part.events, error) }
            } catch {
                return self.postpone(request, error, Self.diskPause, .disk)
            }
            let outcomes = parts.map { BatchOutcome(record: $0.record, events: $0.events, kind: .deadLetters(error)) }
            self.settle(request, outcomes + gone)
        case .failed where error.code == .cancelled && Task.isCancelled:
            // The runtime ends, not the transport. This says nothing of the platform, and must not make the next start
            // wait.
            self.postpone(request, error, .zero, .disk)
        case .unauthorized?, .misdirected?, .asked?, .failed?:
            let failures = self.machine.countFailure(now: self.now)
            let pause = DeliveryPause.after(error, verdict, failures: failures, jitter: self.services.jitter())
            self.postpone(request, error, pause, verdict.map(UploadPause.Reason.init) ?? .failure)
        }
    }

    /// Sends each batch of a request alone, at once.
    private func sendApart(_ request: UploadStateMachine.Request) {
        self.machine.finished(request.number, .apart, now: self.now)
        self.forgetPause()
        self.services.ingress.wakeup.signal()
    }

    private func postpone(
        _ request: UploadStateMachine.Request,
        _ error: SignetError,
        _ pause: Duration,
        _ reason: UploadPause.Reason
    ) {
        self.lastFailure = error
        self.machine.finished(request.number, .postponed(pause, reason), now: self.now)
        if reason != .disk { self.storePause() }
        let events = request.batches.reduce(0) { $0 + (self.held[$1]?.record.events ?? 0) }
        self.services.observer.batchPostponed(events: events, until: pause, error: error)
        self.services.ingress.wakeup.signal()
    }

    // MARK: - Settling

    /// Removes the events of answered batches from the journal; the next batches may go.
    private func settle(_ request: UploadStateMachine.Request, _ outcomes: [BatchOutcome]) {
        for outcome in outcomes { self.held[outcome.record.id] = nil }
        self.finish(outcomes)
        self.machine.finished(request.number, .settled, now: self.now)
        self.forgetPause()
        self.services.settled()
        self.services.ingress.wakeup.signal()
    }

    /// Removes the events first and the batches afterwards: after a kill between the two, a batch is found empty.
    private func finish(_ outcomes: [BatchOutcome]) {
        let sequences = outcomes.flatMap { $0.record.sequences.prefix($0.record.sequences.count) }
        do throws(SignetError) {
            try self.services.acknowledge(sequences, of: outcomes.map(\.record.installation))
        } catch {
            // The error may come after the events had left the journal, while it freed their space.
            guard !self.services.isWaiting(sequences) else {
                self.services.reportDamage("Answered events could not be removed from disk: \(error.message)")
                self.unsettled.append(outcomes)
                self.settleAgainAt = self.now + Self.diskPause
                return
            }
            self.services.reportDamage("The space of delivered events could not be freed: \(error.message)")
        }
        for outcome in outcomes {
            self.count(outcome)
            do throws(SignetError) {
                try self.services.store.remove(StateKey.batch(outcome.record.id))
            } catch {
                // The next start finds it without events, and removes it.
                self.services.reportDamage("A delivered batch could not be removed from disk: \(error.message)")
            }
        }
    }

    /// Tries again to remove answered events that the disk refused to remove.
    ///
    /// - Parameter isUrgent: True to try even during the pause after a failure.
    func settleAgain(isUrgent: Bool = false) {
        guard !self.unsettled.isEmpty, isUrgent || self.settleAgainAt <= self.now else { return }
        let unsettled = self.unsettled
        self.unsettled = []
        for outcomes in unsettled { self.finish(outcomes) }
        self.services.settled()
    }

    /// Counts and reports the outcome of a batch.
    func count(_ outcome: BatchOutcome) {
        let events = outcome.events
        // The events of a former dead letter are not in the journal: they count as waiting until now.
        let resent = outcome.record.sequences.count == 0 ? outcome.record.events : 0
        self.services.statistics.record { counts in
            counts.eventsResending -= resent
            switch outcome.kind {
            case .delivered(let bytes):
                counts.eventsDelivered += events
                counts.batchesDelivered += 1
                counts.bytesDelivered += bytes
            case .deadLetters:
                counts.eventsDeadLettered += events
            case .settledBefore:
                break
            }
        }
        switch outcome.kind {
        case .delivered(let bytes): self.services.observer.batchDelivered(events: events, bytes: bytes)
        case .deadLetters(let error): self.services.observer.batchDeadLettered(events: events, error: error)
        case .settledBefore: break
        }
    }
}

extension UploadPause.Reason {
    /// The reason of the pause after a verdict.
    fileprivate init(_ verdict: DeliveryVerdict) {
        switch verdict {
        case .asked: self = .asked
        case .unauthorized: self = .unauthorized
        case .misdirected: self = .misdirected
        case .failed, .refused: self = .failure
        }
    }
}
