// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel

extension IterableAdapter {
    func persist(
        _ actions: [Machine.Action],
        of machine: Machine,
        _ driver: isolated Driver
    ) throws(SignetError) {
        self.match(actions, of: machine, driver)
        do throws(SignetError) {
            if driver.state.refused.contains(.memory), !actions.isEmpty { try self.write(.save, of: machine, driver) }
            for action in actions { try self.write(action, of: machine, driver) }
        } catch {
            // It may have a record that is not kept.
            if actions.contains(where: \.changesMatching) { driver.state.matching.evaluator = nil }
            throw error
        }
    }

    /// Matches the records of a decision before they are written: a kill must not come between a record that completes a criterion and
    /// its mark.
    private func match(_ actions: [Machine.Action], of machine: Machine, _ driver: isolated Driver) {
        for case .evaluate(let record) in actions {
            if driver.state.matching.evaluator == nil {
                self.makeEvaluator(machine, driver)
            } else {
                driver.state.matching.evaluator?.record(record)
            }
        }
    }

    /// True if a later process has work to do for the visitor or user, if nobody comes back: requests, or records that were not matched.
    private func isDue(_ machine: Machine, _ driver: isolated Driver) -> Bool {
        if machine.owesWork { return true }
        // After an opt-out there is nothing to match; after an opt-in, the next record marks.
        guard machine.memory.hasVisitor, !machine.isOptedOut else { return false }
        let matching = driver.state.matching
        guard matching.criteria != nil, !machine.isMatchDue else { return true }
        return matching.evaluator.map { $0.matchedID != nil } ?? !machine.iterableRecords.isEmpty
    }

    func rest(_ driver: isolated Driver) {
        guard self.store.isMarked, !self.isDue(driver.machine, driver) else { return }
        do throws(SignetError) {
            try self.store.save(driver.machine.memory, isDue: false)
        } catch {
            // A visit for nothing.
            driver.reportNotSaved(error)
        }
    }

    func keep(_ actions: [Machine.Action], _ driver: isolated Driver) -> [Machine.Action] {
        var left: [Machine.Action] = []
        for action in actions {
            // The app hears of a new unknown user before the disk: rather twice than never.
            if case .tell(.unknownUserCreated) = action {
                driver.publish()
                self.perform([action], driver)
                continue
            }
            do throws(SignetError) {
                try self.write(action, of: driver.machine, driver)
            } catch {
                driver.reportNotSaved(error)
            }
            left.append(action)
        }
        return left
    }

    private func write(
        _ action: Machine.Action,
        of machine: Machine,
        _ driver: isolated Driver
    ) throws(SignetError) {
        guard !driver.isRetired else { return }
        switch action {
        case .save:
            driver.state.refused.insert(.memory)
            try self.store.save(machine.memory, isDue: self.isDue(machine, driver))
            driver.state.refused.remove(.memory)
        case .store(let record):
            let isOfUser = machine.memory.turns.contains { $0.owns(record.ordinal) }
            if !isOfUser, !self.store.isMarked, self.isDue(machine, driver) {
                try self.store.save(machine.memory, isDue: true)
            }
            try self.store.save(record, isOfUser: isOfUser)
        case .remove(let ordinals):
            do throws(SignetError) {
                for ordinal in ordinals { try self.store.remove(ordinal) }
            } catch {
                // The memory already excludes these records, or the service recognises them by their ids.
                driver.reportNotSaved(error)
            }
        case .tell, .reevaluate, .evaluate, .fetchCriteria, .forgetToken, .countSent, .postpone: break
        }
    }

    func perform(_ actions: [Machine.Action], _ driver: isolated Driver) {
        for action in actions {
            switch action {
            case .tell(let update): self.tell(update, driver)
            case .reevaluate:
                driver.state.matching.evaluator = nil
            case .evaluate: self.reviewEvaluation(driver)
            case .fetchCriteria(let wanted): driver.state.deferred.criteria = wanted
            case .forgetToken: driver.state.deferred.forgetsToken = true
            case .store: self.context.statistics.record { $0.iterableRecordsStored += 1 }
            case .countSent: self.context.statistics.record { $0.iterableRecordsSent += 1 }
            case .postpone(let error, let delay):
                self.context.observer.servicePostponed(
                    .iterable,
                    installation: self.installation,
                    until: delay,
                    error: error
                )
            case .save, .remove: break
            }
        }
        if actions.contains(where: \.changesMatching) { self.evaluate(driver) }
        if let end = driver.state.endWait, driver.machine.isWaitNeedless { end() }
    }

