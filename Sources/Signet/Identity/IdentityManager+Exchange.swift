// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

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
    func exchange(_ number: Int, _ home: any IdentityHome) async {
        // The call was withdrawn since it was handed in, and the slot is free or another call has it.
        guard self.machine.isReserved(number) else { return }
        // One request at a time per installation, even if it was closed and opened again meanwhile.
        if let predecessor = self.predecessor {
            _ = await predecessor.value()
            self.predecessor = nil
            guard self.machine.isReserved(number) else { return }
        }
        var pause = await self.send(number, home) { $0.startSending(number, now: $1) }
        while let delay = pause {
            // Cancelled in the pause: the runtime ends, and the caller gets the last error.
            do { try await self.services.time.sleep(for: delay) } catch { return self.giveUpRepeating(number) }
            pause = await self.send(number, home) { $0.resume(number, now: $1) }
        }
    }

    /// Makes one try and applies its answer.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - home: The home that commits decisions.
    ///   - ask: Asks the machine for the action.
    /// - Returns: The pause before the next try; nil if there is none, or another job will make it.
    private func send(
        _ number: Int,
        _ home: any IdentityHome,
        asking ask: (inout IdentityStateMachine, Int64) -> IdentityStateMachine.SendAction
    ) async -> Duration? {
        let ended = Promise<Void>()
        self.traffic.withLock { $0.underWay = ended }
        defer {
            ended.resolve(())
            // Released, because a million installations may have ended their calls.
            self.traffic.withLock { if $0.underWay === ended { $0.underWay = nil } }
        }
        // Checked after `underWay` was set: either this sees that it was replaced, or the successor sees the request.
        guard !home.isRetired else {
            self.stop(.closed)
            return nil
        }
        let before = self.machine.state
        switch ask(&self.machine, self.services.time.milliseconds) {
        case .ignore:
            return nil
        case .finish(let outcome, let next):
            self.conclude(number, self.saved(outcome, orRestore: before))
            self.submit(next)
            return nil
        case .send(let plan):
            let answer = await self.attempt(plan, of: number)
            if let pause = self.pause(after: answer, of: number) {
                self.submit(self.machine.pause(number))
                return pause
            }
            await self.take(answer, of: number, home)
            return nil
        }
    }

    private func take(_ answer: IdentityAnswer, of number: Int, _ home: any IdentityHome) async {
        var answer = answer
        // The runtime is cancelled here, not the caller.
        if Task.isCancelled, case .failed(let error) = answer, error.code == .cancelled {
            answer = .failed(.notRunning)
        }
        let now = self.services.time.milliseconds
        guard let finish = self.machine.finish(number, with: answer, now: now, settles: true) else { return }
        // False only if another object has replaced this one: then the answer is lost, as in a crash.
        let isTaken =
            !finish.isStateChanged
            || home.commit(
                self.machine.state,
                change: finish.change,
                firstUser: finish.firstUser,
                updates: finish.updates
            )
        // The outcome of the call is the platform's alone.
        if isTaken, finish.change != nil { await home.syncIdentity() }
        self.conclude(number, isTaken ? finish.outcome : .failed(.closed))
        self.submit(finish.change == nil ? finish.next : self.machine.settled(number))
        self.sendPushTokenIfNeeded(after: finish.outcome)
    }

    /// Saves the device identities if a modify that needed no request has changed them.
    func saved(_ outcome: IdentityOutcome, orRestore before: IdentityState) -> IdentityOutcome {
        guard self.machine.state.devices != before.devices else { return outcome }
        do throws(SignetError) {
            try self.save(orRestore: before)
        } catch {
            return .failed(error)
        }
        return outcome
    }

    // MARK: - Trying again

    /// The pause before the next try; nil if there is none.
    private func pause(after answer: IdentityAnswer, of number: Int) -> Duration? {
        guard case .failed(let error) = answer, let caller = self.callers[number], let policy = caller.policy,
            let tries = caller.tries
        else { return nil }
        let pause = policy.delay(
            afterAttempt: tries.count,
            error: error,
            elapsed: self.services.time.uptime - tries.since,
            jitter: self.services.jitter()
        )
        self.callers[number]?.tries?.error = error
        return pause
    }

    private func giveUpRepeating(_ number: Int) {
        guard case .withdrawn(let next) = self.machine.giveUpRepeating(number) else { return }
        self.conclude(number, .failed(self.callers[number]?.tries?.error ?? .notRunning))
        self.submit(next)
    }

    /// Makes one try, with its own request id and time.
    private func attempt(_ plan: IdentityPlan, of number: Int) async -> IdentityAnswer {
        let now = self.services.time.uptime
        var tries = self.callers[number]?.tries ?? Tries(since: now)
        // The call lost its slot in a pause, and its total time was over before it got another.
        if let error = tries.error, let policy = self.callers[number]?.policy, now - tries.since > policy.totalTime {
            return .failed(error)
        }
        tries.count += 1
        self.callers[number]?.tries = tries
        let result = await self.services.dispatcher.perform(
            plan.route,
            of: self.installation,
            body: self.body(of: plan),
            timeout: self.services.requestTimeout
        )
        switch result {
        case .success(let body): return self.read(body, of: plan)
        case .failure(let error):
            if case .search = plan, error.code == .rejected, error.httpStatus == 404 { return .found(.notFound) }
            return .failed(error)
        }
    }

    private func body(of plan: IdentityPlan) -> [UInt8] {
        let now = self.services.time.milliseconds
        switch plan {
        case .transition(_, let known, let previous, let context, _):
            return self.identityBody(known, previous: previous, context: context, now: now)
        case .search(let known):
            return self.identityBody(known, previous: nil, context: nil, now: now)
        case .modify(_, let changes, _):
            return ModifyBody(
                environment: self.services.environment,
                requestID: UUID(),
                milliseconds: now,
                changes: changes,
                client: self.services.client
            ).encoded()
        }
    }

    private func identityBody(
        _ known: [IdentityType: String],
        previous: MPID?,
        context: String?,
        now: Int64
    ) -> [UInt8] {
        IdentityBody(
            environment: self.services.environment,
            requestID: UUID(),
            milliseconds: now,
            previousMPID: previous,
            context: context,
            knownIdentities: known,
            client: self.services.client
        ).encoded()
    }

    private func read(_ body: [UInt8], of plan: IdentityPlan) -> IdentityAnswer {
        do throws(WireError) {
            switch plan {
            case .transition:
                return .user(try IdentityReply(body))
            case .modify:
                return .modified(try ModifyReply(body))
            case .search:
                let reply = try IdentityReply(body)
                let match = SearchResult.Match(
                    mpid: reply.mpid,
                    isLoggedIn: reply.isLoggedIn,
                    matchedIdentities: reply.matchedIdentities
                )
                return .found(.found(match))
            }
        } catch {
            return .failed(SignetError(.unexpectedAnswer, error.message, cause: error))
        }
    }
}
