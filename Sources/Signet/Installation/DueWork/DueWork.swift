// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Does what a runtime owes without a caller: it is found at the start and by the clock, whether a visitor returns or not.
///
/// One per runtime. Work of the disk is done as it becomes due; work that needs a service waits in a ``DueLane`` of its kind. Nothing
/// is noted here: the disk has it.
actor DueWork {
    /// A kind of due work that needs a service.
    enum Kind: Sendable, Hashable {
        /// An identify of events without a user.
        case identity
        /// Unsent work of a service that follows: one that is away holds up no other.
        case service(IdentitySyncOutcome.Service)
        /// Facts that the platform lacks.
        case facts

        /// The name in statistics.
        var name: String {
            switch self {
            case .identity: "identity"
            case .service(let service): service.description
            case .facts: "facts"
            }
        }
    }

    /// The pause after the disk could not be read or written.
    static let diskPause = Duration.seconds(5)
    /// The time between two looks for events that wait for a user.
    private static let look = Duration.seconds(10)
    /// The most installations that one look takes.
    private static let page = 4096
    /// The number of sessions that end in one piece of the disk's work, and that may end within a second.
    static let (portion, sessionsPerSecond) = (256, 2048)

    let context: RuntimeContext
    private let managers: RuntimeManagers
    let opening: InstallationOpening
    let disk: DueDiskWork
    var lanes: [Kind: DueLane]
    let services: [Kind]
    /// The kinds of services by their tags.
    private let serviceTags: [UInt8: Kind]
    var search = DueSearch(parts: StateStore.dueParts)
    var sessions = LeftSessions()
    let sessionsChanged = AsyncSignal()
    /// The last event at the last look for events without a user: younger ones have an identify under way, as a rule.
    private var lookedUpTo: UInt64
    private var nextLook: Duration?
    private let endOfVisits = AsyncSignal()

    init(_ opening: InstallationOpening) {
        self.context = opening.context
        self.managers = opening.managers
        self.opening = opening
        self.disk = DueDiskWork(opening: opening)
        self.lookedUpTo = opening.context.journal.lastSequence
        if opening.context.journal.liveCount > 0 { self.nextLook = opening.context.time.uptime }
        let (identity, now) = (opening.context.configuration.identity, opening.context.time.uptime)
        // In an application the app's own open comes first: its request may name the user.
        let isApplication = opening.context.sessionRules.mode == .application
        self.lanes = [
            .identity: DueLane(
                DueLane.Limits(
                    inFlight: max(1, min(16, identity.maximumInFlight / 4)),
                    perSecond: identity.automaticPerSecond
                ),
                now: now,
                pausedUntil: isApplication ? now + .seconds(60) : nil
            ),
            .facts: DueLane(DueLane.Limits(inFlight: 8, perSecond: 50), now: now),
        ]
        let linked = opening.managers.linked.all
        self.services = linked.map { .service($0.service) }
        self.serviceTags = Dictionary(
            linked.map { ($0.definition.tag, .service($0.service)) },
            uniquingKeysWith: { first, _ in first }
        )
        for service in self.services {
            self.lanes[service] = DueLane(DueLane.Limits(inFlight: 8, perSecond: 50), now: now)
        }
    }

    // MARK: - Running

    /// Works until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.findAll() }
            group.addTask { await self.endSessions() }
            await self.work()
        }
    }

    private func work() async {
        let time = self.context.time
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                if self.takeReports() == .beginMinute {
                    await self.seeOldestEvents()
                    for step in self.search.minute() { await self.lookAgain(step) }
                }
                await self.lookForEventsWithoutUser()
                // The end of a visit wakes it, too: there is no look before the installations of the last one were visited.
                var deadline = self.lanes[.identity]?.isEmpty == true ? self.nextLook : nil
                for kind in [Kind.identity, .facts] + self.services {
                    while case .visit(let number) = self.next(kind, &deadline) {
                        group.addTask { await self.visit(number, kind) }
                    }
                }
                self.publish()
                await self.context.dueWork.wakeup.wait(until: deadline, on: time)
            }
        }
    }

    private func next(_ kind: Kind, _ deadline: inout Duration?) -> DueLane.Action? {
        let action = self.lanes[kind]?.next(now: self.context.time.uptime)
        if case .wait(let until?) = action { deadline = deadline.map { min($0, until) } ?? until }
        return action
    }

    /// A request of the reports to the runner itself.
    private enum Request {
        case beginMinute
    }

    private func takeReports() -> Request? {
        let reports = self.context.dueWork.take()
        let (now, jitter) = (self.context.time.uptime, self.context.configuration.jitter())
        for evidence in reports.identity {
            let failure = evidence.failure.map { (error: $0, pause: BackOff.asked($0)) }
            self.lanes[.identity]?.heard(of: evidence.installation, failure, now: now, jitter: jitter)
        }
        for number in reports.identified { self.lanes[.identity]?.changed(number) }
        for service in self.services { self.lanes[service]?.found(reports.services, now: now) }
        for service in reports.retried { self.lanes[.service(service)]?.retry(now: now) }
        self.lanes[.facts]?.found(reports.facts, now: now)
        if reports.mayLackUsers, self.nextLook == nil { self.nextLook = now }
        if reports.isTimeoutChanged {
            for number in self.sessions.removeAll() { self.sessions.insert(number, at: now) }
        }
        for number in reports.leftOpen { self.sessions.insert(number, at: now) }
        if reports.isTimeoutChanged || !reports.leftOpen.isEmpty { self.sessionsChanged.signal() }
        if reports.areOptOutsDue { self.search.optOutsAreLeft() }
        return reports.isMinuteOver ? .beginMinute : nil
    }

    private func seeOldestEvents() async {
        let awaitingApp = self.lanes[.identity]?.awaitingApp ?? []
        guard let oldest = await self.managers.events.oldest(awaitingApp: awaitingApp) else { return }
        self.context.dueWork.publish { status in
            status.oldest = ["upload": oldest.forUpload, "user": oldest.forUser, "app": oldest.forApp].compactMapValues(
                \.self
            )
        }
    }

    /// Adds installations to the lanes of services that were given.
    ///
    /// - Parameters:
    ///   - services: The installations by the tag of their service.
    ///   - now: Uptime.
    /// - Returns: The number of those that were not known.
    func foundServices(_ services: [UInt8: [UInt32]], now: Duration) -> Int {
        services.reduce(0) { count, found in
            guard let kind = self.serviceTags[found.key] else { return count }
            return count + (self.lanes[kind]?.found(found.value, now: now) ?? 0)
        }
    }

    // MARK: - Visits

    private func visit(_ number: UInt32, _ kind: Kind) async {
        let outcome: DueLane.Outcome
        switch kind {
        case .identity: outcome = await IdentityVisit(opening: self.opening).perform(number)
        case .service(let service): outcome = await ServiceVisit(opening: self.opening).perform(number, service)
        case .facts: outcome = await FactsVisit(opening: self.opening).perform(number)
        }
        let (now, jitter) = (self.context.time.uptime, self.context.configuration.jitter())
        self.lanes[kind]?.finished(number, outcome, now: now, jitter: jitter)
        switch outcome {
        case .done: self.context.dueWork.publish { $0.done[kind.name, default: 0] += 1 }
        case .unwell(let error, _), .refused(let error), .crowded(let error):
            guard let lane = self.lanes[kind] else { break }
            let pause = lane.pausedUntil.map { $0 - now } ?? .zero
            self.context.observer.dueWorkPostponed(kind: kind.name, count: lane.count, until: pause, error: error)
        case .nothing, .again, .awaitsApp: break
        }
        self.endOfVisits.signal()
        self.context.dueWork.wakeup.signal()
    }

    /// Looks for installations whose events wait for a user, if it is time, and if those of the last look have been visited.
    private func lookForEventsWithoutUser() async {
        let now = self.context.time.uptime
        guard let next = self.nextLook, next <= now, let lane = self.lanes[.identity], lane.isEmpty else { return }
        let found = await self.managers.events.installationsWithoutUser(
            upTo: self.lookedUpTo,
            besides: lane.others,
            awaitingApp: lane.awaitingApp,
            limit: Self.page
        )
        guard let found else { return self.nextLook = now + .seconds(1) }
        self.lookedUpTo = max(self.lookedUpTo, found.last)
        self.lanes[.identity]?.keepAwaitingApp(found.awaitingApp)
        self.lanes[.identity]?.found(found.numbers, now: now)
        self.context.dueWork.publish { status in
            status.eventsWaitingForUser = found.events
            status.eventsWaitingForApp = found.eventsAwaitingApp
        }
        // Those that are known are visited, and those that wait for the app are left to it. Another failure brings another look.
        self.nextLook = found.unknown == 0 ? nil : now + Self.look
    }

    private func publish() {
        let (sessions, now) = (self.sessions, self.context.time.uptime)
        let kinds = self.lanes.map { kind, lane in
            let (count, since) = (lane.count, lane.waitingSince)
            return (
                kind.name,
                DueWorkReports.Status.Kind(
                    count: count,
                    since: since,
                    lastError: lane.lastError?.code,
                    httpStatus: lane.lastError?.httpStatus
                )
            )
        }
        let isOpen: Bool = if case .open? = self.lanes[.identity]?.state { true } else { false }
        let listens = !isOpen || self.lanes[.identity]?.awaitingApp.isEmpty == false
        self.context.dueWork.publish { status in
            for (name, kind) in kinds { status.kinds[name] = kind }
            let (overdue, since) = sessions.overdue(at: now)
            status.kinds["sessions"] = DueWorkReports.Status.Kind(count: sessions.count, overdue: overdue, since: since)
            status.listensForSuccess = listens
        }
    }

    // MARK: - Sessions

    /// Ends sessions of earlier processes as they become due.
    private func endSessions() async {
        let time = self.context.time
        var (second, ended) = (time.uptime, 0)
        while !Task.isCancelled {
            if time.uptime - second >= .seconds(1) { (second, ended) = (time.uptime, 0) }
            let due = self.sessions.popDue(Self.portion, at: time.uptime)
            guard !due.isEmpty else {
                self.publish()
                await self.sessionsChanged.wait(until: self.sessions.first, on: time)
                continue
            }
            await self.end(due)
            ended += due.count
            guard ended >= Self.sessionsPerSecond else { continue }
            do { try await time.sleep(until: second + .seconds(1)) } catch { return }
        }
    }

    /// The fates of some sessions.
    private struct Ends: Sendable {
        var count = 0
        /// Those that are not over yet, and when they are, in milliseconds since 1970.
        var open: [(number: UInt32, end: Int64)] = []
        /// Those whose records the disk has refused.
        var refused: [UInt32] = []
        var failure: SignetError?
    }

    private func end(_ due: [UInt32]) async {
        let (disk, ingress) = (self.disk, self.context.ingress)
        let waited = Set(due.filter { self.sessions.takeWaited($0) })
        do throws(SignetError) {
            let ends = try await self.context.disk.performUntilCancelled { () throws(SignetError) in
                var ends = Ends()
                defer { if ends.count > 0 { ingress.eventLogged() } }
                for number in due {
                    do throws(SignetError) {
                        let end = try disk.endSession(of: number, hasWaited: waited.contains(number))
                        if let commit = end.commit { end.core?.follow(commit, wakes: false) }
                        switch end.outcome {
                        case .ended: ends.count += 1
                        case .isOpen(let end): ends.open.append((number, end))
                        case .settled: break
                        }
                    } catch {
                        // Of this one alone, perhaps. One that has ended is found to be.
                        guard error.code != .notRunning else { throw error }
                        ends.refused.append(number)
                        ends.failure = error
                    }
                }
                return ends
            }
            let now = SessionTimestamp(self.context.time)
            let timeout = self.context.sessionTimeout
            for (number, end) in ends.open {
                self.sessions.insert(number, endingAt: end, now: now, timeout: timeout)
            }
            self.sessions.written(refused: ends.refused, now: now.uptime, pause: Self.diskPause)
            if let failure = ends.failure { self.context.health.failed(failure.code) }
            self.context.dueWork.publish { $0.done["sessions", default: 0] += ends.count }
        } catch {
            guard error.code != .cancelled, error.code != .notRunning else { return }
            self.context.health.failed(error.code)
            self.sessions.written(refused: due, now: self.context.time.uptime, pause: Self.diskPause)
        }
    }

    // MARK: - The end

    /// Sends the pending data of services that are in memory; data in a pause stays on disk, as do paused events.
    ///
    /// Each service gets half of the time that is left.
    ///
    /// - Returns: True if each was done in its time.
    nonisolated func drainServices(until deadline: Duration) async -> Bool {
        let (services, time) = (self.managers.linked.all, self.context.time)
        var idle = 0
        for service in services {
            let isIdle = await withTimeLimit((deadline - time.uptime) / 2, on: time) { () -> Bool? in
                for manager in service.linkedManagers { await manager.untilSettled() }
                return Task.isCancelled ? nil : true
            }
            if isIdle == true { idle += 1 }
        }
        return idle == services.count
    }

    /// Begins no further visit, and waits for those under way; or until the task is cancelled.
    func stop() async {
        while !Task.isCancelled {
            var isUnderWay = false
            for kind in self.lanes.keys where self.lanes[kind]?.stop() == .awaitVisits { isUnderWay = true }
            guard isUnderWay else { return }
            await self.endOfVisits.wait()
        }
    }
}
