// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

// Tokens of the app, for the requests that take one.
extension InfobipAdapter {
    /// The token that was sent last, and the reason to ask for the next one.
    struct TokenState {
        /// Nil before the first answer, and after a rejected token; `.some(nil)` if the app has none to give.
        var held: Secret??
        var reason = TokenReason.absent
        /// The wait for an answer; a change of the person ends it.
        var asking: Promise<Result<Secret?, SignetError>>?
    }
}

extension LinkedServiceDriver where Adapter == InfobipAdapter {
    private nonisolated var services: InfobipServices { self.adapter.services }

    /// True if a request that takes a token can be sent without asking for one.
    var hasToken: Bool {
        guard self.services.configuration.tokens != nil else { return true }
        return self.heldToken != nil
    }

    private var heldToken: Secret?? {
        guard let held = self.state.tokens.held else { return nil }
        guard let token = held else { return .some(nil) }
        let now = self.services.context.time.milliseconds
        return token.withExposed { InfobipTokenFault.fault(in: $0, now: now) } == nil ? held : nil
    }

    /// Returns the token of a request: a new one, or the held one if the supplier may not be asked.
    func token(
        from provider: TokenProvider<InstallationID>,
        mayAsk: Bool
    ) async -> Result<Secret?, SignetError> {
        guard mayAsk else {
            return self.heldToken.map { .success($0) }
                ?? .failure(
                    SignetError(
                        .tokenUnavailable,
                        "There is no valid token, and none is asked for now, so nothing was sent."
                    )
                )
        }
        let (services, installation, reason) = (self.services, self.installation, self.state.tokens.reason)
        let promise = Promise<Result<Secret?, SignetError>>()
        self.state.tokens.asking = promise
        defer { self.state.tokens.asking = nil }
        let isAccepted = services.context.jobs.submit {
            promise.resolve(await Self.ask(provider, for: installation, reason, on: services.context.time))
        }
        guard isAccepted, let answer = await promise.value() else { return .failure(.notRunning) }
        self.state.tokens.held = nil
        if case .success(let token) = answer { self.state.tokens.held = .some(token) }
        return answer
    }

    /// Ends the wait for a token, because the person whose request it is for is about to leave.
    func endTokenWait() {
        self.state.tokens.asking?.resolve(
            .failure(
                SignetError(
                    .tokenUnavailable,
                    "The person of the installation was changed while a token was awaited, so nothing was sent."
                )
            )
        )
    }

    /// Remembers whether the service has rejected a token.
    func judgeToken(_ reply: Result<InfobipVerdict, SignetError>, _ route: InfobipRoute) {
        guard case .success(let verdict) = reply else { return }
        guard SignetError(verdict, of: route)?.code == .unauthorized else {
            self.state.tokens.reason = .absent
            return
        }
        self.state.tokens.held = nil
        self.state.tokens.reason = .rejected
    }

    /// Asks the app for a token; an unacceptable one is not sent.
    private static func ask(
        _ provider: TokenProvider<InstallationID>,
        for installation: InstallationID,
        _ reason: TokenReason,
        on time: TimeSource
    ) async -> Result<Secret?, SignetError> {
        let limit = provider.timeout
        let answer = await withTimeLimit(limit, on: time) {
            await AbandonableCall.value { await Self.answer(of: provider, for: installation, reason, on: time) }
        }
        return answer
            ?? .failure(
                SignetError(.tokenUnavailable, "The token provider gave no token within \(limit), so nothing was sent.")
            )
    }

    private static func answer(
        of provider: TokenProvider<InstallationID>,
        for installation: InstallationID,
        _ reason: TokenReason,
        on time: TimeSource
    ) async -> Result<Secret?, SignetError> {
        do {
            guard let token = try await provider.body(installation, reason) else { return .success(nil) }
            let now = time.milliseconds
            guard let fault = token.withExposed({ InfobipTokenFault.fault(in: $0, now: now) }) else {
                return .success(token)
            }
            let said = PlatformError(code: fault.code, message: fault.rawValue)
            return .failure(
                SignetError(.tokenUnavailable, "\(fault.rawValue) Nothing was sent.", errors: [said], cause: fault)
            )
        } catch {
            return .failure(
                SignetError(.tokenUnavailable, "The token provider threw an error, so nothing was sent.", cause: error)
            )
        }
    }
}
