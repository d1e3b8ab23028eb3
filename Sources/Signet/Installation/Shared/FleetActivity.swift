// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Tells the shared store what the installations of this replica did.
actor FleetActivity {
    /// The number of rows that are changed at the same time.
    ///
    /// The next flush waits for all; other calls need connections too; and a shutdown that cuts them off leaves each in doubt.
    private static let portion = 8

    private let fleet: FleetMember
    private let context: RuntimeContext
    private let stores: SharedStores
    private let erasures: FleetErasures
    private let failures: FleetFailures
    private var flush = ActivityFlush()
    /// The stores of the activity that was not answered.
    private var told: [UUID: SharedInstallationStore] = [:]
    /// The end of the work that is under way; nil if there is none.
    ///
    /// One flush at a time: an answer belongs to the one that is under way.
    private var turn: Promise<Void>?

    init(_ stores: SharedStores, _ erasures: FleetErasures, _ failures: FleetFailures) {
        (self.fleet, self.context, self.stores) = (stores.fleet, stores.context, stores)
        (self.erasures, self.failures) = (erasures, failures)
    }

    /// Tells the activity since the last time.
    func tell() async {
        guard await self.begin() else { return }
        _ = await self.tell(isLast: false)
        self.end()
    }

    /// Tells all that is left, and begins and ends the sessions that follow from it.
    ///
    /// If the store does not answer, the next call tells it.
    func tellRest() async {
        guard await self.begin() else { return }
        var rounds = ActivityFlush.LastRounds()
        // A flush whose answer was lost goes first, alone; so does the first of two sessions of one installation. The outbox of a
        // session that one round ends is cleared by the next: else another replica would log that end once more, with the same id.
        while rounds.next(isAnswered: await self.tell(isLast: true)), self.hasRest, !Task.isCancelled {}
        self.end()
    }

    private var hasRest: Bool {
        self.flush.count > 0 || self.stores.unflushed.count > 0
    }

    /// Waits for its turn.
    ///
    /// - Returns: False if the task was cancelled first.
    private func begin() async -> Bool {
        while let turn = self.turn {
            guard await turn.value() != nil else { return false }
        }
        self.turn = Promise()
        return true
    }

    private func end() {
        self.turn.take()?.resolve(())
    }

    /// Flushes the activity since the last time.
    ///
    /// - Parameter isLast: True at the end of this process.
    /// - Returns: False if the store did not answer.
    private func tell(isLast: Bool) async -> Bool {
        // Before the stores are taken: what has a stamp of before is in one of them, or in a commit that is under way.
        let now = self.stores.unflushed.cut(at: self.context.time)
        let unflushed = self.stores.unflushed
        unflushed.forgetFlushed(at: self.context.time.uptime)
        let stores = unflushed.take()
        for store in stores {
            let taken = store.takeActivity()
            if taken.isEmpty, !store.hasActivityInFlight { unflushed.hasNothing(store) }
            for activity in taken {
                self.flush.note(activity, of: store.key)
                self.told[store.key] = store
            }
        }
        let round = self.flush.begin(at: now) { .random() }
        let (replica, time) = (self.fleet.replica, self.context.time)
        var isAnswered = false
        do throws(SharedStoreError) {
            let answer = try await self.fleet.ask(.flushes) { store throws(SharedStoreError) in
                try await store.flush(
                    round.activities,
                    of: replica,
                    token: round.token,
                    age: time.uptime - round.cut
                )
            }
            self.erasures.flushed(answer.pendingErasures, sent: answer.sent)
            let findings = self.flush.take(answer.value)
            for activity in findings.added { unflushed.answered(activity, at: answer.received) }
            isAnswered = await self.take(findings, sent: now, isLast: isLast)
            try await self.fleet.heard(joining: answer.joining)
        } catch {
            self.erasures.unanswered()
            if error.isPassing || error.code == .directoryInUse { self.flush.notSent() }
            self.report(SignetError(error))
        }
        await self.renew(stores)
        return await self.clearOutboxes(of: stores) && isAnswered
    }

    /// Removes from the rows what the journal has.
    ///
    /// - Returns: False if the store did not answer; then the next flush does it.
    private func clearOutboxes(of stores: [SharedInstallationStore]) async -> Bool {
        let (answer, begun) = await self.forEach(stores) { await self.clearOutbox(of: $0) }
        // The store is away for the others too: a try of each would take its whole limit.
        for other in stores[begun...] { other.enter() }
        return answer == .given
    }

    private func clearOutbox(of store: SharedInstallationStore) async -> Answer {
        do throws(SignetError) {
            self.follow(try await store.logOutbox(before: .min), row: store.key)
            return .given
        } catch {
            self.report(error, row: store.key)
            switch error.code {
            case .closed: return .given
            case .storeUnreachable, .outcomeUnknown: return .away
            default: return .missing
            }
        }
    }

    private enum Answer: Comparable {
        case given
        case missing
        /// No call reaches the store.
        case away
    }

    /// Works on each element, a portion at a time: a store may take the commits of many rows together.
    ///
    /// - Returns: The worst answer, and the number of elements that were begun: all, unless the store is away.
    private func forEach<Element: Sendable>(
        _ elements: [Element],
        _ work: @escaping @Sendable (Element) async -> Answer
    ) async -> (Answer, begun: Int) {
        await withTaskGroup(of: Answer.self) { group in
            var (worst, begun) = (Answer.given, 0)
            for element in elements {
                if begun >= Self.portion, let answer = await group.next() { worst = max(worst, answer) }
                guard worst != .away else { break }
                group.addTask { await work(element) }
                begun += 1
            }
            for await answer in group { worst = max(worst, answer) }
            return (worst, begun)
        }
    }

    /// Reads the rows of handles whose events were refused by an old reading, or logged without one.
    private func renew(_ stores: [SharedInstallationStore]) async {
        let old = stores.filter(\.wantsReading)
        guard !old.isEmpty else { return }
        // At once: the rows are read together.
        await withTaskGroup { group in
            for store in old { group.addTask { await self.renewOrReport(store) } }
        }
    }

    private func renewOrReport(_ store: SharedInstallationStore) async {
        do throws(SignetError) {
            try await store.renew()
            // Opened while the store was away: with the row its events get sessions.
            guard !store.hasRow, let core = self.stores.object(of: store) else { return }
            try await core.openShared()
        } catch {
            self.report(error, row: store.key)
        }
    }

    /// - Returns: False if the store did not answer.
    private func take(_ findings: ActivityFlush.Findings, sent: Duration, isLast: Bool) async -> Bool {
        let (answer, _) = await self.forEach(findings.ended + findings.missing) { activity in
            await self.succeed(activity, isLast: isLast)
        }
        for (key, tag) in findings.tags { self.told[key]?.confirm(tag, at: sent) }
        let old = findings.tags.compactMap { key, tag in self.told[key].flatMap { $0.tag == tag ? nil : $0 } }
        _ = await self.forEach(old) { store in
            do throws(SignetError) {
                try await store.refresh()
            } catch {
                await self.report(error, row: store.key)
            }
            return .given
        }
        if self.flush.count == 0 { self.told = [:] }
        return answer == .given
    }

    /// Begins the session of events that were logged after one was over, or as the first ones.
    ///
    /// - Parameters:
    ///   - flushed: The events.
    ///   - isLast: True at the end of this process: no later flush begins the session.
    /// - Returns: `missing` if the store did not answer; then the next flush tells them again.
    private func succeed(_ flushed: ActivityFlush.Activity, isLast: Bool) async -> Answer {
        guard let store = self.told[flushed.key] else { return .given }
        let ending = await self.ending(of: flushed.events, store, isLast: isLast)
        switch ending {
        case .begun: self.stores.unflushed.answered(flushed, at: self.context.time.uptime)
        case .late: self.countLate(flushed.events, store)
        case .waits(let isAnswered):
            self.giveBack(flushed, to: store)
            return isAnswered ? .given : .missing
        case .gone: self.stores.letGo(of: store)
        }
        self.stores.unflushed.answered(flushed, at: nil)
        return .given
    }

    private func ending(
        of activity: LocalActivity,
        _ store: SharedInstallationStore,
        isLast: Bool
    ) async -> SessionSuccession.Ending {
        var succession = SessionSuccession(of: activity.session, isLast: isLast)
        var told = Int64.max
        var step = SessionSuccession.Step.read
        do throws(SignetError) {
            while true {
                switch step {
                case .read:
                    try await store.refresh()
                    step = succession.read(isGone: store.isGone, openSession: store.openSession)
                case .ask:
                    told = try await store.told()
                    step = succession.asked(isAwaited: store.isAwaited(told))
                case .commit:
                    guard !Task.isCancelled else { throw .cancelled }
                    succession.sends()
                    let isBegun = try await self.begin(activity, store, told: told)
                    step = .end(succession.committed(isBegun: isBegun, openSession: store.openSession))
                case .end(let ending):
                    return ending
                }
            }
        } catch {
            if !store.isGone { self.report(error, row: store.key) }
            return succession.failed(error.code, isGone: store.isGone)
        }
    }

    private func begin(
        _ activity: LocalActivity,
        _ store: SharedInstallationStore,
        told: Int64
    ) async throws(SignetError) -> Bool {
        let commit = try await store.commit(fencedBy: nil, decides: true, confirms: false) { machine, transaction in
            machine.succeed(with: activity, store.key, told: told, &transaction)
        }
        self.follow(commit, row: store.key)
        return commit.value
    }

    /// Counts the events that came after the end of their session; some of a flush may be in that end.
    private func countLate(_ activity: LocalActivity, _ store: SharedInstallationStore) {
        let late = activity.events - store.takeCounted(in: activity.session, upTo: activity.events)
        self.context.statistics.record { $0.eventsAfterSessionEnd += late }
    }

    /// Leaves the activity to the next flush, or to an end that is drafted before it.
    ///
    /// The visitor may have come back: the store of the object in memory is the one that ends the session.
    private func giveBack(_ activity: ActivityFlush.Activity, to store: SharedInstallationStore) {
        // A later session of the installation may wait here: this one goes first.
        guard !self.flush.isWaiting(store.key) else { return self.flush.putFirst([activity]) }
        self.stores.current(store).giveBack(activity.events)
        self.stores.unflushed.answered(activity, at: nil)
    }

    private func follow<Value>(_ commit: InstallationCommit<Value>, row: UUID) {
        self.stores.follow(commit)
        if let failure = commit.failure ?? commit.lostEvent { self.report(failure, row: row) }
    }

    private func report(_ error: SignetError, row: UUID? = nil) {
        self.failures.report(error, row: row)
    }
}
