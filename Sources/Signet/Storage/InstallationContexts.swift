// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTransport

/// The contexts of single installations.
///
/// Equal contexts share one record. The tags of events and the installations refer to it by its number. The number is
/// derived from the content, so a record that is written again after its removal has the same number. Memory holds only
/// the state log's index of the records.
///
/// A record is removed when no installation has chosen it and no waiting event was logged under it, see
/// ``sweep(now:_:)``.
final class InstallationContexts: Sendable {
    private struct State {
        /// Pins by number: callers that have not yet written down their use of the record.
        var pins: [UInt32: Int] = [:]
        /// The numbers pinned at the start of a sweep or during it; nil while there is none.
        var young: Set<UInt32>?
        /// Records written since the last sweep.
        var written = 0
        /// The uptime at the end of the last sweep; nil before the first sweep of the process.
        var sweptAt: Duration?
    }

    let store: StateStore
    private let state = Locked(State())
    /// The number of places that are tried for a number.
    private static let places: UInt32 = 16

    init(store: StateStore) {
        self.store = store
    }

    // MARK: - Numbers

    /// The number of a context.
    ///
    /// Its record stays until ``unpin(_:)``, and as long as it is in use.
    ///
    /// - Returns: Zero for an empty context.
    /// - Throws: Errors of the disk.
    func pin(_ context: InstallationContext) throws(SignetError) -> UInt32 {
        guard !context.isEmpty else { return 0 }
        let bytes = BatchContext(context).encoded()
        return try self.state.withLock { state throws(SignetError) in
            let number = try self.place(of: bytes, &state)
            state.pins[number, default: 0] += 1
            state.young?.insert(number)
            return number
        }
    }

    /// Ends a pin: the caller has written down its use of the record.
    func unpin(_ number: UInt32) {
        self.state.withLock { state in
            guard let count = state.pins[number] else { return }
            state.pins[number] = count > 1 ? count - 1 : nil
        }
    }

    /// Pins a context while its use is written down.
    func whilePinned(
        _ context: InstallationContext,
        _ use: (UInt32) throws(SignetError) -> Void
    ) throws(SignetError) {
        let number = try self.pin(context)
        defer { self.unpin(number) }
        try use(number)
    }

    /// A context that stays while this object lives.
    final class Hold: Sendable {
        let number: UInt32
        private let contexts: InstallationContexts

        fileprivate init(_ number: UInt32, _ contexts: InstallationContexts) {
            (self.number, self.contexts) = (number, contexts)
        }

        deinit {
            self.contexts.unpin(self.number)
        }
    }

    /// Pins a context that is pinned or in use already, until the object is released.
    func hold(_ number: UInt32) -> Hold {
        self.state.withLock { state in
            state.pins[number, default: 0] += 1
            state.young?.insert(number)
        }
        return Hold(number, self)
    }

    /// Different contexts may hash to one number: then the second gets the next free one.
    private func place(of bytes: [UInt8], _ state: inout State) throws(SignetError) -> UInt32 {
        let hash = SHA256.hash(bytes).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var free: UInt32?
        for offset in 0..<Self.places {
            let number = hash &+ offset
            guard number != 0 else { continue }
            guard self.store.contains(StateKey.ownContext(number)) else {
                free = free ?? number
                // Nothing is behind a free place, unless the record there was removed: then this context is stored
                // twice.
                break
            }
            if try self.bytes(number) == bytes { return number }
        }
        // Only deliberate collisions take all places.
        var number = free ?? 0
        while number == 0 || free == nil && self.store.contains(StateKey.ownContext(number)) {
            number = UInt32.random(in: 1 ... .max)
        }
        try self.store.put(bytes, for: StateKey.ownContext(number))
        state.written += 1
        return number
    }

    /// - Returns: nil for a damaged record. It is not overwritten, because its content is unknown.
    private func bytes(_ number: UInt32) throws(SignetError) -> [UInt8]? {
        do throws(SignetError) {
            return try self.store.value(for: StateKey.ownContext(number))
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// The context of a number.
    ///
    /// - Returns: nil if there is no record.
    /// - Throws: Errors of the disk, also damage.
    func context(_ number: UInt32) throws(SignetError) -> BatchContext? {
        try self.store.value(for: StateKey.ownContext(number)).map { BatchContext($0) }
    }

    // MARK: - Choices

    /// The number that an installation has chosen; zero for none or a damaged choice.
    func chosen(_ id: InstallationID) throws(SignetError) -> UInt32 {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: StateKey.chosenContext(id)) else { return 0 }
            return Self.number(bytes)
        } catch {
            guard error.isDamage else { throw error }
            return 0
        }
    }

