//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel
import SignetTransport

/// What is said of single installations: equal contexts are one record, by whose number the tags of events and the
/// installations say which one is theirs.
///
/// A number is made of what it stands for, so that one that is written again after it was removed has the same. In memory
/// there is nothing of them but the state log's index.
///
/// A record is removed when no installation has chosen it and no event that waits was logged under it, see ``sweep(_:)``.
final class InstallationContexts: Sendable {
    private struct State {
        /// Who has asked for a number and has not written down yet what for.
        var pins: [UInt32: Int] = [:]
        /// Asked for since a sweep began; nil while there is none.
        var young: Set<UInt32>?
        /// Records written since the last sweep.
        var written = 0
        /// When the last sweep ended, as uptime; nil in a process that has not had one.
        var sweptAt: Duration?
    }

    let store: StateStore
    private let state = Locked(State())
    /// So many places are looked at for a number.
    private static let places: UInt32 = 16

    init(store: StateStore) {
        self.store = store
    }

    // MARK: - Numbers

    /// The number of a context; its record is there until ``unpin(_:)``, and as long as somebody uses it.
    ///
    /// - Returns: Zero for one that says nothing.
    /// - Throws: What the disk says.
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

    /// Whoever asked has written down that it is used.
    func unpin(_ number: UInt32) {
        self.state.withLock { state in
            guard let count = state.pins[number] else { return }
            state.pins[number] = count > 1 ? count - 1 : nil
        }
    }

    /// Different contexts may hash to one number: then the second has the next one that is free.
    private func place(of bytes: [UInt8], _ state: inout State) throws(SignetError) -> UInt32 {
        let hash = SHA256.hash(bytes).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var free: UInt32?
        for offset in 0..<Self.places {
            let number = hash &+ offset
            guard number != 0 else { continue }
            guard self.store.contains(StateKey.ownContext(number)) else {
                free = free ?? number
                // Nothing is ever behind a free place, unless what was there is removed: then it is there twice.
                break
            }
            if try self.bytes(number) == bytes { return number }
        }
        // All of them taken happens to those who try for it.
        var number = free ?? 0
        while number == 0 || free == nil && self.store.contains(StateKey.ownContext(number)) {
            number = UInt32.random(in: 1 ... .max)
        }
        try self.store.put(bytes, for: StateKey.ownContext(number))
        state.written += 1
        return number
    }

    /// - Returns: nil for a record that is damaged: it is not overwritten, for it is not known what it was.
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
    /// - Returns: nil where there is none.
    /// - Throws: What the disk says, also of damage.
    func context(_ number: UInt32) throws(SignetError) -> BatchContext? {
        try self.store.value(for: StateKey.ownContext(number)).map { BatchContext($0) }
    }

    // MARK: - Choices

    /// The number that an installation has chosen; zero for none, also where that is damaged.
    func chosen(_ id: InstallationID) throws(SignetError) -> UInt32 {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: StateKey.chosenContext(id)) else { return 0 }
            return Self.number(bytes)
        } catch {
            guard error.isDamage else { throw error }
            return 0
        }
    }

    /// Writes down what an installation has chosen, whose record is pinned; zero for none.
    func choose(_ number: UInt32, for id: InstallationID) throws(SignetError) {
        guard number != 0 else { return try self.store.remove(StateKey.chosenContext(id)) }
        var writer = ByteWriter(reservingCapacity: 4)
        writer.write(number)
        try self.store.put(writer.bytes, for: StateKey.chosenContext(id))
    }

    /// The same choice without what may say who somebody is.
    ///
    /// - Returns: The number of what is left, written down; nil where nothing was to be left out.
    func forget(_ number: UInt32, of id: InstallationID) throws(SignetError) -> UInt32? {
        guard number != 0 else { return nil }
        var rest = InstallationContext()
        do throws(SignetError) {
            guard let context = try self.context(number), context.ip != nil else { return nil }
            rest = InstallationContext(device: context.device, application: context.application)
        } catch {
            // Nobody knows what was in it.
            guard error.isDamage else { throw error }
        }
        let other = try self.pin(rest)
        defer { self.unpin(other) }
        try self.choose(other, for: id)
        return other
    }

    /// The number in such a choice.
    static func number(_ bytes: [UInt8]) -> UInt32 {
        var reader = ByteReader(bytes)
        return reader.read(UInt32.self) ?? 0
    }

    // MARK: - Removing

    /// Whether there may be records that nobody uses: once in a process, when as many were written as were kept, and an hour
    /// after the last look.
    func isSweepDue(now: Duration) -> Bool {
        self.state.withLock { state in
            guard let sweptAt = state.sweptAt else { return true }
            return state.written >= Self.many || state.written > 0 && now - sweptAt >= .seconds(3600)
        }
    }

    /// So many new records are looked through at once.
    private static let many = 10_000

    /// Removes the records that nobody uses.
    ///
    /// One after the other. Others may ask for numbers and log events meanwhile: an event is in the journal before its
    /// installation chooses another context, so that one of the two tells of it, in this order.
    ///
    /// - Parameters:
    ///   - now: The uptime.
    ///   - logged: Adds the numbers of all events in the journal; asked for after the choices of installations.
    /// - Returns: How many were removed.
    /// - Throws: What the disk says; then some, or none, were removed.
    func sweep(now: Duration, _ logged: (inout Set<UInt32>) throws(SignetError) -> Void) throws(SignetError) -> Int {
        self.state.withLock { state in
            state.young = Set(state.pins.keys)
            state.written = 0
        }
        defer { self.state.withLock { ($0.young, $0.sweptAt) = (nil, now) } }
        let candidates = try self.store.keys(withPrefix: StateKey.ownContexts)
        guard !candidates.isEmpty else { return 0 }
        var used: Set<UInt32> = []
        // One that cannot be read has chosen none, see above.
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
