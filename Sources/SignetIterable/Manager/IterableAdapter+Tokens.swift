// SPDX-License-Identifier: Apache-2.0

import Signet

/// The token for a request, nil for none in a project that needs none; or the reason that there is none.
typealias TokenOutcome = Result<String?, SignetError>

extension IterableAdapter {
    /// Returns the token for a request, and waits for the app unless that would hold up others.
    ///
    /// - Parameters:
    ///   - user: The user of the request.
    ///   - refused: The token that the service has refused, and why; nil for a first try.
    ///   - driver: The driver of the installation.
    /// - Returns: The outcome.
    func token(
        for user: IterableIdentity,
        after refused: (token: String?, reason: TokenFailure.Reason)? = nil,
        _ driver: isolated Driver
    ) async -> TokenOutcome {
        let tokens = self.tokens
        if driver.machine.pausesTokens(of: user) { await tokens.pause(for: user) }
        let known =
            if let refused {
                await tokens.outcome(after: refused.token, refused.reason, for: user)
            } else {
                await tokens.outcome(for: user)
            }
        if let known { return known }
        let outcome = await self.answer(orElse: TokenOutcome.failure(.appNotAwaited), driver) {
            do throws(SignetError) {
                return .success(try await tokens.token(for: user))
            } catch {
                return .failure(error)
            }
        }
        return outcome ?? .failure(.notRunning)
    }

    /// Waits for an answer of the app about a user, unless that would hold up others.
    ///
    /// - Parameters:
    ///   - needless: The value without a wait.
    ///   - driver: The driver of the installation.
    ///   - ask: Asks the app. It goes on if the wait ends before.
    /// - Returns: The answer; nil at the end of the runtime.
    func answer<Value: Sendable>(
        orElse needless: Value,
        _ driver: isolated Driver,
        _ ask: @escaping @Sendable () async -> Value
    ) async -> Value? {
        // Another user may have come since the operation began. Nothing suspends between this and the note of the wait.
        guard !driver.machine.isWaitNeedless else { return needless }
        let wait = Promise<Value>()
        driver.state.endWait = { wait.resolve(needless) }
        defer { driver.state.endWait = nil }
        guard self.context.jobs.submit({ wait.resolve(await ask()) }) else { return nil }
        return await wait.value()
    }
}

extension IterableStateMachine.Answer {
    /// The answer to an operation for which there was no token.
    init(withoutToken error: SignetError) {
        self = error.isTokenGivenUp ? .tokenGivenUp(error) : .noToken(error)
    }
}

extension SignetError {
    /// The wait for the app would have held up others.
    static let appNotAwaited = SignetError(
        .tokenUnavailable,
        "The user has left while an answer of the app was awaited. The app is asked again after the work of others."
    )

    /// True if the app is not asked for a token of the user again.
    fileprivate var isTokenGivenUp: Bool {
        if case .exhausted? = self.cause as? TokenAction.Obstacle { return true }
        return self.code == .unauthorized
    }
}
