// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Numbers of installations.
///
/// The tags of events name the installation of their logging by its number. A number is on disk before the first event that carries it.
/// It belongs to one installation for ever. Where a shared store has the installations, a replica forgets it with the last event, see
/// ``ReplicaNumbers``; a directory has four billion numbers, so that it is not given again for a long time.
final class InstallationNumbers: Sendable {
    /// The reservation of the next block, which is made before the current one is used up.
    private enum Ahead {
        /// Not begun. Can transition to `underWay`.
        case none
        /// Under way. Can transition to `reserved`, or to `none` if the disk refuses it or a call was faster.
        case underWay
        /// On disk for good. Can transition to `none`.
        case reserved(Range<UInt32>)
    }

    private struct State {
        /// The next number.
        var next: UInt32
        /// Numbers below this may be assigned; a restart begins with it.
        var reserved: UInt32
        /// The block after it.
        var ahead = Ahead.none
        /// The numbers in use; nil where a record of the installation keeps its number.
        var replica: ReplicaNumbers?
        /// Numbers forgotten since their breadcrumbs were swept; one more at the start.
        var unswept = 1
    }

    /// An installation's number, which is not forgotten while this object lives.
    final class Lease: Sendable {
        let number: UInt32
        /// The stamp of the row that events of the number belong to; nil if unknown.
        let stamp: UUID?
        private let numbers: InstallationNumbers

        fileprivate init(_ number: UInt32, stamp: UUID?, of numbers: InstallationNumbers) {
            (self.number, self.stamp, self.numbers) = (number, stamp, numbers)
        }

        deinit {
            self.numbers.release(self.number)
        }
    }

    private let store: StateStore
    private let state: Locked<State>
    private let sync: @Sendable () throws(SignetError) -> Void
    private let wake: @Sendable () -> Void
    /// Takes work that waits for the disk; nil to do it in the call.
    private let aside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?
    /// The size of a reservation.
    ///
    /// A restart skips the reserved numbers that were not assigned.
    private let block: UInt32
    /// The number of idle numbers that the queue must look at soon.
    private static let many = 1024

    /// Makes the numbers of a directory whose records keep them.
    ///
    /// - Parameters:
    ///   - store: The records.
    ///   - aside: Takes work that waits for the disk; nil to do it in the call.
    /// - Throws: The error of the disk.
    init(
        store: StateStore,
        aside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? = nil
    ) throws(SignetError) {
        self.store = store
        self.state = Locked(try Self.restored(store, nil))
        self.sync = { () throws(SignetError) in try store.sync() }
        (self.wake, self.aside, self.block) = ({}, aside, 1024)
    }

    /// Makes the numbers of a replica's directory.
    ///
    /// - Parameters:
    ///   - store: The records.
    ///   - sync: Makes all records and what the journal has acknowledged survive a loss of power.
    ///   - wake: Wakes the queue, which looks whether idle numbers can be forgotten.
    ///   - aside: Takes work that waits for the disk; nil to do it in the call.
    /// - Throws: The error of the disk.
    init(
        ofReplica store: StateStore,
        sync: @escaping @Sendable () throws(SignetError) -> Void,
        wake: @escaping @Sendable () -> Void,
        aside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? = nil
    ) throws(SignetError) {
        self.store = store
        var replica = ReplicaNumbers()
        for (key, value) in try store.values(withPrefix: StateKey.numberedInstallations, onDamage: { _ in }) {
            guard let number = StateKey.number(in: key) else { continue }
            do throws(SignetError) {
                let record = try NumberRecord(either: value)
                replica.restore(number, record)
            } catch {
                // The queue reports it when it needs it.
                guard error.isDamage else { throw error }
            }
        }
        self.state = Locked(try Self.restored(store, replica))
        (self.sync, self.wake, self.aside) = (sync, wake, aside)
        // Each is for an installation that has events, not for one that has come: more of them, and each costs a flush of the journal.
        self.block = 65_536
    }

    private static func restored(_ store: StateStore, _ replica: ReplicaNumbers?) throws(SignetError) -> State {
        let stored = try store.value(for: StateKey.numbers).map { bytes throws(SignetError) in
            try StoredNumber(decoding: bytes)
        }
        let reserved = UInt32(clamping: stored?.value ?? 1)
        return State(next: reserved, reserved: reserved, replica: replica)
    }

    // MARK: - Giving

    /// Assigns a number to an installation whose record keeps it.
    func assign(to id: InstallationID) throws(SignetError) -> UInt32 {
        let number = try self.state.withLock { state throws(SignetError) in try self.next(&state) }
        try self.store.put(Array(id.rawValue.utf8), for: StateKey.number(number))
        return number
    }

