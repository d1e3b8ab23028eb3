// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel

extension IterableManager {
    /// Lets the machine decide and performs its actions.
    ///
    /// A decision that the disk refuses has not happened.
    ///
    /// Earlier launches, logins and logged events are taken over first, without a suspension before the decision.
    ///
    /// - Throws: Errors of the disk, `closed`. The decision has then no effect, but earlier events may have been taken
    ///   over.
    func perform<Result>(
        _ decide: (inout IterableStateMachine) -> (Result, [IterableStateMachine.Action])
    ) async throws(SignetError) -> Result {
        let result: Swift.Result<Result, SignetError>
        do throws(SignetError) {
            try self.catchUp()
            result = .success(try self.decide(decide))
        } catch {
            result = .failure(error)
        }
        self.reviewWatch()
        self.work()
        await self.runPendingWork()
        return try result.get()
    }

    /// Lets the machine decide and performs its actions, without a suspension.
    func decide<Result>(
        _ decide: (inout IterableStateMachine) -> (Result, [IterableStateMachine.Action])
    ) throws(SignetError) -> Result {
        guard !self.snapshot.withLock({ $0.isRetired }) else { throw .closed }
        var machine = self.machine
        var (result, actions) = decide(&machine)
        if self.isSaveDue, !actions.isEmpty { actions.insert(.save, at: 0) }
        for action in actions { try self.write(action, of: machine) }
        self.machine = machine
        self.follow(actions)
        return result
    }

    /// Performs the actions of an answer.
    ///
    /// The answer has happened, so it stands even if the disk refuses it.
    func settle(_ actions: [IterableStateMachine.Action]) async {
        for action in actions {
            if case .tell(.unknownUserCreated) = action { self.publish() }
            if case .tell(let updates) = action, case .unknownUserCreated = updates { self.tell(updates) }
            do throws(SignetError) {
                try self.write(action, of: self.machine)
            } catch {
                self.reportNotSaved(error)
            }
        }
        self.follow(actions.filter { if case .tell(.unknownUserCreated) = $0 { false } else { true } })
        self.reviewWatch()
        self.work()
        await self.runPendingWork()
    }

    func write(_ action: IterableStateMachine.Action, of machine: IterableStateMachine) throws(SignetError) {
        guard !self.snapshot.withLock({ $0.isRetired }) else { return }
        switch action {
        case .save:
            self.isSaveDue = true
            try self.store.save(machine.memory)
            self.isSaveDue = false
        case .store(let record): try self.store.save(record)
        case .remove(let ordinals):
            do throws(SignetError) {
                for ordinal in ordinals { try self.store.remove(ordinal) }
            } catch {
                // The memory already excludes these records, or the service recognises them by their ids.
                self.reportNotSaved(error)
            }
        case .tell, .reevaluate, .evaluate, .fetchCriteria, .forgetToken: break
        }
    }

    /// Publishes the snapshot of a persisted decision, then sends the updates and starts the follow-up work.
    private func follow(_ actions: [IterableStateMachine.Action]) {
        self.publish()
        var isStored = false
        var isNew = false
        for action in actions {
            switch action {
            case .tell(let updates): self.tell(updates)
            case .reevaluate:
                self.evaluator = nil
                isNew = true
            case .evaluate(let record):
                self.evaluator?.record(record)
                self.reviewEvaluation()
                isNew = true
            case .fetchCriteria(let wanted): self.pendingWork.criteria = wanted
            case .forgetToken: self.pendingWork.forgetsToken = true
            case .store: isStored = true
            case .save, .remove: break
            }
        }
        if isStored { self.services.statistics.record { $0.iterableRecordsStored += 1 } }
        // A refused activation is retried only with the next record or other criteria.
        if isNew { self.evaluate() }
    }

    private func runPendingWork() async {
        let pendingWork = self.pendingWork
        self.pendingWork = PendingWork()
        if pendingWork.forgetsToken {
            await self.tokens.reset(keeping: (self.incoming ?? self.machine.memory.current?.id)?.wire)
        }
        switch pendingWork.pausesTokens {
        case true?: await self.tokens.pause()
        case false?: await self.tokens.resume()
        case nil: break
        }
        if let occasion = pendingWork.criteria { await self.services.criteria.fetch(occasion) }
    }

    /// Matches the visitor's records against the criteria; only the new ones if earlier ones were matched already.
    func evaluate() {
        guard self.machine.isEnabled, self.machine.state == .visitor, let criteria else { return }
        if self.evaluator == nil {
            self.evaluator = CriteriaEvaluator(
                criteria,
                threshold: self.machine.threshold,
                records: self.machine.iterableRecords.map(\.record)
            )
            self.reviewEvaluation()
        }
        guard let criterion = self.evaluator?.matchedID else { return }
        var machine = self.machine
        let actions = machine.matched(criterion) { .random() }
        do throws(SignetError) {
            for action in actions { try self.write(action, of: machine) }
            self.machine = machine
            self.publish()
        } catch {
            // The UUID must be on disk before it is sent; the next record tries again.
            self.reportNotSaved(error)
        }
    }

    /// Reports a condition that takes too much work.
    ///
    /// Its criterion does not match, and events do not wait for it.
    private func reviewEvaluation() {
        guard let fault = self.evaluator?.fault, self.undecided != fault.path else { return }
        self.undecided = fault.path
        self.services.observer.corruptionDetected(
            "A criterion of the project takes too much work. It does not match; the others still count: \(fault)"
        )
    }

    private func publish() {
        let (state, consentedAt) = (self.machine.state, self.machine.memory.consentedAt)
        self.snapshot.withLock {
            $0.state = state
            $0.consentedAt = consentedAt
        }
    }

    /// Counts and reports dropped records.
    nonisolated func countDropped(_ count: Int, _ cause: IterableDropCause) {
        self.services.statistics.record { $0.iterableRecordsDropped[cause, default: 0] += count }
        self.services.observer.serviceDataDropped(
            count,
            of: "record",
            service: .iterable,
            installation: self.installation,
            cause: cause.rawValue
        )
    }

    func tell(_ kind: IterableChange.Kind) {
        self.resolveWatch(kind)
        let dropped: (count: Int, cause: IterableDropCause)? =
            switch kind {
            case .recordsDropped(let count, let cause): (count, cause)
            case .rejected(let refusal) where refusal.isRecord: (1, .rejected)
            default: nil
            }
        if let (count, cause) = dropped { self.countDropped(count, cause) }
        let change = IterableChange(installation: self.installation, kind: kind)
        self.services.changes.send(change, of: self.installation)
    }

    func reportNotSaved(_ error: SignetError) {
        self.services.statistics.record { $0.statesNotSaved += 1 }
        self.services.observer.stateNotSaved(installation: self.installation, error: error)
    }
}
