//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// The installations of a runtime that are in memory: one object per id, kept alive by those who use it.
final class InstallationRegistry: Sendable {
    private struct Entry {
        weak var core: InstallationCore?
        /// The same, while its session lives and nothing else keeps it.
        var held: InstallationCore?
    }

    private struct State {
        var entries: [InstallationID: Entry] = [:]
        /// How many entries make a sweep of dead ones worth while.
        var sweepAt = 1024
        /// Installations that were launched in this process: they do not identify by themselves again.
        ///
        /// By hash, because there may be millions; the chance that two share one is nothing.
        var launched: Set<Int> = []
        var isClosed = false
    }

    private let state = Locked(State())

    /// Finds the object of an id, or makes it.
    ///
    /// The lock is held meanwhile, so that there is one object per id.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - make: Reads the disk and makes the object; is told whether this is a launch, and whose place it takes.
    /// - Returns: The object, and whether it was made now.
    /// - Throws: What `make` throws; `notRunning` after the end of the runtime.
    func open(
        _ id: InstallationID,
        make: (_ isLaunch: Bool, _ predecessor: InstallationCore?) throws(SignetError) -> InstallationCore
    ) throws(SignetError) -> (core: InstallationCore, isNew: Bool) {
        try self.state.withLock { state throws(SignetError) in
            guard !state.isClosed else { throw .notRunning }
            let predecessor = state.entries[id]?.core
            if let predecessor {
                if predecessor.phase == .open { return (predecessor, false) }
                // It stays here when the new one cannot be made: the one after that waits for its request, too.
                if predecessor.phase != .retired {
                    // Closed, with a session that can still time out: the new object ends it instead.
                    let isFolded = predecessor.foldNow()
                    predecessor.retire()
                    if !isFolded { predecessor.services.sessionRecovery.evicted(predecessor.identityState.number) }
                }
            }
            let core = try make(!state.launched.contains(id.hashValue), predecessor)
            state.entries[id] = Entry(core: core, held: nil)
            state.launched.insert(id.hashValue)
            if state.entries.count >= state.sweepAt {
                state.entries = state.entries.filter { $0.value.core != nil }
                state.sweepAt = max(1024, 2 * state.entries.count)
            }
            return (core, true)
        }
    }

    /// The object of an id, if it is in memory and nothing has taken its place.
    func find(_ id: InstallationID) -> InstallationCore? {
        let core = self.state.withLock { $0.entries[id]?.core }
        return core?.phase == .retired ? nil : core
    }

    /// Does something with what is on disk of an installation, if it is not in memory.
    ///
    /// The lock is held meanwhile, so that nobody opens it.
    ///
    /// - Returns: The object that is in memory; then nothing was done.
    func unlessPresent(
        _ id: InstallationID,
        _ body: () throws(SignetError) -> Void
    ) throws(SignetError) -> InstallationCore? {
        try self.state.withLock { state throws(SignetError) in
            if let core = state.entries[id]?.core, core.phase != .retired { return core }
            try body()
            return nil
        }
    }

    /// An object is closed: the next open of its id is a launch.
    ///
    /// Nothing happens when it was closed before.
    func close(_ core: InstallationCore) {
        let released = self.state.withLock { state -> InstallationCore? in
            guard core.markClosed() else { return nil }
            state.launched.remove(core.id.hashValue)
            return state.entries[core.id]?.held.take()
        }
        withExtendedLifetime(released) {}
    }

    /// Keeps an object in memory while its session lives without a deadline, and lets it go afterwards.
    func reconsider(_ core: InstallationCore) {
        let released = self.state.withLock { state -> InstallationCore? in
            guard let entry = state.entries[core.id], entry.core === core else { return nil }
            state.entries[core.id]?.held = core.needsHolding ? core : nil
            return entry.held
        }
        withExtendedLifetime(released) {}
    }

    /// Takes an object out for good: the next open of its id makes a new installation.
    ///
    /// - Parameters:
    ///   - core: The object.
    ///   - commit: Decides it, under the lock, so that nobody opens the id meanwhile; what it throws changes nothing.
    /// - Returns: What `commit` returns.
    /// - Throws: What `commit` throws; `closed` when another object has taken its place.
    func remove<Value>(
        _ core: InstallationCore,
        _ commit: () throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        let (value, released) = try self.state.withLock { state throws(SignetError) -> (Value, InstallationCore?) in
            guard !state.isClosed else { throw .notRunning }
            guard let entry = state.entries[core.id], entry.core === core else { throw .closed }
            let value = try commit()
            state.launched.remove(core.id.hashValue)
            state.entries[core.id] = nil
            return (value, entry.held)
        }
        withExtendedLifetime(released) {}
        return value
    }

    /// Takes an object out of memory as a process death does.
    func evict(_ id: InstallationID) {
        // Retired under the lock: the next object of the id is made after this one has written its last.
        let core = self.state.withLock { state in
            state.launched.remove(id.hashValue)
            let core = state.entries.removeValue(forKey: id)?.core
            core?.retire()
            if let core { core.services.sessionRecovery.evicted(core.identityState.number) }
            return core
        }
        withExtendedLifetime(core) {}
    }

    /// All objects in memory, by name.
    var all: [InstallationCore] {
        self.state.withLock { $0.entries.values.compactMap(\.core) }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Opens nothing any more, and keeps nothing in memory.
    func close() {
        let released = self.state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries
        }
        withExtendedLifetime(released) {}
    }
}
