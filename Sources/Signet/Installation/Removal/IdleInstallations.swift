// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

/// Removes the unused installations of this directory; ``InstallationIdleness`` decides about each.
///
/// Facts about all installations are read first, without a lock. Each installation is looked at again under the registry's lock, for as
/// long as its records take. The resets of a portion share their flushes.
struct IdleInstallations: Sendable {
    private let context: RuntimeContext
    private let managers: RuntimeManagers
    private let registry: InstallationRegistry
    private let opening: InstallationOpening

    /// The number of removals that share a flush, and that a start may have to finish.
    private static let portion = 2048
    /// The number of installations whose records are read in one piece of the disk's work.
    private static let looked = 512

    init(_ opening: InstallationOpening) {
        self.context = opening.context
        self.managers = opening.managers
        self.registry = opening.registry
        self.opening = opening
    }

    /// Removes them.
    ///
    /// It reads the records of all installations, piece by piece on the disk's own thread.
    ///
    /// - Parameter time: The time for which nothing was done.
    /// - Returns: The number of removed installations.
    /// - Throws: `cancelled`, `notRunning`; the error of the disk, then a removal that has begun is finished later.
    func remove(idleFor time: Duration) async throws(SignetError) -> Int {
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        let now = self.context.time.milliseconds
        let rule = InstallationIdleness(since: now.subtractingReportingOverflow(time.milliseconds).partialValue)
        let disk = self.context.disk
        // Mostly none is idle: then the waiting data is not looked for.
        let old = try await self.candidates(rule)
        guard !old.isEmpty else { return 0 }
        let waiting = try await WaitingInstallations(among: old, self.context, self.managers.linked)
        let candidates = old.filter { !waiting.contains($0.number, $0.id) }
        guard !candidates.isEmpty else { return 0 }
        let scattered = try await disk.performUntilCancelled { () throws(SignetError) in
            try ScatteredRecords(of: candidates, in: self.context.store)
        }
        var count = 0
        var rest = candidates[...]
        while !rest.isEmpty {
            try self.checkLife()
            let portion = rest.prefix(Self.portion)
            let removed = try await disk.performUntilCancelled { () throws(SignetError) in
                let removed = try self.begin(portion, rule, waiting, scattered)
                // Here: a cancelled task does not hear of it.
                self.context.removed(removed.count)
                return removed
            }
            rest = rest.dropFirst(Self.portion)
            try await self.managers.finish(quiet: removed, scattered, self.context)
            count += removed.count
        }
        return count
    }

    private func checkLife() throws(SignetError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
    }

    // MARK: - Looking

    /// The installations that seem to be idle.
    private func candidates(_ rule: InstallationIdleness) async throws(SignetError) -> [InstallationReset] {
        let disk = self.context.disk
        let keys = try await disk.performUntilCancelled { () throws(SignetError) in
            try self.context.store.keys(withPrefix: StateKey.identities)
        }
        var candidates: [InstallationReset] = []
        var unreadable = 0
        var rest = keys[...]
        while !rest.isEmpty {
            try self.checkLife()
            let portion = rest.prefix(Self.looked)
            let found = try await disk.performUntilCancelled { () throws(SignetError) in
                try self.candidates(portion, rule)
            }
            candidates += found.idle
            unreadable += found.unreadable
            rest = rest.dropFirst(Self.looked)
        }
        if unreadable > 0 {
            self.context.reportDamage("The records of \(unreadable) idle installations cannot be read. They stay.")
        }
        return candidates
    }

    /// The installations among these that seem to be idle, and the number of those whose records are damaged.
    private func candidates(
        _ keys: ArraySlice<[UInt8]>,
        _ rule: InstallationIdleness
    ) throws(SignetError) -> (idle: [InstallationReset], unreadable: Int) {
        var idle: [InstallationReset] = []
        var unreadable = 0
        for key in keys {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
            do throws(SignetError) {
                guard let (number, facts) = try self.facts(of: id, rule) else { continue }
                if rule.verdict(facts) != .keep { idle.append(InstallationReset(number: number, id: id)) }
            } catch {
                // Its next open begins anew; nothing says when it was used.
                guard error.isUnreadable else { throw error }
                if error.isDamage { unreadable += 1 }
            }
        }
        return (idle, unreadable)
    }