    private func next(_ state: inout State) throws(SignetError) -> UInt32 {
        while true {
            if state.next == state.reserved { try self.reserve(&state) }
            defer {
                state.next += 1
                self.reserveAheadIfDue(&state)
            }
            // After a turn around, numbers of old events are in the way.
            if state.replica == nil || !self.store.contains(StateKey.number(state.next)) { return state.next }
        }
    }

    /// Makes the next block the current one.
    ///
    /// Mostly it was reserved ahead. Else the call waits for the disk: if a block is used up before the flush of the next one ends, or if
    /// the disk has refused it.
    private func reserve(_ state: inout State) throws(SignetError) {
        if case .reserved(let block) = state.ahead {
            (state.next, state.reserved, state.ahead) = (block.lowerBound, block.upperBound, .none)
            return
        }
        let block = try self.write(after: state)
        try self.sync()
        (state.next, state.reserved, state.ahead) = (block.lowerBound, block.upperBound, .none)
    }

    /// Writes the end of the block after the current one.
    ///
    /// A number forgotten in a loss of power would be assigned again, with the events of another installation. Nor may the events come back
    /// that a number had before it was forgotten. So a flush follows before the block is used.
    private func write(after state: State) throws(SignetError) -> Range<UInt32> {
        var first = state.reserved
        if first >= .max - self.block {
            // A replica forgets numbers, and gives them again after a turn around.
            guard state.replica != nil else {
                throw SignetError(
                    .diskFailed,
                    "The directory has numbered four billion installations, the limit. Use a new directory."
                )
            }
            first = 1
        }
        try self.store.put(StoredNumber(UInt64(first + self.block)).encoded(), for: StateKey.numbers)
        return first..<first + self.block
    }

    /// Reserves the first block of a process; the caller may wait for the disk.
    ///
    /// A disk that refuses it refuses the first number that is needed, unless it works again by then.
    func reserveFirst() {
        self.state.withLock { $0.ahead = .underWay }
        self.reserveAhead()
    }

    /// True if a call that uses up the current block does not wait for the disk.
    var isReservedAhead: Bool {
        self.state.withLock { if case .reserved = $0.ahead { true } else { false } }
    }

    /// Has the next block reserved as soon as the current one is begun.
    private func reserveAheadIfDue(_ state: inout State) {
        guard let aside, case .none = state.ahead else { return }
        state.ahead = .underWay
        aside { [weak self] in self?.reserveAhead() }
    }

    /// Reserves the next block, mostly on the thread of the flushes.
    private func reserveAhead() {
        do throws(SignetError) {
            // The record is written under the lock: a call that is faster writes the same block, or a later one after it.
            let (block, reserved) = try self.state.withLock { state throws(SignetError) in
                (try self.write(after: state), state.reserved)
            }
            try self.sync()
            self.state.withLock { $0.ahead = $0.reserved == reserved ? .reserved(block) : .none }
        } catch {
            // A call reserves the block when it needs it, and throws the error if it stays.
            self.state.withLock { $0.ahead = .none }
        }
    }

    /// Writes the installation of a number again if a loss of power has removed it.
    func confirm(_ number: UInt32, of id: InstallationID) throws(SignetError) {
        guard !self.store.contains(StateKey.number(number)) else { return }
        try self.store.put(Array(id.rawValue.utf8), for: StateKey.number(number))
    }

    /// The installation of a number; nil when there is none.
    func installation(_ number: UInt32) throws(SignetError) -> InstallationID? {
        try self.store.value(for: StateKey.number(number)).map { bytes throws(SignetError) in
            try NumberRecord(either: bytes).id
        }
    }

    // MARK: - With a shared store

    /// The number of an installation in a shared store; nil if it has none.
    func number(of id: InstallationID) -> UInt32? {
        self.state.withLock { $0.replica?.number(of: id) }
    }

    /// The stamp of the row that a number's events belong to; nil if unknown.
    func stamp(of number: UInt32) -> UUID? {
        self.state.withLock { $0.replica?.stamp(of: number) }
    }

    /// The number of installations that the replica knows; nil without a shared store.
    var knownCount: Int? {
        self.state.withLock { $0.replica?.count }
    }

    /// The number that an installation has already; nil if it has none.
    func leaseKnown(_ id: InstallationID) -> Lease? {
        self.state.withLock { $0.replica?.use(id, stamp: nil) }.map { Lease($0.number, stamp: $0.stamp, of: self) }
    }

