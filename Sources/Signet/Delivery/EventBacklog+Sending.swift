// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

// A batch between the disk and its answer.
extension EventBacklog {
    /// A batch on the wire.
    struct Part: Sendable {
        let batch: InFlightBatch
        let body: [UInt8]
        let events: Int
    }

    /// Returns the batches of a request, and those of which nothing is left to send.
    mutating func parts(
        of request: UploadStateMachine.Request
    ) throws(SignetError) -> (parts: [Part], gone: [BatchOutcome]) {
        var parts: [Part] = []
        var gone: [BatchOutcome] = []
        for id in request.batches {
            if let batch = self.held[id], batch.cut != nil { try self.writeDown(batch) }
            var kept = self.held.takeBody(of: id)
            guard let batch = self.held[id] else { continue }
            if kept == nil { kept = try self.maker.body(of: batch.record) }
            if let (body, events) = kept {
                parts.append(Part(batch: batch, body: body, events: events))
            } else {
                // Killed after its events had left the journal: only the batch itself is left to remove.
                gone.append(BatchOutcome(record: batch.record, events: 0, kind: .settledBefore))
            }
        }
        return (parts, gone)
    }

    /// Records that batches go out.
    mutating func sent(_ parts: [Part]) {
        self.context.statistics.record { counts in
            for part in parts {
                counts.batchesSent += 1
                counts.eventsSent += part.events
                counts.bytesSent += part.body.count
                if part.batch.isRepeated { counts.eventsRepeated += part.events }
            }
        }
        self.held.sent(parts.map(\.batch.record.id))
    }

    /// Does what the answer to a request says.
    mutating func finish(
        _ request: UploadStateMachine.Request,
        _ sent: [Part],
        _ gone: [BatchOutcome],
        _ answer: DeliveryAnswer
    ) {
        self.held.answered(sent.map(\.batch.record.id))
        // Batches whose user was erased meanwhile and whose answer was given up: ignore the answer.
        var parts = sent.filter { self.held[$0.batch.record.id] != nil }
        if let used = answer.percentageUsed { self.machine.rate.heed(percentageUsed: used) }
        switch answer.result {
        case .success:
            let delivered = parts.map {
                BatchOutcome(record: $0.batch.record, events: $0.events, kind: .delivered(bytes: $0.body.count))
            }
            self.settle(request, delivered + gone)
        case .failure(let error):
            let verdict = answer.verdict ?? .failed
            parts.removeAll { self.dropForgotten($0.batch.record) }
            if sent.count > 1, verdict.isAboutContent {
                // One of several batches was refused, but the answer does not say which.
                self.sendApart(request, verdict)
            } else {
                self.failed(request, parts, gone, error, verdict)
            }
        }
        self.held.resumeWaiters()
    }

    private mutating func failed(
        _ request: UploadStateMachine.Request,
        _ parts: [Part],
        _ gone: [BatchOutcome],
        _ error: SignetError,
        _ verdict: DeliveryVerdict
    ) {
        switch verdict {
        case .refused, .tooLarge, .unexplained:
            self.refused(request, parts, gone, error, verdict)
        case .failed where error.code == .cancelled && Task.isCancelled:
            // The runtime ends, not the transport. This says nothing of the platform, and must not make the next start
            // wait.
            self.postpone(request, error, .zero, .disk)
        case .asked:
            self.setBack(request, error, verdict)
        case .unauthorized, .misdirected, .failed:
            // Nothing is known, or the server failed while it may have taken the batch.
            if error.httpStatus.map({ $0 >= 500 }) ?? true { self.machine.noteUncertain(request) }
            do throws(SignetError) {
                if error.httpStatus != nil, parts.count == 1, let record = parts.first?.batch.record {
                    try self.noteFailure(of: record)
                }
            } catch {
                return self.postpone(request, error, EventQueue.diskPause, .disk)
            }
            self.setBack(request, error, verdict)
        }
    }

    /// Writes down that a batch has failed alone: the next process, too, tries the others before it.
    private mutating func noteFailure(of sent: BatchRecord) throws(SignetError) {
        // An erasure may have changed it since it was sent.
        guard let record = self.held[sent.id]?.record, !record.hasFailed else { return }
        let failed = record.failed()
        try self.context.store.put(failed.encoded(), for: StateKey.batch(record.id))
        self.held.replace(failed)
    }

