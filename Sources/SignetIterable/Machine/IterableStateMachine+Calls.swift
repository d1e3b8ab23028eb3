// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetWire

import struct FoundationEssentials.UUID

extension IterableStateMachine {
    /// Handles the consent of the visitor.
    ///
    /// A repeated value changes nothing. Revoking drops all that the visitor did, ends an unknown user and takes the
    /// device from them. A known user stays, with the records since they became known, and keeps the device.
    ///
    /// - Parameters:
    ///   - isGiven: True if the visitor consents.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The actions.
    mutating func setConsent(_ isGiven: Bool, now: Int64) -> [Action] {
        guard isGiven != (self.memory.consentedAt != nil) else { return [] }
        guard !isGiven else {
            self.remember { memory in
                memory.consentedAt = now
                memory.first = memory.next
                memory.sessions = .init(total: 1, first: now / 1000, last: now / 1000)
            }
            let isWanted = self.wantsCriteria
            return [.save] + self.sweep(.consentRevoked) + [.reevaluate]
                + (isWanted ? [.fetchCriteria(.beginning)] : [])
        }
        self.interrupt { $0.isOfVisitor }
        let mayPass = !self.tokenless.isEmpty
        self.remember { memory in
            memory.consentedAt = nil
            memory.sessions = nil
            memory.activation = nil
            memory.reservedID = nil
            memory.turns = memory.turns.enumerated().compactMap { index, turn in
                turn.withoutConsent(at: memory.next, isFirst: index == 0 || mayPass, token: memory.pushToken?.token)
            }
            memory.first = memory.next
        }
        let isForgotten = self.memory.current == nil
        let swept = self.sweep(.consentRevoked)
        _ = self.retireTurns()
        return [.save] + swept + [.reevaluate] + (isForgotten ? [.forgetToken] : [])
    }

    /// Handles a launch of the app.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The actions.
    mutating func launch(now: Int64) -> [Action] {
        guard self.wantsCriteria else { return [] }
        self.remember { memory in
            let before = memory.sessions
            memory.sessions = .init(total: (before?.total ?? 0) + 1, first: before?.first ?? now, last: now)
        }
        return [.save, .fetchCriteria(.beginning)]
    }

    /// True if there is a visitor whom criteria may make a user.
    var wantsCriteria: Bool {
        self.isEnabled && !self.isOptedOut && self.memory.hasVisitor
    }

    /// Handles a record.
    mutating func record(_ record: IterableRecord, id: UUID) -> (IterableTrackResult, [Action]) {
        if self.isOptedOut { return (.ignored(.optedOut), []) }
        if self.memory.current != nil {
            var actions = self.append(record, id)
            actions += self.evict(beyond: self.queueLimit, of: self.records.map(\.ordinal))
            return (.queued, actions)
        }
        if let reason = self.reasonToIgnore { return (.ignored(reason), []) }
        let record = record.asIterable
        if record.kind == .userUpdate, let index = self.records.lastIndex(where: { self.isIterableUpdate($0) }) {
            let merged = self.records[index].record.merging(record)
            guard merged.line.count <= IterableRecord.maximumSize else {
                return (.ignored(.tooLarge), [.tell(.recordsDropped(1, .limit))])
            }
            self.records[index].record = merged
            return (.buffered, [.store(self.records[index]), .evaluate(record)])
        }
        var actions = self.append(record, id)
        let own = self.iterableRecords.filter { $0.record.kind != .userUpdate }.map(\.ordinal)
        actions += self.evict(beyond: self.threshold, of: own)
        return (.buffered, actions + [.evaluate(record)])
    }

    /// Handles the push token of the device.
    mutating func setPushToken(_ token: IterablePushToken) -> (IterableTrackResult, [Action]) {
        if self.isOptedOut { return (.ignored(.optedOut), []) }
        // The token is the device's, not an act of the visitor: even without consent it waits for the next known user.
        guard self.memory.current != nil || self.memory.pushToken != token else { return (.buffered, []) }
        self.remember { memory in
            memory.pushToken = token
            memory.renewRegistration()
        }
        return (self.memory.current == nil ? .buffered : .queued, [.save])
    }

    /// Handles the app's permission to show notifications on the device.
    mutating func setNotifications(areAllowed: Bool) -> (IterableTrackResult, [Action]) {
        if self.isOptedOut { return (.ignored(.optedOut), []) }
        let isTold = self.memory.current != nil && self.memory.pushToken != nil
        let receipt: IterableTrackResult = isTold ? .queued : .buffered
        guard self.memory.allowsNotifications != areAllowed else { return (receipt, []) }
        self.remember { memory in
            memory.allowsNotifications = areAllowed
            memory.renewRegistration()
        }
        return (receipt, [.save])
    }

