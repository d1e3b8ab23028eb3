// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// The installations of a runtime in memory: one object per id, kept alive by its users.
final class InstallationRegistry: Sendable {
    struct Entry {
        weak var core: InstallationCore?
        /// A strong reference, while the session lives without a deadline.
        var held: InstallationCore?
        /// The identity request in progress of the objects before `core`.
        ///
        /// It is here because `core` may leave memory before that request ends.
        var earlierRequest: Promise<Void>?

        /// The identity request that the next object of the id must await; nil if none is in progress.
        var requestToAwait: Promise<Void>? {
            if let request = self.core?.identityIfMade?.trafficToAwait { return request }
            return self.earlierRequest.flatMap { $0.current == nil ? $0 : nil }
        }
    }

    private struct State {
        /// The objects by id; nil after the end of the runtime.
        var entries: [InstallationID: Entry]? = [:]
        /// The number of entries that triggers a sweep of dead ones.
        var sweepAt = 1024
        /// The installations launched in this process: they do not identify by themselves again.
        ///
        /// By hash, because there may be millions; a collision is practically impossible. Visitors who only open are not in it.
        /// Nil where no launch is counted: with a shared store.
        var launched: Set<Int>?
    }

    private let state: Locked<State>

    init(countsLaunches: Bool = true) {
        self.state = Locked(State(launched: countsLaunches ? [] : nil))
    }

    /// Finds the object of an id, or makes it.
    ///
    /// The lock is held meanwhile, so that there is one object per id.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - identifiesOnce: True if an object that leaves nothing on disk has launched all the same: its one identify is sent.
    ///   - make: Reads the disk and makes the object; receives true for a launch, and the request that it must await.
    /// - Returns: The object, and true if it was made now.
    /// - Throws: Rethrows errors of `make`; `notRunning` after the end of the runtime.
    func open(
        _ id: InstallationID,
        identifiesOnce: Bool = false,
        make: (_ isLaunch: Bool, _ request: Promise<Void>?) throws(SignetError) -> InstallationCore
    ) throws(SignetError) -> (core: InstallationCore, isNew: Bool) {
        try self.state.withLock { state throws(SignetError) in
            guard state.entries != nil else { throw .hasEnded }
            let predecessor = state.entries?[id]?.core
            if let predecessor {
                if predecessor.phase == .open { return (predecessor, false) }
                // It stays in the registry if `make` fails: a later successor must also wait for its request.
                if !predecessor.isRetired {
                    // Closed, with a session that can still time out: the new object ends that session instead.
                    let isFolded = predecessor.foldNow()
                    predecessor.retire()
                    if !isFolded { predecessor.context.sessionRecovery.evicted(predecessor.identityState.number) }
                }
            }
            let request = state.entries?[id]?.requestToAwait
            let isLaunch = state.launched?.contains(id.hashValue) != true
            let core = try make(isLaunch, request)
            state.entries?[id] = Entry(core: core, held: nil, earlierRequest: request)
            if identifiesOnce || core.number != 0 { state.launched?.insert(id.hashValue) }
            if let entries = state.entries, entries.count >= state.sweepAt {
                let left = entries.filter { $0.value.core != nil || $0.value.requestToAwait != nil }
                state.entries = left
                state.sweepAt = max(1024, 2 * left.count)
            }
            return (core, true)
        }
    }

    /// Runs `body` on the entry of an id, under the lock; an entry without an object leaves no trace.
    ///
    /// - Throws: Rethrows errors of `body`; `notRunning` after the end of the runtime.
    func withEntry<Value>(
        of id: InstallationID,
        _ body: (inout Entry) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        try self.state.withLock { state throws(SignetError) in
            guard state.entries != nil else { throw .hasEnded }
            var entry = state.entries?[id] ?? Entry()
            let value = try body(&entry)
            if entry.core != nil || entry.requestToAwait != nil { state.entries?[id] = entry }
            return value
        }
    }

    /// Notes the launch of an installation that is on disk now.
    ///
    /// Not after its close: the next open is a launch then.
    func becameDurable(_ core: InstallationCore) {
        self.state.withLock { state in
            guard state.entries?[core.id]?.core === core, core.phase == .open else { return }
            state.launched?.insert(core.id.hashValue)
        }
    }

    /// The number of launches that are remembered.
    var launchCount: Int {
        self.state.withLock { $0.launched?.count ?? 0 }
    }

    /// The object of an id, if it is in memory and not retired.
    func find(_ id: InstallationID) -> InstallationCore? {
        let core = self.state.withLock { $0.entries?[id]?.core }
        return core?.isRetired == true ? nil : core
    }