    /// Does what follows from an answer that is about the content, as far as anyone can tell.
    private mutating func refused(
        _ request: UploadStateMachine.Request,
        _ sent: [Part],
        _ gone: [BatchOutcome],
        _ error: SignetError,
        _ verdict: DeliveryVerdict
    ) {
        let parts: [Part]
        do throws(SignetError) {
            // An erasure may have changed other users' batches since they were sent.
            parts = try sent.map { part throws(SignetError) in try self.current(part) }
            if let part = parts.first {
                switch try self.consequence(of: verdict, for: part.batch.record) {
                case .halves:
                    self.context.observer.batchPostponed(events: part.events, until: .zero, error: error)
                    return self.sendApart(request, verdict)
                case .nextTry:
                    return self.setBack(request, error, verdict)
                case .deadLetter: break
                }
            }
            for part in parts { try self.deadLetters.add(part.batch.record, part.body, events: part.events, error) }
        } catch {
            return self.postpone(request, error, EventQueue.diskPause, .disk)
        }
        let outcomes = parts.map {
            BatchOutcome(record: $0.batch.record, events: $0.events, kind: .deadLetters(error))
        }
        self.settle(request, outcomes + gone, verdict.isFinal ? .refused : .givenUp)
    }

    /// The consequence of a refusal of one batch, which is on disk by then.
    private enum Consequence {
        case halves, nextTry, deadLetter
    }

    private mutating func consequence(
        of verdict: DeliveryVerdict,
        for record: BatchRecord
    ) throws(SignetError) -> Consequence {
        let step = self.machine.refuse(record.id, verdict)
        if step == .halve, try self.halve(record) { return .halves }
        guard !verdict.isFinal else { return .deadLetter }
        let now = self.context.time.milliseconds
        switch UnexplainedRefusals.next(after: record.refusals, at: now) {
        case .giveUp:
            // Most of its events may pass by themselves. The halves have an hour each.
            guard step == .rest, try self.halve(record, .lastHour(at: now)) else { return .deadLetter }
            return .halves
        case .tryAgain(let refusals):
            if refusals != record.refusals {
                let counted = record.refused(refusals)
                try self.context.store.put(counted.encoded(), for: StateKey.batch(record.id))
                self.held.replace(counted)
            }
            return .nextTry
        }
    }

    /// Tries the batches of a failed request again: after a pause of all, or by themselves.
    private mutating func setBack(
        _ request: UploadStateMachine.Request,
        _ error: SignetError,
        _ verdict: DeliveryVerdict
    ) {
        let reason = UploadPause.Reason(verdict)
        let isUnexplained = verdict.isAboutContent
        let setback = self.machine.countFailure(of: request, reason, isUnexplained: isUnexplained, now: self.now)
        let configuration = self.context.configuration
        let pause = DeliveryPause.after(
            error,
            isUnexplained ? .failed : verdict,
            unasked: configuration.events.pauseWithoutRetryAfter,
            failures: setback.failures,
            jitter: configuration.jitter()
        )
        let rest = request.batches.first.flatMap { self.machine.batches[$0]?.rest(after: pause) } ?? pause
        self.pauses.note(error)
        self.machine.finished(request.number, .failed(setback, pause: pause, reason), now: self.now)
        switch setback {
        case .all: self.pauses.store(self.machine)
        case .failed: self.pauses.reportStuck(self.machine)
        case .batch: break
        }
        let isAlone = if case .batch = setback { true } else { isUnexplained }
        self.reportPostponed(request, error, for: isAlone ? rest : pause)
    }

    /// Returns a part of a request as its batch is now.
    private func current(_ part: Part) throws(SignetError) -> Part {
        guard let batch = self.held[part.batch.record.id], let body = try self.maker.body(of: batch.record) else {
            return part
        }
        return Part(batch: batch, body: body.bytes, events: part.events)
    }

