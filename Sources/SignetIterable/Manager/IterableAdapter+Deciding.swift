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
        if driver.state.refused.contains(.memory), !actions.isEmpty { try self.write(.save, of: machine, driver) }
        for action in actions { try self.write(action, of: machine, driver) }
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
            try self.store.save(machine.memory)
            driver.state.refused.remove(.memory)
        case .store(let record): try self.store.save(record)
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
            case .evaluate(let record):
                driver.state.matching.evaluator?.record(record)
                self.reviewEvaluation(driver)
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
        // A refused activation is retried only with the next record or other criteria.
        if actions.contains(where: \.changesMatching) { self.evaluate(driver) }
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
        guard !driver.isRetired, machine.isEnabled, machine.state == .visitor,
            let criteria = driver.state.matching.criteria
        else { return }
        if driver.state.matching.evaluator == nil {
            driver.state.matching.evaluator = CriteriaEvaluator(
                criteria,
                threshold: machine.threshold,
                records: machine.iterableRecords.map(\.record)
            )
            self.reviewEvaluation(driver)
        }
        guard let criterion = driver.state.matching.evaluator?.matchedID else { return }
        do throws(SignetError) {
            try driver.decide { ((), $0.matched(criterion) { .random() }) }
        } catch {
            // The UUID must be on disk before it is sent; the next record tries again.
            driver.reportNotSaved(error)
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
        self.context.statistics.record { $0.iterableRecordsDropped[cause, default: 0] += count }
        self.context.observer.serviceDataDropped(
            count,
            of: "record",
            service: .iterable,
            installation: self.installation,
            cause: cause.rawValue
        )
    }
}