    /// Runs `body` on the disk state of an installation, if it is not in memory.
    ///
    /// The lock is held meanwhile, so that no caller opens it.
    ///
    /// - Returns: The object in memory; then `body` did not run.
    func unlessPresent(
        _ id: InstallationID,
        _ body: () throws(SignetError) -> Void
    ) throws(SignetError) -> InstallationCore? {
        try self.state.withLock { state throws(SignetError) in
            if let core = state.entries?[id]?.core, !core.isRetired { return core }
            try body()
            return nil
        }
    }

    /// Closes an object: the next open of its id is a launch.
    ///
    /// Does nothing if it was closed before.
    func close(_ core: InstallationCore) {
        let released = self.state.withLock { state -> InstallationCore? in
            guard core.markClosed() else { return nil }
            state.launched?.remove(core.id.hashValue)
            return state.entries?[core.id]?.held.take()
        }
        withExtendedLifetime(released) {}
    }

    /// Keeps an object in memory while its session lives without a deadline; releases it afterwards.
    func reconsider(_ core: InstallationCore) {
        let released = self.state.withLock { state -> InstallationCore? in
            guard let entry = state.entries?[core.id], entry.core === core else { return nil }
            state.entries?[core.id]?.held = core.needsHolding ? core : nil
            return entry.held
        }
        withExtendedLifetime(released) {}
    }

    /// Keeps an object no longer in memory whose row in a shared store is gone.
    func letGo(of id: InstallationID) {
        let released = self.state.withLock { state -> InstallationCore? in
            guard state.entries?[id]?.core?.isRetired == true else { return nil }
            return state.entries?[id]?.held.take()
        }
        withExtendedLifetime(released) {}
    }

    /// Removes an object for good: the next open of its id makes a new installation.
    ///
    /// - Parameters:
    ///   - core: The object.
    ///   - commit: Commits the removal under the lock, so that no caller opens the id meanwhile; if it throws or returns nil,
    ///     nothing changes.
    /// - Returns: The value that `commit` returns.
    /// - Throws: Rethrows errors of `commit`; `closed` if another object has replaced it.
    func remove<Value>(
        _ core: InstallationCore,
        _ commit: () throws(SignetError) -> Value?
    ) throws(SignetError) -> Value? {
        let (value, released) = try self.state.withLock { state throws(SignetError) -> (Value?, InstallationCore?) in
            guard state.entries != nil else { throw .hasEnded }
            guard let entry = state.entries?[core.id], entry.core === core else { throw .closed }
            guard let value = try commit() else { return (nil, nil) }
            state.launched?.remove(core.id.hashValue)
            core.context.identifyPauses.withLock { $0.clear(core.id) }
            state.entries?[core.id] = nil
            return (value, entry.held)
        }
        withExtendedLifetime(released) {}
        return value
    }

    /// Removes an installation for good that is not in memory; as ``unlessPresent(_:_:)``.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - context: The parts that the runtime shares.
    ///   - commit: Commits the removal under the lock; if it throws or returns false, nothing changes.
    /// - Returns: The value that `commit` returns; false if an object of the id is in memory.
    /// - Throws: Rethrows errors of `commit`; `notRunning`.
    func remove(
        _ id: InstallationID,
        _ context: RuntimeContext,
        _ commit: () throws(SignetError) -> Bool
    ) throws(SignetError) -> Bool {
        try self.state.withLock { state throws(SignetError) in
            guard state.entries != nil else { throw .hasEnded }
            let entry = state.entries?[id]
            // An object that has left memory may still have a request on the wire.
            guard entry?.core == nil, entry?.requestToAwait == nil, try commit() else { return false }
            state.launched?.remove(id.hashValue)
            context.identifyPauses.withLock { $0.clear(id) }
            state.entries?[id] = nil
            return true
        }
    }

    /// Removes an object from memory as a process death does.
    func evict(_ id: InstallationID) {
        // Retired under the lock: the next object of the id is made after the last write of this one.
        let core = self.state.withLock { state in
            state.launched?.remove(id.hashValue)
            let core = state.entries?.removeValue(forKey: id)?.core
            core?.retire()
            if let core { core.context.sessionRecovery.evicted(core.identityState.number) }
            return core
        }
        withExtendedLifetime(core) {}
    }

    /// All objects in memory, sorted by id.
    var all: [InstallationCore] {
        self.state.withLock { ($0.entries ?? [:]).values.compactMap(\.core) }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Refuses further opens, and releases all objects.
    func close() {
        let released = self.state.withLock { state in
            state.entries.take()
        }
        withExtendedLifetime(released) {}
    }
}