    /// The number of an installation, which it gets now if it has none.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - stamp: The stamp of its row; nil if the row was not read yet, or not made.
    ///   - isMissing: True if there is no row: a number of one that is gone is not used again.
    ///   - wish: The identify that the runtime owes to its events without a user.
    /// - Returns: A number of this row.
    /// - Throws: The error of the disk.
    func lease(
        _ id: InstallationID,
        stamp: UUID?,
        isMissing: Bool = false,
        wish: IdentifyWish = IdentifyWish()
    ) throws(SignetError) -> Lease {
        // The record is written under the lock: else another object could log under the number before it is on disk.
        let (number, known) = try self.state.withLock { state throws(SignetError) -> (UInt32, UUID?) in
            if let known = state.replica?.use(id, stamp: stamp, isMissing: isMissing) {
                do throws(SignetError) {
                    _ = try self.note(known.number, &state) { record in record.knowing(stamp, wish) }
                } catch {
                    state.replica?.release(known.number)
                    throw error
                }
                return (known.number, known.stamp ?? stamp)
            }
            let number = try self.next(&state)
            let record = NumberRecord(id, stamp: stamp, pending: wish.pending(recorded: nil))
            try self.store.put(record.encoded(), for: StateKey.number(number))
            state.replica?.add(number, record)
            return (number, stamp)
        }
        return Lease(number, stamp: known, of: self)
    }

    /// The identify that the runtime owes to the events of a number; nil if the app decides.
    func pendingIdentify(of number: UInt32) -> StoredIdentify? {
        self.state.withLock { $0.replica?.record(of: number)?.pending }
    }

    /// Notes with a number the identify that the runtime owes to its events.
    ///
    /// - Returns: True if it owes one only now.
    /// - Throws: The error of the disk; then it is as before.
    func note(_ wish: IdentifyWish, of number: UInt32) throws(SignetError) -> Bool {
        try self.state.withLock { state throws(SignetError) in
            try self.note(number, &state) { record in record.knowing(nil, wish) }
        }
    }

    /// Forgets the identify of a number whose row is gone: its events are not sent.
    ///
    /// - Throws: The error of the disk; then it is as before.
    func forgetIdentify(of number: UInt32) throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            _ = try self.note(number, &state) { NumberRecord($0.id, stamp: $0.stamp) }
        }
    }

    /// Changes the record of a number.
    ///
    /// - Returns: True if the runtime owes an identify only now.
    private func note(
        _ number: UInt32,
        _ state: inout State,
        _ change: (NumberRecord) -> NumberRecord
    ) throws(SignetError) -> Bool {
        guard let before = state.replica?.record(of: number) else { return false }
        let record = change(before)
        guard record != before else { return false }
        try self.store.put(record.encoded(), for: StateKey.number(number))
        state.replica?.set(record, of: number)
        return before.pending == nil && record.pending != nil
    }

    /// The numbers whose identify has identities of a visitor.
    var numbersWithIdentities: [(number: UInt32, record: NumberRecord)] {
        self.state.withLock { $0.replica?.withIdentities ?? [] }
    }

    private func release(_ number: UInt32) {
        self.state.withLock { $0.replica?.release(number) }
    }

    /// Wakes the queue if many numbers are idle; fewer wait until it has something else to do, or for ``wakeIfAny()``.
    func wakeIfMany() {
        self.wakeIfIdle(atLeast: Self.many)
    }

    /// Wakes the queue if a number is idle.
    func wakeIfAny() {
        self.wakeIfIdle(atLeast: 1)
    }

    private func wakeIfIdle(atLeast least: Int) {
        if self.state.withLock({ $0.replica?.releasedCount ?? 0 }) >= least { self.wake() }
    }

    /// Takes the numbers that became idle since the last call, and those of some others that are idle.
    func takeIdle(besides others: Set<UInt32>) -> [ReplicaNumbers.Idle] {
        self.state.withLock { $0.replica?.takeIdle(besides: others) ?? [] }
    }

    /// Forgets a number of which no event is left, unless an object of its installation has come back.
    ///
    /// The events are gone from the journal before: after a kill in between, the next process finds a number without events, and forgets
    /// it then.
    ///
    /// - Throws: The error of the disk; then it is known as before.
    func forget(_ idle: ReplicaNumbers.Idle) throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            guard state.replica?.isStill(idle) == true else { return }
            // Under the lock: an object that comes now gets a new number.
            try self.store.remove(StateKey.number(idle.number))
            state.replica?.forget(idle.number)
            state.unswept += 1
        }
    }

    /// Removes the breadcrumbs of installations that the replica has forgotten.
    ///
    /// - Throws: The error of the disk; then the next call removes the rest.
    func sweepBreadcrumbs() throws(SignetError) {
        let count = self.state.withLock { $0.replica == nil ? 0 : $0.unswept }
        guard count > 0 else { return }
        for key in try self.store.keys(withPrefix: StateKey.breadcrumbs) {
            guard let number: UInt32 = StateKey.number(key.dropFirst(StateKey.breadcrumbs.count).prefix(4)) else {
                continue
            }
            guard self.state.withLock({ $0.replica?.isKnown(number) }) == false else { continue }
            try self.store.remove(key)
        }
        self.state.withLock { $0.unswept -= count }
    }
}