    /// Replaces a batch by two halves; the older half goes first.
    ///
    /// - Parameters:
    ///   - record: The batch.
    ///   - refusals: The refusals that count for both halves.
    /// - Returns: False if it cannot be halved; then nothing was changed.
    /// - Throws: The error of the disk.
    private mutating func halve(
        _ record: BatchRecord,
        _ refusals: UnexplainedRefusals? = nil
    ) throws(SignetError) -> Bool {
        guard let (first, second) = try self.halving.halve(record, refusals) else { return false }
        self.held[record.id] = nil
        for half in [first, second] { self.held.hold(InFlightBatch(repeating: half)) }
        self.machine.halve(record.id, first, second)
        return true
    }

    /// Sends each batch of a request alone, at once.
    private mutating func sendApart(_ request: UploadStateMachine.Request, _ verdict: DeliveryVerdict) {
        // A page of a proxy is no word of the platform, and does not end the failures.
        self.machine.finished(request.number, .apart(isOfPlatform: verdict.isFinal), now: self.now)
        if verdict.isFinal { self.pauses.end(in: self.machine) }
        self.context.ingress.wakeup.signal()
    }

    /// Tries the batches of a request again after a pause.
    mutating func postpone(
        _ request: UploadStateMachine.Request,
        _ error: SignetError,
        _ pause: Duration,
        _ reason: UploadPause.Reason
    ) {
        self.pauses.note(error)
        self.machine.finished(request.number, .postponed(pause, reason), now: self.now)
        if reason != .disk { self.pauses.store(self.machine) }
        self.reportPostponed(request, error, for: pause)
    }

    private func reportPostponed(
        _ request: UploadStateMachine.Request,
        _ error: SignetError,
        for pause: Duration
    ) {
        let events = request.batches.reduce(0) { $0 + (self.held[$1]?.record.events ?? 0) }
        self.context.observer.batchPostponed(events: events, until: pause, error: error)
        self.context.ingress.wakeup.signal()
    }

    /// Removes the events of answered batches from the journal; the next batches may go.
    mutating func settle(
        _ request: UploadStateMachine.Request,
        _ outcomes: [BatchOutcome],
        _ result: UploadStateMachine.Result = .settled
    ) {
        var late: [BatchRecord] = []
        for outcome in outcomes {
            self.held[outcome.record.id] = nil
            // Before its events leave the journal: after a kill in between, the batch is repeated, and nothing is lost.
            if self.carried.answered(outcome) == .late { late.append(outcome.record) }
        }
        self.answered.settle(outcomes)
        self.machine.finished(request.number, result, now: self.now)
        for record in late { self.correct(record) }
        // The platform has not answered for a batch that is given up.
        if result != .givenUp { self.pauses.end(in: self.machine) }
        self.events.settled.signal()
        self.context.ingress.wakeup.signal()
    }

    /// Sends a dead letter again with the same id and the same bytes.
    ///
    /// - Returns: True if there was one.
    mutating func resend(_ id: UUID) throws(SignetError) -> Bool {
        guard let letter = try self.deadLetters.find(id), self.held[id] == nil else { return false }
        // Its installation is being reset, and the dead letter goes with it.
        guard !self.resets.contains(letter.installation) else { return false }
        // Its user is being erased, and the dead letter with them.
        guard !self.machine.isForgotten(letter.mpid, 0) else { return false }
        let record = letter.batch(id)
        // In this order: after a kill between the two it may be sent again and become a dead letter again, but is never
        // lost.
        try self.context.store.put(record.encoded(), for: StateKey.batch(id))
        self.hold(InFlightBatch(repeating: record))
        self.context.statistics.record {
            $0.eventsResent += letter.events
            $0.eventsResending += letter.events
        }
        self.context.ingress.wakeup.signal()
        try self.deadLetters.remove(id)
        return true
    }
}

extension UploadPause.Reason {
    /// The reason of the pause after a verdict.
    fileprivate init(_ verdict: DeliveryVerdict) {
        switch verdict {
        case .asked: self = .asked
        case .unauthorized: self = .unauthorized
        case .misdirected: self = .misdirected
        case .failed, .refused, .tooLarge, .unexplained: self = .failure
        }
    }
}
