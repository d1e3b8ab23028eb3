// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

// Finds the work that earlier processes have left, and that the disk has refused.
extension DueWork {
    /// Finds what earlier processes have left: opt-out events first, then sessions in the journal, then marked records.
    func findAll() async {
        var isReported = false
        while !Task.isCancelled {
            switch self.search.next() {
            case .look(let step):
                do throws(SignetError) {
                    try await self.look(step)
                } catch {
                    guard error.code != .cancelled, error.code != .notRunning else { return }
                    self.search.refused(step)
                    self.context.health.failed(error.code)
                    guard !isReported else { continue }
                    isReported = true
                    self.context.reportDamage(
                        "Due work could not be looked for. The runtime tries again: \(error.message)"
                    )
                }
            case .pause:
                isReported = false
                do { try await self.context.time.sleep(for: Self.diskPause) } catch { return }
            case .found: return
            }
        }
    }

    /// Takes a step of a minute; what the disk refuses comes again.
    func lookAgain(_ step: DueSearch.Step) async {
        do throws(SignetError) {
            try await self.look(step)
        } catch {
            self.search.refused(step)
            guard error.code != .cancelled, error.code != .notRunning else { return }
            self.context.health.failed(error.code)
        }
    }

    private func look(_ step: DueSearch.Step) async throws(SignetError) {
        switch step {
        case .optOuts: try await self.logOptOuts()
        case .erasures: try await self.countErasures()
        case .sessions: try await self.foldSessions()
        case .outboxes: try await self.findOutboxes()
        case .marked(let part): try await self.findMarked(ofPart: part)
        case .late(let part): try await self.findLate(ofPart: part)
        }
    }

    private func findLate(ofPart part: Int) async throws(SignetError) {
        let disk = self.disk
        let late = try await self.context.disk.performUntilCancelled { () throws(SignetError) in
            try disk.lateRecords(ofPart: part)
        }
        // An installation may leave memory while the event queue still brings its consent: that is not late.
        let unknown = late.facts.isEmpty ? [] : await self.opening.managers.events.withoutFacts(among: late.facts)
        let now = self.context.time.uptime
        // Those whose end the disk refuses are known.
        let isKnown = self.sessions.overdue(at: now).since != nil
        var count = self.foundServices(late.services, now: now)
        count += self.lanes[.facts]?.found(unknown, now: now) ?? 0
        // The others are visited, too: the queue knows nothing of push tokens.
        self.lanes[.facts]?.found(late.facts, now: now)
        if !isKnown, !late.sessions.isEmpty {
            for number in late.sessions { self.sessions.insert(number, at: now) }
            count += late.sessions.count
            self.sessionsChanged.signal()
        }
        guard count > 0 else { return }
        self.context.dueWork.publish { $0.done["late", default: 0] += count }
    }

    /// Logs the events of opt-outs that a process, or the disk, has cut off; services follow them.
    private func logOptOuts() async throws(SignetError) {
        let (disk, context) = (self.disk, self.context)
        for number in try await self.dueOptOuts() {
            let isLogged = try await context.disk.performUntilCancelled { () throws(SignetError) in
                do throws(SignetError) {
                    return try disk.logOptOut(number)
                } catch {
                    // It waits for the version that wrote the installation; the others do not.
                    guard error.code == .newerFormat else { throw error }
                    return false
                }
            }
            if isLogged { await ServiceVisit(opening: self.opening).followOptOut(number) }
        }
        let left = try await self.dueOptOuts().count
        if left > 0 { self.search.optOutsAreLeft() }
        context.dueWork.publishLeft("optOuts", left, now: context.time.uptime)
    }

    /// Counts the erasures and resets that are on disk: one that is under way, or was cut short.
    private func countErasures() async throws(SignetError) {
        let context = self.context
        let left = try await context.disk.performUntilCancelled { () throws(SignetError) in
            let store = context.store
            return try store.keys(withPrefix: StateKey.tombstones).count + store.keys(withPrefix: StateKey.resets).count
        }
        context.dueWork.publishLeft("erasures", left, now: context.time.uptime)
    }

    private func dueOptOuts() async throws(SignetError) -> [UInt32] {
        let context = self.context
        return try await context.disk.performUntilCancelled { () throws(SignetError) in
            try DueOptOutEvents(context: context).installations()
        }
    }

    /// Finds logins and log-outs that a service that was given has not followed.
    private func findOutboxes() async throws(SignetError) {
        guard !self.services.isEmpty, self.context.fleet == nil else { return }
        let context = self.context
        let keys = try await context.disk.performUntilCancelled { () throws(SignetError) in
            try context.store.keys(withPrefix: StateKey.outboxes)
        }
        var rest = keys[...]
        while !rest.isEmpty {
            let portion = rest.prefix(Self.portion)
            let found = try await context.disk.performUntilCancelled { () throws(SignetError) -> [UInt32] in
                var found: [UInt32] = []
                for key in portion {
                    let id = InstallationID(String(decoding: key.dropFirst(StateKey.outboxes.count), as: UTF8.self))
                    if let number = try MarkedRecords.number(of: id, context) { found.append(number) }
                }
                return found
            }
            let now = context.time.uptime
            for service in self.services { self.lanes[service]?.found(found, now: now) }
            context.dueWork.wakeup.signal()
            rest = rest.dropFirst(Self.portion)
        }
    }

    private func foldSessions() async throws(SignetError) {
        guard self.context.fleet == nil else { return }
        let (disk, recovery) = (self.disk, self.context.sessionRecovery)
        var rest = try await self.context.disk.performUntilCancelled { () throws(SignetError) in
            try recovery.unfolded()
        }[...]
        while !rest.isEmpty {
            let portion = rest.prefix(Self.portion)
            try await self.context.disk.performUntilCancelled { () throws(SignetError) in try disk.fold(portion) }
            rest = rest.dropFirst(Self.portion)
            await Task.yield()
        }
        recovery.allFolded()
    }

    private func findMarked(ofPart part: Int) async throws(SignetError) {
        let context = self.context
        let found = try await context.disk.performUntilCancelled { () throws(SignetError) in
            try MarkedRecords(ofPart: part, in: context)
        }
        let now = SessionTimestamp(context.time)
        for (number, end) in found.sessions {
            self.sessions.insert(number, endingAt: end, now: now, timeout: context.sessionTimeout)
        }
        let services = self.foundServices(found.services, now: now.uptime)
        let facts = self.lanes[.facts]?.found(found.facts, now: now.uptime) ?? 0
        if !found.sessions.isEmpty { self.sessionsChanged.signal() }
        if services + facts > 0 { context.dueWork.wakeup.signal() }
    }
}
