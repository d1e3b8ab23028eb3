// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

// Events before a call: launches, logins of the installation, and logged events.
extension IterableManager {
    /// Takes over earlier events, in order.
    ///
    /// It does not suspend, and no suspension precedes the decision that follows. So a call on the visitor is never
    /// attributed to a user who has left, even if a process died between a login and this.
    ///
    /// - Throws: Errors of the disk: the user of the next call is then unknown.
    func catchUp() throws(SignetError) {
        try self.takeOptOut()
        self.takeLaunch()
        while true {
            let mirrored = self.mirrored.withLock { $0.first }
            guard let home = self.home.target else {
                guard mirrored != nil else { return }
                self.takeFirstMirrored()
                continue
            }
            // Read after `mirrored`, so it includes every login before that record.
            let outbox = try home.outbox()
            let due = outbox.due(for: .iterable, after: self.machine.memory.followed)
            if let mirrored, !due.contains(where: { $0.id == mirrored.after }) {
                self.takeFirstMirrored()
                continue
            }
            guard let record = due.first else { return self.watchSync(outbox.open(for: .iterable), home) }
            let (replays, merges) = self.decided(IdentityResolution())
            let now = self.services.time.milliseconds / 1000
            let addressing = self.services.configuration.addressing
            try self.decide {
                ((), $0.follow(record, by: addressing, replays: replays, merges: merges, now: now))
            }
        }
    }

    /// Takes over the opt-out of the installation.
    ///
    /// Called each time before anything is kept or sent.
    func takeOptOut() throws(SignetError) {
        guard let home = self.home.target else { return }
        let isOptedOut = home.isOptedOut
        guard isOptedOut != self.machine.isOptedOut else {
            self.isOptOutDue = false
            return
        }
        // Marks the opt-out as due if the disk refuses its consequences.
        let wasOptedOut = self.machine.isOptedOut
        defer { if isOptedOut, !self.machine.isOptedOut { self.isOptOutDue = true } }
        try self.decide { ((), $0.setOptedOut(isOptedOut)) }
        self.isOptOutDue = false
        if isOptedOut || wasOptedOut { self.pendingWork.pausesTokens = isOptedOut }
    }

    private func takeLaunch() {
        let isDue = self.snapshot.withLock { snapshot in
            defer { snapshot.isLaunchDue = false }
            return snapshot.isLaunchDue
        }
        guard isDue else { return }
        let now = self.services.time.milliseconds / 1000
        do throws(SignetError) {
            try self.decide { ((), $0.launch(now: now)) }
        } catch {
            self.reportNotSaved(error)
        }
    }

    /// Adds a logged event that is to be taken over.
    ///
    /// It is dropped if too many wait already.
    ///
    /// - Returns: True if no takeover is pending.
    nonisolated func mirror(_ record: MirroredRecord) -> Bool {
        let limit = self.services.configuration.queueLimit
        let (wasEmpty, isKept) = self.mirrored.withLock { waiting in
            let count = waiting.count
            if count < limit { waiting.append(record) }
            return (count == 0, count < limit)
        }
        if !isKept {
            self.countDropped(1, .limit)
        }
        return wasEmpty
    }

    /// Takes over the logged events.
    func takeMirrored() async {
        do throws(SignetError) {
            try await self.perform { _ in ((), []) }
        } catch {
            self.reportNotSaved(error)
        }
    }

    private func takeFirstMirrored() {
        guard let mirrored = self.mirrored.withLock({ $0.popFirst() }) else { return }
        do throws(SignetError) {
            _ = try self.decide { $0.record(mirrored.record, id: .random()) }
        } catch {
            self.reportNotSaved(error)
        }
    }

    // MARK: - Outcomes

    /// Watches the newest change of the user, to report it once the service has all of it.
    ///
    /// Earlier ones are superseded.
    private func watchSync(_ open: [OutboxEntry], _ home: any LinkedHome) {
        guard let record = open.last else {
            self.watch = nil
            return
        }
        if self.watch?.record.id == record.id {
            self.watch?.home = home
            return
        }
        self.watch = nil
        let addressing = self.services.configuration.addressing
        if case .identify = record.call, record.visitor(by: addressing) == nil {
            return home.endOutboxEntry(record, .iterable, .failed(.iterableWithoutName(for: addressing)))
        }
        switch self.machine.state {
        case .resolving(let id): self.watch = (record, id, home)
        default: home.endOutboxEntry(record, .iterable, .done)
        }
        // The newest change waits; those before it no longer do.
        if self.watch != nil, open.count > 1 { home.endOutboxEntry(open[open.count - 2], .iterable, .superseded) }
    }

    func resolveWatch(_ kind: IterableChange.Kind) {
        guard let watch = self.watch else { return }
        switch kind {
        case .resolved(let id) where id == watch.id: self.endWatch(.done)
        case .mergeFailed(_, let id, let error) where id == watch.id: self.endWatch(.failed(error))
        case .abandoned(let id, let error) where id == watch.id: self.endWatch(.failed(error))
        default: return
        }
    }

    /// Ends a watch without an update: the user may have left, changed the address, or have no work left.
    func reviewWatch() {
        guard let watch = self.watch else { return }
        let isLeft = self.machine.memory.turns.contains { $0.end != nil && $0.id == watch.id }
        switch self.machine.state {
        case .known: self.endWatch(.done)
        case .resolving(let id) where id == watch.id: break
        case .resolving(let id) where !isLeft: self.watch?.id = id
        default: self.endWatch(.superseded)
        }
    }

    private func endWatch(_ kind: IdentitySyncOutcome.Kind) {
        guard let watch = self.watch.take() else { return }
        (self.home.target ?? watch.home).endOutboxEntry(watch.record, .iterable, kind)
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
