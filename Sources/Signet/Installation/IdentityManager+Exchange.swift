// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTransport

// Sends requests and retries them, inside `run()`.
//
// The machine is consulted before a request and notified after it. In between everything may have changed; the number shows it.
extension IdentityManager {
    /// The tries of a call.
    struct Tries {
        /// The uptime at which the first one began.
        let since: Duration
        var count = 0
        /// The error of the last try, if there is to be another.
        var error: SignetError?
    }

    /// Sends a call whose turn has come until it is answered, is given up, or loses its slot in a pause.
    func exchange(_ number: Int, _ core: InstallationCore) async {
        // The call was withdrawn since it was handed in, and the slot is free or another call has it.
        guard core.store.read({ $0.identity.isReserved(number) }) else { return }
        // One request at a time per installation, even if it was closed and opened again meanwhile.
        if let predecessor = self.predecessor {
            _ = await predecessor.value()
            self.predecessor = nil
            guard core.store.read({ $0.identity.isReserved(number) }) else { return }
        }
        while let pause = await self.send(number, core) {
            do {
                try await self.wait(pause, of: number, core)
            } catch {
                // Cancelled in the pause: the runtime ends, and the caller gets the last error.
                await self.releaseSlot(of: number, core)
                return self.giveUp(number)
            }
        }
    }

    /// A pause in a call.
    private enum Pause {
        /// Before the next try.
        case retry(Duration)
        /// Before the slot is asked for again, which another replica has.
        case slot(Duration)

        var length: Duration {
            switch self {
            case .retry(let length), .slot(let length): length
            }
        }
    }

    /// Waits for a pause, until the caller leaves; a call of the app keeps its slot in a shared store meanwhile.
    private func wait(_ pause: Pause, of number: Int, _ core: InstallationCore) async throws {
        let time = self.context.time
        let end = time.uptime + pause.length
        // The caller may have left while the store was asked.
        guard core.store.read({ $0.identity.isUnderWay(number) }) else { return }
        if case .retry = pause, let slice = self.leases[number].map({ $0.span / 3 }) {
            // Three times in its span: one question may get no answer. If the slot is lost, the next try finds it.
            while end - time.uptime > slice {
                try await self.sleep(for: slice, of: number)
                guard core.store.read({ $0.identity.isUnderWay(number) }) else { return }
                _ = await self.takeSlot(of: number, core)
                guard core.store.read({ $0.identity.isUnderWay(number) }) else { return }
            }
        }
        try await self.sleep(for: end - time.uptime, of: number)
    }

    private func sleep(for length: Duration, of number: Int) async throws {
        let time = self.context.time
        await self.untilLeft(number, else: ()) {
            // Cancelled because the caller has left, or with the runtime, which is checked below.
            do { try await time.sleep(for: length) } catch { return }
        }
        try Task.checkCancellation()
    }

    /// Waits in a task that is cancelled when the caller of a call leaves.
    private func untilLeft<Value: Sendable>(
        _ number: Int,
        else fallback: Value,
        _ wait: @escaping @Sendable () async -> Value
    ) async -> Value {
        let left = Promise<Void>()
        self.waits[number] = left
        defer { self.waits[number] = nil }
        return await withTaskGroup(of: Optional<Value>.self) { group in
            group.addTask { await wait() }
            group.addTask {
                _ = await left.value()
                return nil
            }
            while let ended = await group.next() {
                group.cancelAll()
                if let value = ended { return value }
            }
            return fallback
        }
    }

    /// The dispatcher's turn for a try, or the error of the wait for it; nil if there is nothing to send.
    private typealias DispatchTurn = Result<NetworkDispatcher.Turn?, SignetError>

    /// Makes one try and applies its answer.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - core: The installation.
    /// - Returns: The pause before the next try; nil if there is none, or another job will make it.
    private func send(_ number: Int, _ core: InstallationCore) async -> Pause? {
        let turn = await self.dispatchTurn(of: number, core)
        let pause = await self.send(number, core, in: turn)
        await self.end(turn)
        return pause
    }