    func runDeferredEffects(_ driver: isolated Driver) async {
        let deferred = driver.state.deferred
        driver.state.deferred = DeferredEffects()
        if deferred.forgetsToken {
            await self.tokens.reset(keeping: (driver.state.incoming ?? driver.machine.memory.current?.id)?.wire)
        }
        switch deferred.tries {
        case .pause: await self.tokens.pause()
        case .resume: await self.tokens.resume()
        case nil: break
        }
        if let occasion = deferred.criteria { await self.services.criteria.fetch(occasion) }
        await self.awaitCriteria(driver)
    }

    func prepareVisit(_ driver: isolated Driver) async {
        await self.prepareCriteria(driver)
        await self.awaitCriteria(driver)
        if driver.state.awaitsCriteria { await self.services.criteria.untilFetched() }
    }

    /// Tells the cache that the visitor waits for the first criteria, or no longer.
    private func awaitCriteria(_ driver: isolated Driver) async {
        let awaits = driver.machine.wantsCriteria && driver.state.matching.isWithoutCriteria
        guard awaits != driver.state.awaitsCriteria else { return }
        driver.state.awaitsCriteria = awaits
        if awaits {
            await self.services.criteria.want(self.store.number)
        } else {
            await self.services.criteria.unwant(self.store.number)
        }
    }

    // MARK: - Criteria

    /// Loads the current criteria once, if there are any.
    func prepareCriteria(_ driver: isolated Driver) async {
        guard case .unknown = driver.state.matching.source else { return }
        let criteria = await self.services.criteria.current()
        guard case .unknown = driver.state.matching.source else { return }
        driver.state.matching.source = .known(criteria)
        self.evaluate(driver)
    }

    /// Matches the visitor's records against the criteria; only the new ones if earlier ones were matched already.
    func evaluate(_ driver: isolated Driver) {
        let machine = driver.machine
        guard !driver.isRetired, machine.isEnabled, machine.state == .visitor else { return }
        do throws(SignetError) {
            try self.matchAll(driver)
        } catch {
            // The UUID must be on disk before it is sent.
            driver.reportNotSaved(error)
            let (now, jitter) = (self.context.time.uptime, self.context.jitter())
            driver.adjust { $0.matchNotSaved(error, now: now, jitter: jitter) }
        }
    }

    /// Begins an activation if a criterion matches.
    ///
    /// - Throws: The error of the disk.
    func matchAll(_ driver: isolated Driver) throws(SignetError) {
        if driver.state.matching.evaluator == nil {
            self.makeEvaluator(driver.machine, driver)
            self.reviewEvaluation(driver)
        }
        guard let criterion = driver.state.matching.evaluator?.matchedID else { return }
        try driver.decide { ((), $0.matched(criterion) { .random() }) }
    }

    private func makeEvaluator(_ machine: Machine, _ driver: isolated Driver) {
        driver.state.matching.evaluator = driver.state.matching.criteria.map { criteria in
            CriteriaEvaluator(
                criteria,
                threshold: machine.threshold,
                records: machine.iterableRecords.map(\.record)
            )
        }
    }

    /// Reports a condition that takes too much work.
    ///
    /// Its criterion does not match, and events do not wait for it.
    private func reviewEvaluation(_ driver: isolated Driver) {
        let matching = driver.state.matching
        guard let fault = matching.evaluator?.fault, matching.undecided != fault.path else { return }
        driver.state.matching.undecided = fault.path
        self.context.observer.corruptionDetected(
            "A criterion of the project takes too much work. It does not match; the others still count: \(fault)"
        )
    }

    // MARK: - Updates

    func tell(_ kind: IterableChange.Kind, _ driver: isolated Driver) {
        self.resolveWatch(kind, driver)
        switch kind {
        case .recordsDropped(let count, let cause): self.countDropped(count, cause)
        case .rejected(let refusal) where refusal.isRecord: self.countDropped(1, .rejected)
        default: break
        }
        let change = IterableChange(installation: self.installation, kind: kind)
        self.services.changes.send(change, of: self.installation)
    }

    /// Counts and reports dropped records.
    func countDropped(_ count: Int, _ cause: IterableDropCause) {
        self.services.countDropped(count, cause, of: self.installation)
    }
}
