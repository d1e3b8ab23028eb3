// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// The latest consents of all users of a directory, whichever installation has them; see ``UserConsent``.
///
/// With a shared store, the store has them; see ``SharedConsent``.
struct UserConsents: ConsentRecords {
    /// A record as it was read.
    enum Reading: Sendable {
        case missing
        case found(UserConsent)
        /// Its bytes are damaged, or of a newer version; it counts as missing.
        case unreadable(SignetError)

        fileprivate var consent: UserConsent? {
            if case .found(let consent) = self { consent } else { nil }
        }
    }

    /// The fate of an answer.
    enum Answer: Sendable, Hashable {
        /// It is the latest.
        case taken
        /// It is no other than the latest, or older.
        case same
        /// Another installation has answered since the answer was made.
        case outdated
    }

    private let store: StateStore
    private let time: TimeSource
    /// Held from the reading of a record to its writing.
    private let changing = Locked(())
    /// The consents that were read last.
    let inMemory = Locked(ReadConsents())

    init(_ store: StateStore, _ time: TimeSource) {
        self.store = store
        self.time = time
    }

    /// Reads the record of a user; the disk is read only if there is one that is not in memory.
    ///
    /// - Throws: Errors of the disk that may pass.
    func read(_ mpid: MPID) throws(SignetError) -> Reading {
        let key = StateKey.consent(of: mpid)
        // Before the value: a record that is put in between has another place, and is read the next time.
        guard let place = self.store.place(of: key) else { return .missing }
        if let consent = self.inMemory.withLock({ $0.consent(of: mpid, at: place) }) { return .found(consent) }
        let bytes: [UInt8]?
        do throws(SignetError) {
            bytes = try self.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            return .unreadable(error)
        }
        guard let bytes else { return .missing }
        do throws(SignetError) {
            let consent = try UserConsent(decoding: bytes)
            self.inMemory.withLock { $0.take(consent, at: place) }
            // An erasure, or another writer, may have been here since the place was read.
            if self.store.place(of: key) != place { self.forgetInMemory(mpid) }
            return .found(consent)
        } catch {
            return .unreadable(error)
        }
    }

    func record(of mpid: MPID) throws(SignetError) -> UserConsent? {
        try self.read(mpid).consent
    }

    func take(_ answer: ConsentAnswer, of mpid: MPID) throws(SignetError) -> Answer {
        let now = self.time.milliseconds
        return try self.changing.withLock { _ throws(SignetError) in
            switch answer.meaning(for: mpid, on: try self.record(of: mpid), at: now) {
            case .record(let record): try self.write(record)
            case .same: return .same
            case .outdated: return .outdated
            }
            return .taken
        }
    }

    func renew(_ mpid: MPID, after moment: Int64?) throws(SignetError) {
        let now = self.time.milliseconds
        try self.changing.withLock { _ throws(SignetError) in
            guard var record = try self.record(of: mpid), record.renew(after: moment, at: now) else { return }
            try self.write(record)
        }
    }

    /// Says what it would mean if the platform had accepted a consent of a user.
    ///
    /// - Throws: Errors of the disk that may pass.
    func meaning(of carried: UserConsent.Version, for mpid: MPID) throws(SignetError) -> FactsAcceptance {
        guard var record = try self.record(of: mpid) else { return .inOrder }
        return record.accept(carried, at: self.time.milliseconds) ?? .inOrder
    }

    /// Notes that the platform has accepted a consent of a user.
    ///
    /// - Parameters:
    ///   - carried: The consent.
    ///   - mpid: The user.
    ///   - isNew: True to make a record if there is none: of a known user, and of the consent of an installation.
    /// - Returns: The meaning.
    /// - Throws: `SignetError` from the disk; then another batch carries it.
    func accepted(
        _ carried: UserConsent.Version,
        of mpid: MPID,
        makingRecord isNew: Bool = false
    ) throws(SignetError) -> FactsAcceptance {
        let now = self.time.milliseconds
        return try self.changing.withLock { _ throws(SignetError) in
            let known = try self.record(of: mpid) ?? (isNew ? UserConsent(unansweredBy: mpid) : nil)
            guard var record = known, let acceptance = record.accept(carried, at: now) else { return .inOrder }
            try self.write(record)
            return acceptance
        }
    }

    /// Removes the record of a user, unless it was used since.
    ///
    /// - Throws: `SignetError` from the disk.
    func remove(_ mpid: MPID, unusedSince limit: Int64) throws(SignetError) {
        try self.changing.withLock { _ throws(SignetError) in
            guard let record = try self.record(of: mpid), record.lastUse < limit else { return }
            try self.store.remove(StateKey.consent(of: mpid))
            self.forgetInMemory(mpid)
        }
    }

    /// Removes an erased user from memory, once their record is removed.
    func forgetInMemory(_ mpid: MPID) {
        self.inMemory.withLock { $0.forget(mpid) }
    }

    private func write(_ record: UserConsent) throws(SignetError) {
        try self.store.put(record.encoded(), for: StateKey.consent(of: record.mpid))
    }
}