    /// Ends a turn that was not used; a request that was sent has ended its own.
    private func end(_ turn: DispatchTurn) async {
        if case .success(let unused?) = turn { await self.context.dispatcher.end(unused) }
    }

    /// Ends an unused turn, then gives up the slot: the store may be slow, and the next request need not wait for it.
    private func leave(_ turn: DispatchTurn, of number: Int, _ core: InstallationCore) async {
        await self.end(turn)
        await self.releaseSlot(of: number, core)
    }

    /// Waits for the dispatcher's turn, before the machine is asked what to send: a caller who leaves meanwhile has sent nothing.
    ///
    /// It comes before the slot in a shared store, too: a slot that waits keeps the other replicas from calling.
    private func dispatchTurn(of number: Int, _ core: InstallationCore) async -> DispatchTurn {
        guard let route = core.store.read({ $0.identity.route(of: number) }) else { return .success(nil) }
        let (dispatcher, installation) = (self.context.dispatcher, self.installation)
        let limit = self.context.configuration.identity.requestTimeout
        let turn: Result<NetworkDispatcher.Turn, SignetError>
        if self.leases[number]?.isHeld == true {
            // A slot that was kept in a pause outlasts the wait, which is shorter than its span.
            _ = await self.takeSlot(of: number, core)
            turn = await self.untilLeft(number, else: .failure(.cancelled)) {
                await dispatcher.turn(route, of: installation, within: limit)
            }
        } else {
            turn = await dispatcher.turn(route, of: installation, within: limit)
        }
        // The runtime is cancelled here, not the caller.
        return turn.map { $0 }.mapError { $0.code == .cancelled ? .notRunning : $0 }
    }

    /// Takes the slot for a try that has a turn; one without a turn fails, and needs none.
    private func permission(for number: Int, _ core: InstallationCore, in turn: DispatchTurn) async -> SlotAnswer {
        guard case .failure = turn else { return await self.takeSlot(of: number, core) }
        do throws(SignetError) {
            // Another replica may have made the request unnecessary.
            try await core.refresh()
            return .held
        } catch {
            return .refused(error)
        }
    }

    private func send(_ number: Int, _ core: InstallationCore, in turn: DispatchTurn) async -> Pause? {
        // The caller has left while the call waited for the slot in a shared store: nothing must ask for it any more.
        guard core.store.read({ $0.identity.isUnderWay(number) }) else {
            await self.leave(turn, of: number, core)
            return nil
        }
        switch await self.permission(for: number, core, in: turn) {
        case .held: break
        case .again(let pause): return .slot(pause)
        case .refused(let error):
            await self.leave(turn, of: number, core)
            // The runtime is cancelled here, not the caller.
            self.refuse(number, Task.isCancelled && error.code == .cancelled ? .notRunning : error)
            return nil
        }
        let ended = Promise<Void>()
        self.traffic.withLock { $0.underWay = ended }
        defer {
            ended.resolve(())
            // Released, because a million installations may have ended their calls.
            self.traffic.withLock { if $0.underWay === ended { $0.underWay = nil } }
        }
        // Asked after `underWay` was set: either this finds that it was replaced, or the successor sees the request.
        guard let action = core.send({ $0.nextTry(number, now: $1) }) else {
            await self.leave(turn, of: number, core)
            self.stop(.closed)
            return nil
        }
        switch action {
        case .ignore:
            await self.leave(turn, of: number, core)
            return nil
        case .finish(let outcome, let next):
            await self.leave(turn, of: number, core)
            self.conclude(number, outcome)
            self.submit(next)
            return nil
        case .send(let plan):
            let answer = await self.attempt(plan, of: number, in: turn)
            if let pause = self.pause(after: answer, of: number) {
                // A call of Signet's own lets other replicas go first.
                if self.callers[number]?.whenBusy == nil { await self.releaseSlot(of: number, core) }
                self.submit(core.store.update { $0.identity.pause(number) })
                return .retry(pause)
            }
            await self.take(answer, of: number, core)
            return nil
        }
    }