    /// Reads the facts of an installation.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - rule: The rule: what waits is read only if the last use is long ago.
    ///   - waiting: The installations that wait for something; nil before that is known.
    /// - Returns: Nil if there is none.
    /// - Throws: The error of the disk; damage; `newerFormat`.
    private func facts(
        of id: InstallationID,
        _ rule: InstallationIdleness,
        _ waiting: WaitingInstallations? = nil
    ) throws(SignetError) -> (number: UInt32, facts: InstallationIdleness.Facts)? {
        let store = self.context.store
        guard let bytes = try store.value(for: StateKey.identity(id)) else { return nil }
        let state = try IdentityState(decoding: bytes)
        guard state.number != 0 else { return nil }
        let sessions = try store.value(for: StateKey.session(id)).map { bytes throws(SignetError) in
            try SessionRecord(decoding: bytes)
        }
        let launch = try store.value(for: StateKey.launch(id)).map { bytes throws(SignetError) in
            try LaunchRecord(decoding: bytes)
        }
        let uses = [sessions?.lastUse, launch?.lastLaunch, try self.context.uses.last(of: state.number)]
        // Its next user may come back from an answer that is under way, which only an object in memory awaits.
        var facts = InstallationIdleness.Facts(
            lastUse: uses.reduce(state.lastUse) { max($0, $1 ?? 0) },
            isOptedOut: state.isOptedOut,
            hasOpenSession: sessions?.interrupted != nil
        )
        if facts.lastUse < InstallationIdleness.earliest {
            // The clock was wrong: its time begins now.
            facts.lastUse = self.context.time.milliseconds
            try self.context.uses.note(state.number, now: facts.lastUse)
        }
        guard rule.isIdle(since: facts.lastUse), !facts.isOptedOut else { return (state.number, facts) }
        facts.waits = waiting?.contains(state.number, id) == true || store.contains(StateKey.outbox(id))
        if !facts.waits { facts.waits = try self.managers.linked.stored.areDue(state.number) }
        return (state.number, facts)
    }

    // MARK: - Removing

    /// Writes the records of removals, each under the registry's lock, after another look.
    ///
    /// - Returns: The installations whose removal stands.
    private func begin(
        _ candidates: ArraySlice<InstallationReset>,
        _ rule: InstallationIdleness,
        _ waiting: WaitingInstallations,
        _ scattered: ScatteredRecords
    ) throws(SignetError) -> [InstallationReset] {
        var removed: [InstallationReset] = []
        // Their ends are delivered first; sessions that are not over yet keep their installations.
        var left: [UInt32] = []
        for reset in candidates {
            do throws(SignetError) {
                let isRemoved = try self.registry.remove(reset.id, self.context) { () throws(SignetError) in
                    guard self.managers.resets.withLock({ !$0.all.contains(reset) }),
                        let (number, facts) = try self.facts(of: reset.id, rule, waiting), number == reset.number
                    else { return false }
                    switch rule.verdict(facts) {
                    case .keep:
                        return false
                    case .endSession:
                        left.append(number)
                        return false
                    case .remove:
                        try self.context.store.put(reset.value, for: reset.key)
                        self.managers.resets.withLock { $0.beginQuiet(reset, scattered) }
                        return true
                    }
                }
                if isRemoved { removed.append(reset) }
            } catch {
                // Damaged since the look: the next one reports it.
                if error.isDamage { continue }
                // Those before it are finished; the error comes again if it stays.
                guard !removed.isEmpty else { throw error }
                return removed
            }
        }
        let ends = DueDiskWork(opening: self.opening)
        for number in left {
            let end = try ends.endSession(of: number, hasWaited: false)
            if let commit = end.commit { end.core?.follow(commit) }
        }
        return removed
    }
}
