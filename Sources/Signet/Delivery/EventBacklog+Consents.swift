// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Consents that the platform does not have, and that no event brings.
extension EventBacklog {
    /// The number of batches without an answer beyond which no batch is made for a consent alone.
    private static let room = 256
    /// The number of waiting installations beyond which no visit adds another.
    static let maximumConsents = 4096

    /// The time at which the next batch without events is made; nil if there is none, or if nothing can be sent.
    var consentDeadline: Duration? {
        self.canSendConsents ? self.unsentConsents.first : nil
    }

    private var canSendConsents: Bool {
        !self.machine.isPaused(now: self.now) && self.machine.batches.count < Self.room
    }

    /// Takes over the installations whose consents are unsent.
    mutating func note(_ unsent: [UInt32: Bool]) {
        for (installation, isLate) in unsent {
            guard !isLate || !self.unsentConsents.contains(installation) else { continue }
            self.unsentConsents.add(installation, at: isLate ? self.now : self.now + self.context.ingress.interval)
        }
    }

    /// Those of some installations of whose facts nothing is known here: no batch carries them, and no time is set.
    func withoutFacts(among installations: [UInt32]) -> [UInt32] {
        installations.filter { installation in
            !self.unsentConsents.contains(installation) && !self.holds(installation) { !$0.facts.isEmpty }
        }
    }

    /// Makes the consents of apps due that may not live for long.
    mutating func hastenConsents(of installations: Set<UInt32>) {
        for installation in installations where self.unsentConsents.contains(installation) {
            self.unsentConsents.add(installation, at: self.now + self.machine.limits.priorityUploadDelay)
        }
    }

    /// Makes batches for the consents that are due.
    mutating func sendDueConsents() {
        while self.canSendConsents, let installation = self.unsentConsents.takeDue(at: self.now) {
            self.sendConsents(of: installation)
        }
    }

    /// Makes batches for consents now; a caller waits for what is unsent.
    ///
    /// - Parameter installation: The number of the only installation that counts; nil for all.
    mutating func sendConsentsNow(of installation: UInt32?) {
        guard !self.machine.isPaused(now: self.now) else { return }
        for number in self.unsentConsents.installations where installation == nil || number == installation {
            self.unsentConsents.remove(number)
            self.sendConsents(of: number)
        }
    }

    /// Makes a batch without events for each unsent consent that no other batch brings.
    ///
    /// The installation is looked at again until an answer has come for each.
    private mutating func sendConsents(of number: UInt32) {
        if self.users.readsRows {
            // Its row is read first; see ``looked(at:)``.
            self.shared.look(at: [number])
            self.unsentConsents.add(number, at: self.now + self.context.ingress.interval)
            return self.unsentConsents.awaitRow(number)
        }
        do throws(SignetError) {
            if try self.trySendingConsents(of: number) {
                self.unsentConsents.add(number, at: self.now + self.context.ingress.interval)
            }
        } catch {
            self.pauses.note(error)
            self.unsentConsents.add(number, at: self.now + EventQueue.diskPause)
        }
    }

    /// Makes a batch without events for each unsent consent that no other batch brings.
    ///
    /// - Returns: True if a consent is unsent: a batch brings it.
    /// - Throws: The error of the disk.
    mutating func trySendingConsents(of number: UInt32) throws(SignetError) -> Bool {
        guard !self.resets.contains(number), let id = try self.events.name(of: number) else { return false }
        var isUnsent = false
        for (mpid, change) in try self.users.unsentConsents(id).sorted(by: { $0.key < $1.key }) {
            switch self.users.withdrawal(id, number, mpid) {
            case .all, .installationMissing, .installationGone, .erased: continue
            case .before, .erasedBefore, nil: isUnsent = true
            }
            guard !self.machine.isForgotten(mpid, 0),
                !self.holds(number, { $0.mpid == mpid && ($0.facts.consent ?? 0) >= change })
            else { continue }
            if self.machine.hasSendableEvents(of: mpid, on: number) {
                _ = self.machine.expedite(number, upTo: .max)
                self.context.ingress.wakeup.signal()
                continue
            }
            try self.sendConsent(of: mpid, on: number, id, upTo: change)
        }
        return isUnsent
    }

    private mutating func sendConsent(
        of mpid: MPID,
        on number: UInt32,
        _ id: InstallationID,
        upTo change: Int64
    ) throws(SignetError) {
        let user = self.users.readsRows ? self.users.facts(id, mpid) : try self.users.batchUser(id, mpid)
        guard let user else { return }
        guard !user.isConsentBrought else {
            _ = try self.users.accepted(id, mpid, NumberedFacts(consent: change))
            return
        }
        guard let batch = self.maker.correction(of: mpid, user, on: number, id) else {
            // The app does not want it to be sent.
            return try self.users.consentNotBrought(id, mpid, upTo: change)
        }
        try self.send(batch)
    }

    /// Writes a batch without events down, to be sent.
    mutating func send(_ correction: InFlightBatch) throws(SignetError) {
        try self.context.store.put(correction.record.encoded(), for: StateKey.batch(correction.record.id))
        self.hold(correction)
        self.context.ingress.wakeup.signal()
    }
}