    private func take(_ answer: IdentityAnswer, of number: Int, _ core: InstallationCore) async {
        var answer = answer
        // The runtime is cancelled here, not the caller.
        if Task.isCancelled, case .failed(let error) = answer, error.code == .cancelled {
            answer = .failed(.notRunning)
        }
        do throws(SignetError) {
            let lease = self.leases[number]
            guard let finish = try await core.take(answer, of: number, fencedBy: lease) else {
                return await self.releaseSlot(of: number, core)
            }
            if finish.isStateChanged { self.forgetSlot(of: number) } else { await self.releaseSlot(of: number, core) }
            self.conclude(number, finish.outcome)
            self.submit(finish.following == nil ? finish.next : core.store.update { $0.identity.settled(number) })
            if case .failed = finish.outcome { return }
            self.beginPushTokenCall()
        } catch {
            // Another object has replaced the installation's.
            self.stop(error)
        }
    }

    // MARK: - Trying again

    /// The pause before the next try; nil if there is none.
    private func pause(after answer: IdentityAnswer, of number: Int) -> Duration? {
        guard case .failed(let error) = answer, let caller = self.callers[number], let policy = caller.policy,
            var tries = caller.tries
        else { return nil }
        let pause = policy.delay(
            afterAttempt: tries.count,
            error: error,
            elapsed: self.context.time.uptime - tries.since,
            jitter: self.context.configuration.jitter()
        )
        tries.error = error
        self.note(tries, of: number)
        return pause
    }

    /// Ends a call that got no turn among the replicas.
    ///
    /// If the store is away, it fails with the error of its last try, if there was one: the platform may have had the request.
    private func refuse(_ number: Int, _ error: SignetError) {
        guard case .withdrawn(let next) = self.slot({ $0.withdraw(number) }) else { return }
        let last = error.isOutageOfStore ? self.callers[number]?.tries?.error : nil
        self.conclude(number, .failed(last ?? error))
        self.submit(next)
    }

    /// Ends a call whose pause was cancelled: with the error of its last try, if there was one.
    private func giveUp(_ number: Int) {
        guard case .withdrawn(let next) = self.slot({ $0.giveUpRepeating(number) }) else {
            return self.withdraw(number, with: .notRunning)
        }
        self.conclude(number, .failed(self.callers[number]?.tries?.error ?? .notRunning))
        self.submit(next)
    }

    /// Makes one try, with its own request id and time.
    private func attempt(_ plan: IdentityPlan, of number: Int, in turn: DispatchTurn) async -> IdentityAnswer {
        let now = self.context.time.uptime
        var tries = self.callers[number]?.tries ?? Tries(since: now)
        // The call lost its slot in a pause, and its total time was over before it got another.
        if let error = tries.error, let policy = self.callers[number]?.policy, now - tries.since > policy.totalTime {
            await self.end(turn)
            return .failed(error)
        }
        tries.count += 1
        self.note(tries, of: number)
        let given: NetworkDispatcher.Turn?
        switch turn {
        case .success(let turn): given = turn
        case .failure(let error): return .failed(error)
        }
        let result = await self.context.dispatcher.perform(
            plan.route,
            of: self.installation,
            body: plan.body(at: self.context.time.milliseconds, self.context.configuration),
            timeout: self.context.configuration.identity.requestTimeout,
            in: given,
            mayBegin: self.mayBegin(number)
        )
        switch result {
        case .success(let body): return plan.answer(body)
        case .failure(let error):
            if case .search = plan, error.code == .rejected, error.httpStatus == 404 { return .found(.notFound) }
            return .failed(error)
        }
    }

    /// Says if a request that has waited for its turn may still go out: with a shared store, the slot must last until its answer.
    private func mayBegin(_ number: Int) -> @Sendable () -> Bool {
        guard let lease = self.leases[number] else { return { true } }
        let time = self.context.time
        return { lease.maySend(at: time.uptime) }
    }
}