    /// Handles a matched criterion.
    ///
    /// - Parameters:
    ///   - criterion: The id of the criterion.
    ///   - newID: Makes a UUID if none is reserved.
    /// - Returns: The actions; none while an unknown user is already being made.
    mutating func matched(_ criterion: String, newID: () -> UUID) -> [Action] {
        guard self.wantsCriteria, self.memory.activation == nil else { return [] }
        let userID = self.memory.reservedID ?? newID().uuidString
        self.remember { memory in
            memory.reservedID = userID
            memory.activation = .init(userID: userID, criterion: criterion)
        }
        return [.save]
    }

    /// Handles an activation that the disk has refused.
    mutating func matchNotSaved(_ error: SignetError, now: Duration, jitter: Double) {
        self.isMatchDue = true
        self.backOff.fail(error, now: now, jitter: jitter)
        self.lastObstacle = .service(error)
    }

    /// Handles new criteria: a request refused because of the old ones may be repeated at once.
    mutating func criteriaArrived() {
        if self.memory.current == nil, self.memory.turns.isEmpty, self.underWay == nil, self.backOff.failures < 3 {
            self.backOff.endPause()
        }
    }

    private var reasonToIgnore: IterableTrackResult.Reason? {
        if !self.isEnabled { return .switchedOff }
        return self.memory.consentedAt == nil ? .noConsent : nil
    }

    private func isIterableUpdate(_ record: StoredIterableRecord) -> Bool {
        record.ordinal >= self.memory.first && record.record.kind == .userUpdate
    }

    private mutating func append(_ record: IterableRecord, _ id: UUID) -> [Action] {
        let (ordinal, isSaveDue) = self.takeOrdinal()
        let stored = StoredIterableRecord(ordinal: ordinal, id: id, record: record)
        self.records.append(stored)
        return (isSaveDue ? [.save] : []) + [.store(stored)]
    }

    /// Evicts the oldest records; one in flight stays until its answer.
    private mutating func evict(beyond limit: Int, of ordinals: [UInt64]) -> [Action] {
        guard ordinals.count > limit else { return [] }
        let sending: UInt64? =
            if case .send(let record, _) = self.underWay?.operation { record.ordinal } else { nil }
        let gone = Array(ordinals.filter { $0 != sending }.prefix(ordinals.count - limit))
        guard !gone.isEmpty else { return [] }
        self.records.removeAll { gone.contains($0.ordinal) }
        return [.remove(gone), .tell(.recordsDropped(gone.count, .limit))]
    }
}

extension IterableRecord {
    /// The record as kept for a visitor.
    ///
    /// Updates are merged here, objects as a whole, so the service must not merge
    /// them.
    fileprivate var asIterable: IterableRecord {
        guard self.kind == .userUpdate, let fields = self.dataFields, let time = self.createdAt else { return self }
        return .userUpdate(fields, mergesNestedObjects: false, at: time)
    }
}

extension IterableTurn {
    /// The rest of a turn after consent is revoked.
    ///
    /// - Parameters:
    ///   - next: The number of the next record.
    ///   - isFirst: True if no other user comes before them.
    ///   - token: The push token of the device.
    /// - Returns: The turn; nil if nothing is left.
    fileprivate func withoutConsent(at next: UInt64, isFirst: Bool, token: String?) -> IterableTurn? {
        var turn = self
        guard self.isKnown else {
            turn.end = self.end ?? next
            turn.from = turn.end ?? next
            turn.tasks.removeAll { if case .disable = $0 { false } else { true } }
            if self.end == nil, let token, self.mayHaveRegistered(isFirst: isFirst) {
                turn.tasks.append(.disable(token: token))
            }
            return turn.tasks.isEmpty ? nil : turn
        }
        turn.from = max(self.from, self.born)
        let isMade = !self.tasks.contains { if case .create = $0 { true } else { false } }
        turn.tasks = self.tasks.compactMap { task in
            // They stay two people: the device is the known one's.
            if case .merge(let source) = task, isMade, let token { return .disable(token: token, of: source) }
            return task.isOfVisitor ? nil : task
        }
        return turn
    }

    /// True if the service may have registered the device for them, given that tasks are done in order.
    private func mayHaveRegistered(isFirst: Bool) -> Bool {
        guard let index = self.tasks.firstIndex(where: { if case .register = $0 { true } else { false } }) else {
            return true
        }
        return isFirst && index == 0
    }
}

extension IterableTask {
    /// True if it concerns the time as a visitor.
    var isOfVisitor: Bool {
        switch self {
        case .create, .merge, .consent, .announce: true
        case .awaitToken, .register, .disable, .changeEmail: false
        }
    }
}

extension IterableStateMachine.Operation {
    /// True if it concerns the time as a visitor, or an unknown user.
    var isOfVisitor: Bool {
        switch self {
        case .match, .activate: true
        case .task(.disable, _): false
        case .task(let task, let turn): !turn.isKnown || task.isOfVisitor
        case .send(let record, let turn): !turn.isKnown || record.ordinal < turn.born
        }
    }
}
