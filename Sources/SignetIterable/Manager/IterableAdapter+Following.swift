// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

// What came before a call: opt-outs, launches, logged events, logins of the installation.
extension IterableAdapter {
    func prepare(_ driver: isolated Driver) throws(SignetError) {
        try self.takeOptOut(driver)
        self.takeLaunch(driver)
    }

    /// Takes over the opt-out of the installation; called each time before anything is kept or sent.
    func takeOptOut(_ driver: isolated Driver) throws(SignetError) {
        guard let home = driver.home.target else { return }
        let (isOptedOut, wasOptedOut) = (home.isOptedOut, driver.machine.isOptedOut)
        guard isOptedOut != wasOptedOut else {
            driver.state.refused.remove(.optOut)
            return
        }
        // Marks the opt-out as due if the disk refuses its consequences.
        defer {
            if isOptedOut, !driver.machine.isOptedOut {
                driver.state.refused.insert(.optOut)
            } else {
                driver.state.refused.remove(.optOut)
            }
        }
        try driver.decide { ((), $0.setOptedOut(isOptedOut)) }
        driver.state.deferred.tries = isOptedOut ? .pause : .resume
    }

    private func takeLaunch(_ driver: isolated Driver) {
        let isDue = self.arrivals.withLock { arrivals in
            defer { arrivals.isLaunchDue = false }
            return arrivals.isLaunchDue
        }
        guard isDue else { return }
        let now = self.context.time.milliseconds / 1000
        do throws(SignetError) {
            try driver.decide { ((), $0.launch(now: now)) }
        } catch {
            driver.reportNotSaved(error)
        }
    }

    /// Notes a launch of the app; it is counted with the next call, or when the runtime runs.
    func launch() {
        self.arrivals.withLock { $0.isLaunchDue = true }
    }

    // MARK: - Logged events

    /// Adds a logged event that is to be taken over.
    ///
    /// It is dropped if too many wait already.
    ///
    /// - Returns: True if no takeover is pending.
    func mirror(_ record: MirroredRecord) -> Bool {
        let limit = self.services.configuration.queueLimit
        let count = self.arrivals.withLock { arrivals in
            let count = arrivals.records.count
            if count < limit { arrivals.records.append(record) }
            return count
        }
        if count >= limit { self.countDropped(1, .limit) }
        return count == 0
    }

    func firstEvent() -> LinkedEventPlace? {
        self.arrivals.withLock { $0.records.first }.map { LinkedEventPlace(after: $0.after) }
    }

    func takeFirstEvent(_ driver: isolated Driver) {
        guard let mirrored = self.arrivals.withLock({ $0.records.popFirst() }) else { return }
        do throws(SignetError) {
            _ = try driver.decide { $0.record(mirrored.record, id: .random()) }
        } catch {
            driver.reportNotSaved(error)
        }
    }

    // MARK: - Logins

    func follow(_ entry: OutboxEntry, in machine: inout Machine) -> [Machine.Action] {
        let (replays, merges) = self.decided(IdentityResolution())
        return machine.follow(
            entry,
            by: self.services.configuration.addressing,
            replays: replays,
            merges: merges,
            now: self.context.time.milliseconds / 1000
        )
    }

    /// The rule for the visitor: as passed with the call, or as configured.
    func decided(_ resolution: IdentityResolution) -> (replays: Bool, merges: Bool) {
        let base = self.services.configuration.resolution
        return (
            resolution.replayOnVisitorToKnown ?? base.replayOnVisitorToKnown ?? true,
            resolution.mergeOnUnknownToKnown ?? base.mergeOnUnknownToKnown ?? true
        )
    }

    /// Watches the newest change of the user, to report it once the service has all of it.
    ///
    /// Earlier ones are superseded.
    func review(_ open: [OutboxEntry], of home: any LinkedHome, _ driver: isolated Driver) {
        guard let entry = open.last else {
            driver.state.watch = nil
            return
        }
        if driver.state.watch?.record.id == entry.id {
            driver.state.watch?.home = home
            return
        }
        driver.state.watch = nil
        let addressing = self.services.configuration.addressing
        if case .identify = entry.call, entry.visitor(by: addressing) == nil {
            return home.endOutboxEntry(entry, .iterable, .failed(.iterableWithoutName(for: addressing)))
        }
        guard case .resolving(let id) = driver.machine.state else {
            return home.endOutboxEntry(entry, .iterable, .done)
        }
        driver.state.watch = (entry, id, home)
        // The newest change waits; those before it no longer do.
        if open.count > 1 { home.endOutboxEntry(open[open.count - 2], .iterable, .superseded) }
    }

    func resolveWatch(_ kind: IterableChange.Kind, _ driver: isolated Driver) {
        guard let watch = driver.state.watch else { return }
        switch kind {
        // An earlier user may have the same name by now.
        case .resolved(let id) where id == watch.id && driver.machine.isResolved: self.endWatch(.done, driver)
        case .mergeFailed(_, let id, let error) where id == watch.id: self.endWatch(.failed(error), driver)
        case .abandoned(let id, let error) where id == watch.id:
            let isHereAgain = driver.machine.memory.turns.contains { $0.end == nil && $0.id == id }
            if !isHereAgain { self.endWatch(.failed(error), driver) }
        default: return
        }
    }

    /// Ends a watch without an update: the user may have left, changed the address, or have no work left.
    func reviewMachine(_ driver: isolated Driver) {
        guard let watch = driver.state.watch else { return }
        let machine = driver.machine
        let isLeft = machine.memory.turns.contains { $0.end != nil && $0.id == watch.id }
        switch machine.state {
        case .known: self.endWatch(.done, driver)
        case .resolving(let id) where id == watch.id: break
        case .resolving(let id) where !isLeft: driver.state.watch?.id = id
        default: self.endWatch(.superseded, driver)
        }
    }

    private func endWatch(_ kind: IdentitySyncOutcome.Kind, _ driver: isolated Driver) {
        guard let watch = driver.state.watch.take() else { return }
        (driver.home.target ?? watch.home).endOutboxEntry(watch.record, .iterable, kind)
    }
}

extension SignetError {
    fileprivate static func iterableWithoutName(for addressing: IterableConfiguration.Addressing) -> SignetError {
        let wanted =
            switch addressing {
            case .email: "no email"
            case .userID: "no customer id"
            case .hybrid: "neither an email nor a customer id"
            }
        return SignetError(
            .invalidArgument,
            """
            The user has \(wanted) that Iterable accepts: 1 to 255 bytes, no control characters. Log in with one, \
            or set iterable.addressing to the identifier that the project uses.
            """
        )
    }
}