    /// Writes the choice of an installation, whose record is pinned; zero removes the choice.
    func choose(_ number: UInt32, for id: InstallationID) throws(SignetError) {
        guard number != 0 else { return try self.store.remove(StateKey.chosenContext(id)) }
        try self.store.put(StoredNumber(UInt64(number)).encoded(), for: StateKey.chosenContext(id))
    }

    /// Removes data that may identify a person from an installation's choice.
    ///
    /// - Returns: The number of the remaining context, already written; nil if nothing had to be removed.
    func forget(_ number: UInt32, of id: InstallationID) throws(SignetError) -> UInt32? {
        guard let other = try self.withoutAddress(number) else { return nil }
        try self.choose(other, for: id)
        return other
    }

    /// Stores a context without the data that may identify a person.
    ///
    /// Only an erasure calls it, and nothing sweeps contexts during one: the new context is not pinned.
    ///
    /// - Returns: The number of the remaining context; nil if nothing has to be removed.
    func withoutAddress(_ number: UInt32) throws(SignetError) -> UInt32? {
        guard number != 0 else { return nil }
        var rest = InstallationContext()
        do throws(SignetError) {
            guard let context = try self.context(number), context.ip != nil else { return nil }
            rest = InstallationContext(device: context.device, application: context.application)
        } catch {
            // The content of a damaged record is unknown, so nothing of it is kept.
            guard error.isDamage else { throw error }
        }
        let other = try self.pin(rest)
        self.unpin(other)
        return other
    }

    /// The number in the value of a choice.
    static func number(_ bytes: [UInt8]) -> UInt32 {
        UInt32(clamping: StoredNumber(bytes)?.value ?? 0)
    }

    // MARK: - Removing

    /// True when unused records are likely.
    ///
    /// That is before the first sweep of the process, after 10,000 new records, and an hour after the last sweep if any
    /// record is new.
    func isSweepDue(now: Duration) -> Bool {
        self.state.withLock { state in
            guard let sweptAt = state.sweptAt else { return true }
            return state.written >= Self.many || state.written > 0 && now - sweptAt >= .seconds(3600)
        }
    }

    /// The number of new records that makes a sweep due.
    private static let many = 10_000

    /// Removes the records that are not in use.
    ///
    /// It removes one at a time. Other callers may pin numbers and log events meanwhile. An event is in the journal
    /// before its installation chooses another context, so reading the choices first and the journal second misses
    /// none.
    ///
    /// - Parameters:
    ///   - now: The uptime.
    ///   - logged: Adds the numbers of all events in the journal; called after the choices of installations are read.
    /// - Returns: The number of removed records.
    /// - Throws: Errors of the disk; then some, or none, were removed.
    func sweep(now: Duration, _ logged: (inout Set<UInt32>) throws(SignetError) -> Void) throws(SignetError) -> Int {
        self.state.withLock { state in
            state.young = Set(state.pins.keys)
            state.written = 0
        }
        defer { self.state.withLock { ($0.young, $0.sweptAt) = (nil, now) } }
        let candidates = try self.store.keys(withPrefix: StateKey.ownContexts)
        guard !candidates.isEmpty else { return 0 }
        var used: Set<UInt32> = []
        // An unreadable choice counts as none, as in ``chosen(_:)``.
        for (_, value) in try self.store.values(withPrefix: StateKey.chosenContexts, onDamage: { _ in }) {
            used.insert(Self.number(value))
        }
        try logged(&used)
        var removed = 0
        for key in candidates {
            guard let number = StateKey.ownContextNumber(in: key), !used.contains(number) else { continue }
            try self.state.withLock { state throws(SignetError) in
                guard state.young?.contains(number) == false else { return }
                try self.store.remove(key)
                removed += 1
            }
        }
        return removed
    }
}

extension InstallationContext {
    /// The same context, if it can be sent.
    ///
    /// - Throws: `invalidArgument` for a field beyond its limit.
    func validated() throws(SignetError) -> InstallationContext {
        if let name = self.violation {
            throw SignetError(
                .invalidArgument,
                "\(name) of the context is too long, has control characters or is out of range. A text has at most "
                    + "\(Self.textLimit) bytes, a user agent \(Self.userAgentLimit). Shorten the field or leave it out."
            )
        }
        return self
    }
}
