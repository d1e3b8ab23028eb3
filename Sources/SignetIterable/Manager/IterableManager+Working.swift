// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

extension IterableManager {
    /// Starts the pending work inside `run()`.
    func work() {
        guard !self.isWorking else { return self.wakeup.signal() }
        guard self.machine.hasWork else { return self.settled() }
        // The job keeps the manager in memory until everything has been answered.
        self.isWorking = self.services.jobs.submit { await self.run() }
        if !self.isWorking { self.settled() }
    }

    private func run() async {
        while !Task.isCancelled, !self.snapshot.withLock({ $0.isRetired }) {
            do throws(SignetError) {
                try self.takeOptOut()
            } catch {
                self.reportNotSaved(error)
            }
            // Tried again with the next call.
            if self.isOptOutDue { break }
            switch self.machine.next(now: self.services.time.uptime) {
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
        // Retired, or at the end of the runtime: release the installation.
        self.watch = nil
        self.settled()
    }

    private func perform(_ number: Int, _ operation: IterableStateMachine.Operation) async {
        let answer = await self.answer(to: operation)
        // Cancelled: the runtime ends and the outcome is unknown; the next start asks again.
        guard !Task.isCancelled else { return self.machine.interrupt { _ in true } }
        if case .done = answer, case .send = operation {
            self.services.statistics.record { $0.iterableRecordsSent += 1 }
        }
        let now = self.services.time.uptime
        let actions = self.machine.finish(number, answer, now: now, jitter: self.services.jitter())
        switch answer {
        case .failed(let error), .noToken(let error):
            let delay = self.machine.pausedUntil.map { $0 - now } ?? .zero
            self.services.observer.servicePostponed(
                .iterable,
                installation: self.installation,
                until: delay,
                error: error
            )
        case .done, .conflict, .refused: break
        }
        await self.settle(actions)
    }

    /// Performs one operation.
    private func answer(to operation: IterableStateMachine.Operation) async -> IterableStateMachine.Answer {
        if case .task(.awaitToken, let turn) = operation {
            do throws(SignetError) {
                _ = try await self.tokens.token(for: turn.id.wire)
                return .done
            } catch {
                return .noToken(error)
            }
        }
        let request = self.requests.request(
            for: operation,
            self.machine.memory,
            update: self.machine.update(for: operation),
            now: self.services.time.milliseconds
        )
        guard let request else { return .done }
        var token: String?
        if let user = request.user, operation.wantsToken {
            do throws(SignetError) {
                token = try await self.tokens.token(for: user)
            } catch {
                return .noToken(error)
            }
        }
        var reply = await self.services.sender.send(request.route, request.body, token: token)
        if let user = request.user, case .success(let first) = reply,
            case .tokenRefused(let fault, let said) = first.verdict
        {
            do throws(SignetError) {
                // The request is repeated once; a second refusal waits.
                token = try await self.tokens.refused(token, fault, for: user)
            } catch {
                return .noToken(error)
            }
            guard token != nil else {
                return .noToken(
                    SignetError(.unauthorized, "Iterable refused the token.", httpStatus: 401, errors: [said])
                )
            }
            reply = await self.services.sender.send(request.route, request.body, token: token)
        }
        return await self.judge(reply, request, token)
    }

    private func judge(
        _ reply: Result<IterableSender.Reply, SignetError>,
        _ request: IterableRequests.Request,
        _ token: String?
    ) async -> IterableStateMachine.Answer {
        switch reply {
        case .failure(let error):
            return .failed(error)
        case .success(let reply):
            guard let error = SignetError(reply.verdict, of: request.route) else {
                if let user = request.user { await self.tokens.succeeded(with: token, for: user) }
                return .done
            }
            switch reply.verdict {
            case .conflict: return .conflict(error)
            case .refused: return .refused(error)
            default: return .failed(error)
            }
        }
    }

    // MARK: - Waiting

    /// Waits until there is no work, or none before the end of a pause.
    package func untilSettled() async {
        let isPaused = self.machine.pausedUntil.map { $0 > self.services.time.uptime } ?? false
        guard self.machine.hasWork, self.machine.underWay != nil || !isPaused else { return }
        let promise = Promise<Void>()
        self.settling.append(promise)
        _ = await promise.value()
    }

    /// Ends the manager: resumes all waiting callers, and asks the app for no more tokens.
    package func stop() async {
        self.watch = nil
        self.settled()
        await self.tokens.stop(.notRunning)
    }

    private func settled() {
        let waiting = self.settling
        self.settling = []
        for promise in waiting { promise.resolve(()) }
    }
}

extension IterableStateMachine.Operation {
    /// True if the operation waits for the user's token.
    ///
    /// A user who is only being made has none, and one who loses a push token may have left.
    fileprivate var wantsToken: Bool {
        switch self {
        case .activate, .task(.create, _), .task(.disable, _): false
        case .task, .send: true
        }
    }
}

extension IterableStateMachine {
    /// The visitor's own fields, for a new unknown user.
    func update(for operation: Operation) -> JSONObject? {
        let from: UInt64
        switch operation {
        case .activate: from = self.memory.first
        case .task(.create, let turn): from = turn.from
        case .task, .send: return nil
        }
        return self.records.first { $0.ordinal >= from && $0.record.kind == .userUpdate }?.record.dataFields
    }
}
