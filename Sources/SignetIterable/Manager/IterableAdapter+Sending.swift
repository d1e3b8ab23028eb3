// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

extension IterableAdapter {
    func prepareToSend(_ driver: isolated Driver) -> Bool {
        do throws(SignetError) {
            try self.takeOptOut(driver)
        } catch {
            driver.reportNotSaved(error)
        }
        guard driver.state.refused.contains(.optOut) else { return true }
        // Tried again with the next call, or by the runner of due work.
        self.context.workIsLeft(self.store.number)
        return false
    }

    /// Releases the installation: the driver is retired, the runtime ends, or nothing may be sent.
    func end(_ driver: isolated Driver) {
        driver.state.watch = nil
    }

    /// Asks the app for no more tokens.
    func stop(_ driver: isolated Driver) async {
        driver.state.watch = nil
        await self.tokens.stop(.notRunning)
    }

    func answer(to operation: Machine.Operation, _ driver: isolated Driver) async -> Machine.Answer {
        if case .match = operation { return self.match(driver) }
        if case .task(.awaitToken, let turn) = operation {
            switch await self.token(for: turn.id.wire, driver) {
            case .success: return .done
            case .failure(let error): return Machine.Answer(withoutToken: error)
            }
        }
        if case .task(.announce, let turn) = operation {
            let userID = turn.id.text
            let answer = await self.answer(orElse: Machine.Answer.failed(.appNotAwaited), driver) {
                await self.announce(userID)
            }
            return answer ?? .failed(.notRunning)
        }
        let request = self.requests.request(
            for: operation,
            driver.machine.memory,
            update: driver.machine.update(for: operation),
            now: self.context.time.milliseconds
        )
        guard let request else { return .done }
        var token: String?
        if let user = request.user, operation.wantsToken {
            switch await self.token(for: user, driver) {
            case .success(let given): token = given
            case .failure(let error): return Machine.Answer(withoutToken: error)
            }
        }
        var reply = await self.services.sender.send(request.route, request.body, token: token)
        if let user = request.user, case .success(let first) = reply,
            case .tokenRefused(let fault, let said) = first.verdict
        {
            // The request is repeated once; a second refusal waits.
            switch await self.token(for: user, after: (token, fault), driver) {
            case .success(let given): token = given
            case .failure(let error): return Machine.Answer(withoutToken: error)
            }
            guard token != nil else {
                return Machine.Answer(
                    withoutToken: SignetError(
                        .unauthorized,
                        "Iterable refused the token.",
                        httpStatus: 401,
                        errors: [said]
                    )
                )
            }
            reply = await self.services.sender.send(request.route, request.body, token: token)
        }
        return await self.judge(reply, request, token)
    }

    /// Lets the app know an unknown user before it is asked for their token.
    private func announce(_ userID: String) async -> Machine.Answer {
        let configuration = self.services.configuration
        guard let tell = configuration.onUnknownUserCreated else { return .done }
        let limit = configuration.tokens?.timeout ?? .seconds(30)
        let failure = await withTimeLimit(limit, on: self.context.time) { () -> Result<Void, any Error>? in
            await AbandonableCall.value { () -> Result<Void, any Error> in
                do {
                    return .success(try await tell(userID))
                } catch {
                    return .failure(error)
                }
            }
        }
        switch failure {
        case .success: return .done
        case .failure(let error):
            return .failed(
                SignetError(
                    .tokenUnavailable,
                    "`onUnknownUserCreated` threw an error. It is called again.",
                    cause: error
                )
            )
        case nil:
            return .failed(
                SignetError(.tokenUnavailable, "`onUnknownUserCreated` took longer than \(limit). It is called again.")
            )
        }
    }

    /// Matches the records again, and begins an activation if a criterion matches.
    private func match(_ driver: isolated Driver) -> Machine.Answer {
        do throws(SignetError) {
            try self.matchAll(driver)
            return .done
        } catch {
            driver.reportNotSaved(error)
            return .failed(error)
        }
    }

    private func judge(
        _ reply: Result<IterableSender.Reply, SignetError>,
        _ request: IterableRequests.Request,
        _ token: String?
    ) async -> Machine.Answer {
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
            case .unexplained: return .unexplained(error)
            default: return .failed(error)
            }
        }
    }
}

extension IterableStateMachine.Operation {
    /// True if the operation waits for the user's token.
    fileprivate var wantsToken: Bool {
        switch self {
        case .match, .activate: false
        case .task(let task, _): task.needsToken
        case .send: true
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
        case .match, .task, .send: return nil
        }
        return self.records.first { $0.ordinal >= from && $0.record.kind == .userUpdate }?.record.dataFields
    }
}
