// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

extension InfobipManager {
    private var now: Duration { self.services.time.uptime }
    private var milliseconds: Int64 { self.services.time.milliseconds }

    /// Starts `run()` if there is work, or wakes it.
    func work() {
        guard !self.isWorking else { return self.wakeup.signal() }
        guard self.machine.hasWork(now: self.now, milliseconds: self.milliseconds) else { return self.settled() }
        // The job keeps the manager in memory until everything has been answered.
        self.isWorking = self.services.jobs.submit { await self.run() }
        if !self.isWorking { self.settled() }
    }

    private func run() async {
        await self.services.lookUp(from: self.caller)
        while !Task.isCancelled, !self.snapshot.withLock({ $0.isRetired }), !self.isOptedOut() {
            self.machine.hasToken = self.hasToken
            switch self.machine.next(now: self.now, milliseconds: self.milliseconds) {
            case .idle, .busy:
                self.isWorking = false
                return self.settled()
            case .wait(let deadline):
                self.settled()
                await self.wakeup.wait(until: deadline, on: self.services.time)
            case .perform(let number, let operation):
                await self.perform(number, operation)
            }
        }
        self.isWorking = false
        if self.isOptedOut() { self.follow(self.machine.endAll(.failure(.optedOut))) }
        self.settled()
    }

    private func perform(_ number: Int, _ operation: InfobipStateMachine.Operation) async {
        let answer: InfobipStateMachine.Answer
        if let error = self.saveNow() {
            // The operation must be on disk, so that a process that dies in the middle can find out its outcome.
            answer = .failed(error, mayHaveHappened: false)
        } else {
            answer = await self.answer(to: operation)
        }
        // The runtime ends, and the outcome is unknown; the next start asks again.
        guard !Task.isCancelled, !self.snapshot.withLock({ $0.isRetired }) else { return self.machine.interrupt() }
        if case .refused = answer, operation.holdsData {
            self.services.statistics.record { $0.infobipChangesRefused += 1 }
        }
        let jitter = self.services.jitter()
        let actions = self.machine.finish(
            number,
            answer,
            now: self.now,
            milliseconds: self.milliseconds,
            jitter: jitter
        )
        self.saveNow()
        self.follow(actions)
    }

    /// Performs one operation.
    private func answer(to operation: InfobipStateMachine.Operation) async -> InfobipStateMachine.Answer {
        var events: [[UInt8]] = []
        if case .sendEvents(let ordinals, _) = operation {
            do throws(SignetError) {
                events = try self.events(ordinals)
            } catch {
                return .failed(error, mayHaveHappened: false)
            }
        }
        let request = self.services.requests.request(
            for: operation,
            of: self.machine.memory.active?.id ?? "",
            service: self.machine.memory.pushService,
            isFresh: self.machine.isFresh(self.milliseconds),
            events: events
        )
        guard let request else { return .done }
        var token: Secret?
        if request.route.takesToken, let provider = self.services.configuration.tokens {
            switch await self.token(from: provider, mayAsk: !operation.isLast) {
            case .success(let given): token = given
            case .failure(let error): return .failed(error, mayHaveHappened: false)
            }
        }
        let caller = self.caller
        let (reply, hasMoved) = await self.services.sender.send(
            request.route,
            request.body,
            from: caller,
            token: token
        )
        if hasMoved { await self.services.resume() }
        if token != nil { self.judgeToken(reply, request.route) }
        switch reply {
        case .failure(let error):
            return .failed(error, mayHaveHappened: !error.isBeforeArrival)
        case .success(let verdict):
            return self.judge(verdict, request.route, caller.pushRegistrationID)
        }
    }

    private func judge(
        _ verdict: InfobipVerdict,
        _ route: InfobipRoute,
        _ registration: String?
    ) -> InfobipStateMachine.Answer {
        if let answer = InfobipStateMachine.Answer(verdict, to: route, of: registration) { return answer }
        guard case .data(let bytes) = verdict else { return .done }
        do throws(WireError) {
            switch route {
            case .createInstallation, .fetchInstallation: return .installation(try InfobipReply.installation(bytes))
            case .fetchUser, .personalize: return .user(try InfobipReply.user(bytes))
            default: return .done
            }
        } catch {
            let error = SignetError(.unexpectedAnswer, error.message, cause: error)
            return .failed(error, mayHaveHappened: true)
        }
    }

    private var caller: InfobipCaller {
        InfobipCaller(
            pushRegistrationID: self.machine.memory.active?.id,
            installationID: self.universalID,
            sessionStart: self.machine.memory.last.sessions.current(now: self.milliseconds)?.start,
            isForeground: self.machine.isActive
        )
    }

    // MARK: - Use

    /// Records the app's activity.
    func setActive(_ isActive: Bool) async {
        self.use.withLock { $0 = isActive }
        self.followUse()
    }

    /// Applies the latest reported activity of the app.
    func followUse() {
        let isActive = self.use.withLock { $0 }
        guard self.machine.isActive != isActive else { return }
        self.activation += 1
        self.keep(self.machine.use(isActive))
        guard isActive else { return }
        self.tick()
        self.work()
        let activation = self.activation
        self.services.jobs.submit { await self.count(activation) }
    }

    private func count(_ activation: Int) async {
        while self.activation == activation, !Task.isCancelled, !self.snapshot.withLock({ $0.isRetired }) {
            // Cancelled: the runtime ends.
            do { try await self.services.time.sleep(for: .milliseconds(InfobipSessions.period)) } catch { return }
            guard self.activation == activation else { return }
            self.tick()
        }
    }

    private func tick() {
        guard !self.isOptedOut() else { return }
        self.keep(self.machine.count(milliseconds: self.milliseconds))
        self.work()
    }

    private func keep(_ actions: [InfobipStateMachine.Action]) {
        for case .save in actions { self.saveNow() }
    }

    // MARK: - Waiting

    /// Waits until there is nothing to do, or nothing before a pause ends.
    package func untilSettled() async {
        self.work()
        guard self.isWorking else { return }
        let promise = Promise<Void>()
        self.settling.append(promise)
        self.wakeup.signal()
        _ = await promise.value()
    }

    func settled() {
        let waiting = self.settling
        self.settling = []
        for promise in waiting { promise.resolve(()) }
    }
}

extension InfobipStateMachine.Operation {
    /// True for the last attempt for a person who leaves, which waits for nothing.
    fileprivate var isLast: Bool {
        if case .saveUser(_, _, isLast: true) = self { true } else { false }
    }

    /// True if a refusal loses data of the app.
    fileprivate var holdsData: Bool {
        switch self {
        case .saveUser, .saveInstallation, .sendEvents: true
        default: false
        }
    }
}
