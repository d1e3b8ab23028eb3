// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Delivers the events of the journal in batches until the platform has answered for every event.
///
/// An event leaves the journal when the platform has accepted it or refused it for good. A refused batch is first
/// written to disk as a dead letter.
actor EventQueue {
    /// The pause after the disk could not be read or written.
    static let diskPause = Duration.seconds(5)

    let context: RuntimeContext
    var backlog: EventBacklog
    /// Callers that wait for delivery, by the number of their goal; nil when `run` has returned: nothing is delivered any
    /// more.
    private var waiters: [Int: Promise<UploadStateMachine.Progress>]? = [:]
    /// True while a job ends opt-outs.
    private var isEndingOptOuts = false

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - context: The parts that the runtime shares.
    ///   - users: The users of installations.
    ///   - settled: Signalled after events were settled.
    init(_ context: RuntimeContext, users: any EventUsers, settled: AsyncSignal) {
        self.context = context
        self.backlog = EventBacklog(context, users: users, settled: settled)
    }

    private var now: Duration {
        self.context.time.uptime
    }

    // MARK: - Delivering

    /// Delivers until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let retry = self.takeIn() ? nil : self.now + Self.diskPause
            guard self.backlog.intake.isRestored else {
                await self.context.ingress.wakeup.wait(until: self.now + Self.diskPause, on: self.context.time)
                continue
            }
            self.backlog.tidy()
            await self.look()
            let deadline = await self.act()
            self.resumeWaiters()
            let memory = self.context.memory.count > 0 ? self.now + Self.diskPause : nil
            let look = self.backlog.shared.deadline(hasAnonymousEvents: self.backlog.machine.anonymousCount > 0)
            let spent = self.backlog.spent?.holds == true ? self.now + SpentNumbers.pause : nil
            let consent = self.backlog.consentDeadline
            let refused = [self.backlog.answered.deadline, self.backlog.optOuts.retryAt]
            let wakeUp = ([deadline, retry, memory, look, spent, consent] + refused).compactMap { $0 }.min()
            if retry == nil {
                await self.sleep(until: wakeUp)
            } else {
                // Updates of the journal are not available: only time helps, or a caller's request.
                await self.context.ingress.wakeup.wait(until: wakeUp, on: self.context.time)
            }
        }
        for waiter in (self.waiters ?? [:]).values { waiter.resolve(.underWay) }
        self.waiters = nil
    }

    /// Takes in new events.
    ///
    /// - Returns: False if the journal could not be read to its end; that is reported.
    func takeIn() -> Bool {
        do throws(SignetError) {
            try self.backlog.takeIn()
            // Another caller may have taken in what the loop waits for, and nothing else wakes the loop.
            self.endOptOutsAside()
            return true
        } catch {
            return false
        }
    }

    /// Begins a job that forgets opt-outs whose events have gone: deliveries do not wait for its flush.
    private func endOptOutsAside() {
        guard !self.isEndingOptOuts, !self.backlog.optOuts.unflushed.isEmpty else { return }
        // Refused at the end of the runtime: the next start forgets them.
        self.isEndingOptOuts = self.context.jobs.submit {
            let isDone = await self.endOptOuts()
            await self.endedOptOuts(isDone)
        }
    }

    private func endedOptOuts(_ isDone: Bool) {
        self.isEndingOptOuts = false
        // Others have come during the flush. After an error of the disk, they wait for the next turn.
        if isDone, !self.backlog.optOuts.unflushed.isEmpty { self.context.ingress.wakeup.signal() }
    }

    /// Forgets opt-outs whose events have gone, after a flush.
    ///
    /// - Returns: False if the disk refused the flush; that is reported.
    @discardableResult
    func endOptOuts() async -> Bool {
        let opted = self.backlog.optOuts.unflushed
        guard !opted.isEmpty else { return true }
        do throws(SignetError) {
            try await self.context.disk.syncTogether()
            self.backlog.optOuts.flushed(opted)
            return true
        } catch {
            self.backlog.optOuts.report(error)
            return false
        }
    }

    /// Performs the actions of the machine until it says to wait.
    ///
    /// - Returns: The deadline; nil to wait for updates.
    private func act() async -> Duration? {
        while true {
            switch self.backlog.machine.next(now: self.now) {
            case .cut(let plan):
                let names = self.backlog.unprepared(plan)
                if names.isEmpty { self.backlog.cut(plan) } else { await self.prepare(names, plan.mpid) }
            case .send(let request):
                let isAccepted = self.context.jobs.submit { await self.upload(request) }
                if !isAccepted {
                    self.backlog.machine.finished(request.number, .postponed(.zero, .failure), now: self.now)
                    return self.now + Self.diskPause
                }
            case .wait(let deadline):
                return deadline
            }
        }
    }

    /// Reads rows of a shared store: for anonymous events, and after batches that were held.
    private func look() async {
        while true {
            let installations = self.backlog.looks()
            guard !installations.isEmpty else { return }
            do throws(SignetError) {
                try await self.backlog.users.prepare(installations.map(\.id), nil, upTo: self.backlog.intake.last)
            } catch {
                self.backlog.pauses.note(error)
                return self.backlog.shared.postpone(at: self.now)
            }
            self.backlog.looked(at: installations)
        }
    }

    /// Reads the facts of installations in a shared store; the machine plans again afterwards.
    private func prepare(_ installations: [InstallationID], _ mpid: MPID) async {
        do throws(SignetError) {
            try await self.backlog.users.prepare(installations, mpid, upTo: self.backlog.intake.last)
        } catch {
            self.backlog.pauses.note(error)
            self.backlog.machine.pause(until: self.now + .seconds(1), .store)
        }
    }

    /// Asks a shared store, if there is one, what of a request with old batches may go out.
    ///
    /// - Returns: False if it must wait; the machine has begun a pause then.
    private func prepareToSend(_ request: UploadStateMachine.Request) async -> Bool {
        guard self.backlog.isOld(request) else { return true }
        let users = self.backlog.users
        do throws(SignetError) {
            try await users.prepareToSend()
            var names = self.backlog.unread(request)[...]
            while !names.isEmpty {
                try await users.prepare(Array(names.prefix(64)), nil, upTo: self.backlog.intake.last)
                names = names.dropFirst(64)
            }
            return true
        } catch {
            self.backlog.pauses.note(error)
            self.backlog.machine.finished(request.number, .postponed(.seconds(1), .store), now: self.now)
            return false
        }
    }

    private func sleep(until deadline: Duration?) async {
        // Without a deadline the queue waits for an answer; in a pause only limits and ages matter.
        let isWaiting = self.backlog.machine.isPaused(now: self.now) || deadline == nil
        let events = isWaiting ? 8192 : self.backlog.machine.eventsUntilFull
        // A batch that is full already waits for something other than events.
        let wakeAt = self.backlog.intake.last + max(1, events)
        self.context.ingress.wake(at: wakeAt)
        if self.context.journal.lastSequence < wakeAt {
            await self.context.ingress.wakeup.wait(until: deadline, on: self.context.time)
        }
        self.context.ingress.wake(at: .max)
    }

    /// Makes one try to send some batches, inside `run()`.
    private func upload(_ planned: UploadStateMachine.Request) async {
        guard await self.prepareToSend(planned) else { return self.context.ingress.wakeup.signal() }
        // From here on nothing is awaited until the request is on the wire.
        let request: UploadStateMachine.Request
        let parts: [EventBacklog.Part]
        let gone: [BatchOutcome]
        do throws(SignetError) {
            guard let admitted = try self.backlog.admit(planned) else { return self.context.ingress.wakeup.signal() }
            request = admitted
            (parts, gone) = try self.backlog.parts(of: request)
        } catch {
            return self.backlog.postpone(planned, error, Self.diskPause, .disk)
        }
        guard !parts.isEmpty else { return self.backlog.settle(request, gone) }
        self.backlog.sent(parts)
        let answer = await self.context.dispatcher.deliver(
            parts.count > 1 ? .bulkEvents : .events,
            body: parts.count > 1 ? Self.join(parts) : parts[0].body,
            timeout: self.context.configuration.events.requestTimeout
        )
        if answer.verdict?.isAboutContent == true { await self.learnDeadLetters() }
        self.backlog.finish(request, parts, gone, answer)
    }

    /// Returns the JSON array of several batches, the body of their request.
    private static func join(_ parts: [EventBacklog.Part]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(parts.reduce(2) { $0 + $1.body.count + 1 })
        for (index, part) in parts.enumerated() {
            body.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            body += part.body
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    // MARK: - Waiting for delivery

    /// Sends all events that have been logged so far and can be sent now.
    ///
    /// Returns when nothing is left, when there is a pause, or when a task is cancelled: this one or that of `run`.
    ///
    /// - Returns: True if all events were sent that could be; false after a cancellation.
    func drain() async -> Bool {
        let goal: Wish
        do throws(SignetError) {
            goal = try self.aim()
        } catch {
            // Reported when it was found.
            return false
        }
        switch await goal.progress.value() {
        case .reached, .paused: return true
        case .underWay, nil:
            self.abandon(goal)
            return false
        }
    }

    /// A wait until all events so far are answered for, except those without a known user.
    struct Wish: Sendable {
        /// The number of the goal.
        let goal: Int
        /// The outcome: `underWay` if the queue has ended; nil if the waiting task was cancelled first.
        ///
        /// The promise is part of the value, because it may resolve before a caller awaits it.
        let progress: Promise<UploadStateMachine.Progress>
    }

    /// Begins to wait.
    ///
    /// - Parameter installation: The number of the only installation that counts, whose wait is over at once if nothing of it can be
    ///   sent; nil for all.
    /// - Returns: The wait, to be awaited or given up with ``abandon(_:)``.
    /// - Throws: An error if the journal cannot be read: the last event is then unknown.
    func aim(of installation: UInt32? = nil) throws(SignetError) -> Wish {
        try self.backlog.takeIn()
        self.backlog.sendConsentsNow(of: installation)
        let goal = self.backlog.machine.aim(upTo: self.backlog.intake.last, of: installation)
        let wish = Wish(goal: goal, progress: Promise())
        if installation == nil {
            self.backlog.lookAtAll()
        } else if self.backlog.machine.progress(of: goal, now: self.now) == .reached {
            self.backlog.machine.goals.remove(goal)
            wish.progress.resolve(.reached)
            return wish
        }
        if self.waiters == nil { wish.progress.resolve(.underWay) }
        self.waiters?[wish.goal] = wish.progress
        self.context.ingress.wakeup.signal()
        return wish
    }

    /// Gives up a wait.
    ///
    /// - Returns: The number of its events without an answer.
    @discardableResult
    func abandon(_ wish: Wish) -> Int {
        let left = self.backlog.machine.left(of: wish.goal)
        self.backlog.machine.goals.remove(wish.goal)
        self.waiters?[wish.goal] = nil
        return left
    }

    /// Resolves the waits whose goal is reached, or cannot be reached now.
    private func resumeWaiters() {
        // Waits resolve in the order in which they began.
        for (goal, waiter) in (self.waiters ?? [:]).sorted(by: { $0.key < $1.key }) {
            let progress = self.backlog.machine.progress(of: goal, now: self.now)
            guard progress != .underWay else { continue }
            self.waiters?[goal] = nil
            self.backlog.machine.goals.remove(goal)
            waiter.resolve(progress)
        }
    }

    /// The number of events that wait for the first user of their installation.
    var eventsWithoutUser: Int {
        self.backlog.machine.anonymousCount
    }

    /// Returns the first of some waits that is over, and makes the events of the waits before it due.
    ///
    /// - Parameter waits: Each waits until the events of these users on one installation, up to a number, are settled.
    /// - Returns: The index of the wait; nil if none is over.
    func firstSettled(_ waits: [(installation: InstallationID, mpids: [MPID], sequence: UInt64)]) -> Int? {
        self.backlog.firstSettled(waits)
    }

    /// Finds out if the events of an installation have answers, and makes those due that have none.
    ///
    /// - Parameters:
    ///   - installation: Its number; zero if it has logged nothing.
    ///   - hasUser: True if events without a user get one. Otherwise nothing can be done for them, and they do not count.
    /// - Returns: True if nothing of it is on its way.
    /// - Throws: The error of the disk.
    func isDelivered(_ installation: UInt32, hasUser: Bool) throws(SignetError) -> Bool {
        guard installation != 0 else { return true }
        try self.backlog.takeIn()
        guard self.backlog.machine.isOnItsWay(installation, hasUser: hasUser) else { return true }
        if hasUser, !self.backlog.machine.anonymousSequences(of: installation).isEmpty {
            self.backlog.shared.look(at: [installation])
        }
        _ = self.backlog.machine.expedite(installation, upTo: .max)
        self.context.ingress.wakeup.signal()
        return false
    }

    /// Takes over an installation whose consents are unsent; the queue looks at it now.
    ///
    /// - Parameter installation: The number of the installation.
    /// - Returns: False if too many wait.
    func takeConsents(of installation: UInt32) -> Bool {
        guard self.backlog.unsentConsents.count < EventBacklog.maximumConsents else { return false }
        self.backlog.note([installation: true])
        self.context.ingress.wakeup.signal()
        return true
    }

    /// Those of some installations for whose facts the queue has neither a batch nor a time.
    func withoutFacts(among installations: [UInt32]) -> [UInt32] {
        self.backlog.withoutFacts(among: installations)
    }

    // MARK: - Pauses

    /// The current pause, as an error for callers that want to upload; nil if there is none.
    var pause: SignetError? {
        self.backlog.pauses.current(of: self.backlog.machine)
    }

    /// Ends any pause: the oldest batch is tried at once.
    func resume() {
        self.backlog.machine.resume()
        self.backlog.pauses.resume()
        self.backlog.readUnreadableAgain()
        self.context.ingress.wakeup.signal()
    }
}
