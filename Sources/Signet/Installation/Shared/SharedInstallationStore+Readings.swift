// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// A reading replaces the last one, unless the last one came from a later question.
extension SharedInstallationStore {
    /// Takes over a reading, unless what is known came from a later one.
    ///
    /// - Returns: False if the row must be read again: the question was sent before the answer that is known.
    /// - Throws: `newerFormat`, or `storeFailed` for bytes that cannot be read.
    @discardableResult
    func take(_ answer: FleetMember.Answer<SharedInstallation?>) throws(SignetError) -> Bool {
        let verdict = self.state.withLock { $0.row.verdict(on: answer.value?.tag, sent: answer.sent) }
        guard verdict == .newer else {
            // The row is as it is known; what its users have answered elsewhere may be newer.
            if verdict == .known { self.takeConsents(of: answer) }
            return verdict == .known
        }
        let state = try answer.value.map { row throws(SignetError) in try SharedState(decoding: row.state) }
        let outbox = try answer.value.map { row throws(SignetError) in
            row.outbox.isEmpty ? SharedOutbox() : try SharedOutbox(decoding: row.outbox)
        }
        let consent = try answer.value == nil ? self.defaultConsent : nil
        let consents = self.consents(of: answer.value)
        let others = self.unflushed.missing(besides: self)
        var isRemoved = false
        let looked = self.state.withLock { own -> UInt32? in
            guard own.row.verdict(on: answer.value?.tag, sent: answer.sent) == .newer else { return nil }
            // Removed; or removed and made anew by another replica: then it is another installation.
            let stamp = own.machine.state.deviceApplicationStamp
            if own.row.tag != nil, state?.identity.deviceApplicationStamp != stamp {
                isRemoved = own.lose()
                return nil
            }
            // Its events are of a row of before.
            if answer.value == nil, own.lease?.stamp != nil { own.setLease(nil) }
            let row = answer.value
            let base = SharedChange.Base(
                tag: row?.tag,
                session: row?.session,
                outbox: outbox ?? SharedOutbox(),
                look: row?.look,
                format: row.map { max($0.state.first ?? 0, $0.outbox.first ?? 0) } ?? 0
            )
            let hadEvents = own.row.take(base, sent: answer.sent, received: answer.received)
            own.consents.take(consents, sent: answer.sent, received: answer.received)
            let isLookDue = own.machine.state.directory.firstUser == nil || hadEvents
            let moment = self.moment(of: own.machine)
            var fresh = IdentityState(deviceApplicationStamp: own.stamp, now: moment.now.milliseconds)
            fresh.number = own.machine.state.number
            fresh.directory.anonymousConsent = consent
            let adopted = state ?? SharedState(identity: fresh, part: SharedPart())
            let missing = own.activity.missing(and: others + self.unflushed.flushed(self.key, since: answer.sent))
            own.machine.adopt(adopted, row?.session, missing, self.key, at: moment)
            own.wish.read(own.machine.state.directory, own.machine.shared.value)
            if row != nil { self.fitNumber(&own, to: own.machine.state.deviceApplicationStamp) }
            self.noteWishOrReport(own)
            let hasUser = own.machine.state.directory.firstUser != nil
            return isLookDue && hasUser && fresh.number != 0 ? fresh.number : nil
        }
        // By this process, which did not know if its call was carried out.
        if isRemoved { self.writer.context.removed(1) }
        // Logged here before this process knew of the users: the row says whose they are.
        if let looked { self.writer.context.ingress.look(at: looked) }
        return true
    }

    // MARK: - The identify of events without a user

    /// Takes over what an open wants; see ``noteWish()``.
    func want(_ pending: PendingIdentify?) {
        let now = self.writer.context.time.milliseconds
        self.state.withLock { state in
            if state.machine.mpid == nil { state.wish.want(pending, at: now) }
        }
    }

    /// Notes with the number of its events the identify that the runtime owes to them.
    ///
    /// - Throws: The error of the disk.
    func noteWish() throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in try self.noteWish(state) }
    }

    private func noteWish(_ state: borrowing State) throws(SignetError) {
        guard let number = state.lease?.number else { return }
        let context = self.writer.context
        guard try context.numbers.note(state.wish, of: number) else { return }
        // Its events may have waited for the app until now.
        context.dueWork.report { $0.identified.append(number) }
    }

    /// The same; an error is reported, and the next reading tries again.
    func noteWishOrReport(_ state: borrowing State) {
        do throws(SignetError) {
            try self.noteWish(state)
        } catch {
            self.writer.context.reportNotSaved(self.writer.id, error)
        }
    }

    // MARK: - Another reading

    /// True if no reading says the user and the session of an event: there was none, there is no row, or the last one is too old.
    @inline(__always)
    func isUnread(_ state: borrowing State) -> Bool {
        state.row.isUnknown(at: self.fleet.time.uptime, limit: self.fleet.maximumStaleness)
    }

    /// Notes that the row had this tag at an uptime.
    func confirm(_ tag: UUID, at uptime: Duration) {
        guard self.fleet.maximumStaleness != nil else { return }
        self.state.withLock { $0.row.confirm(tag, at: uptime) }
    }

    /// True if the row must be read again soon.
    var wantsReading: Bool {
        self.state.withLock { $0.row.isWanted }
    }

    /// Reads the row again, as an event wanted it.
    ///
    /// - Throws: ``SignetError``; if the store is away, it stays wanted.
    nonisolated(nonsending) func renew() async throws(SignetError) {
        do throws(SignetError) {
            try await self.refresh(for: .refresh)
        } catch {
            if error.isOutageOfStore {
                self.enter()
                throw error
            }
            self.state.withLock { $0.row.endReading() }
            throw error
        }
        self.state.withLock { $0.row.endReading() }
    }

    /// The moment up to which all replicas have told their activity, if the row's session is over by the clock.
    ///
    /// - Parameter began: The uptime at which an open was called that asks for it; nil for others.
    /// - Returns: The moment, in milliseconds since 1970; the least number if there is nothing to end.
    /// - Throws: ``SignetError``.
    nonisolated(nonsending) func told(ofOpenSince began: Duration? = nil) async throws(SignetError) -> Int64 {
        let rules = self.fleet.sessionRules(timeout: self.writer.context.sessionTimeout)
        guard let session = self.state.withLock({ $0.row.base.session }),
            rules.deadline(of: session) <= self.writer.context.time.milliseconds
        else { return .min }
        return try await self.fleet.change(ofOpenSince: began) { () async throws(SignetError) in
            try await self.fleet.told(rules, of: self.key)
        }
    }

    /// True if what is known of the row names a user.
    func mentions(_ mpid: MPID) -> Bool {
        self.read { SharedState(identity: $0.state, part: $0.shared.value).mentioned.contains(mpid) }
    }

    /// True if the row's session is over by the clock, and a replica may have untold events of it.
    func isAwaited(_ told: Int64) -> Bool {
        guard told > .min, let session = self.state.withLock({ $0.row.base.session }) else { return false }
        return told < self.fleet.sessionRules(timeout: self.writer.context.sessionTimeout).deadline(of: session)
    }

    /// Reads the row until the reading is newer than what is known.
    nonisolated(nonsending) func refresh(for purpose: RowReader.Purpose = .call) async throws(SignetError) {
        while true {
            if try self.take(try await self.fleet.read(self.key, for: purpose)) { return }
        }
    }
}
