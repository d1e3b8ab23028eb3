// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

// Events other than requests: the provider, the clock, the app.
extension TokenStateMachine {
    /// The answer of the provider.
    enum ProviderAnswer: Sendable, Hashable {
        case token(String)
        case failed(TokenFailure.Reason)
    }

    /// Handles an answer or a timeout of the provider; an answer to an earlier question is ignored.
    mutating func answered(_ number: Int, _ answer: ProviderAnswer, now: Int64) -> TokenAction {
        guard case .fetching(number, let old) = self.state else { return TokenAction() }
        switch answer {
        case .token(""):
            return self.failed(.noToken, token: nil, old: old, now: now)
        case .token(let text) where !HeldToken.isUsable(text):
            return self.failed(.formatInvalid, token: Secret(text), old: old, now: now)
        case .token(let text):
            return self.take(text, now: now)
        case .failed(let reason):
            return self.failed(reason, token: nil, old: old, now: now)
        }
    }

    private mutating func take(_ text: String, now: Int64) -> TokenAction {
        let token = Secret(text)
        var action: TokenAction
        if let expiry = HeldToken.expiry(of: text), expiry > now {
            // A token with a short life would be refreshed at once, and again: it is used until its end.
            let refresh = self.refresh(before: expiry)
            action = self.hold(HeldToken(text: token, expiry: expiry, refresh: refresh > now ? refresh : nil), now: now)
        } else {
            // The token may still be good: our clock can be wrong, and the service may read what we cannot.
            action = self.doubt(token, HeldToken.expiry(of: text) == nil ? .payloadInvalid : .expired, now: now)
        }
        action.answer = .token(token)
        return action
    }

    private mutating func doubt(_ token: Secret, _ reason: TokenFailure.Reason, now: Int64) -> TokenAction {
        self.countFailure()
        let held = HeldToken(text: token)
        let isTriedAgain = !self.isAtLimit
        var action =
            isTriedAgain ? self.retry(afterFailures: self.failures, using: held) : self.hold(held, now: now)
        action.report = TokenAction.Report(reason: reason, token: token, willTryAgain: isTriedAgain)
        return action
    }

    private mutating func failed(
        _ reason: TokenFailure.Reason,
        token: Secret?,
        old: HeldToken?,
        now: Int64
    ) -> TokenAction {
        self.countFailure()
        let isTriedAgain = !self.isAtLimit
        var action: TokenAction
        if let old, old.standing(at: now) != .expired {
            action = isTriedAgain ? self.retry(afterFailures: self.failures, using: old) : self.hold(old, now: now)
            action.answer = .token(old.text)
        } else if isTriedAgain {
            action = self.retry(afterFailures: self.failures)
        } else {
            self.move(to: .exhausted)
            action = TokenAction(cancelsWork: true, answer: .refused(.exhausted))
        }
        action.report = TokenAction.Report(reason: reason, token: token, willTryAgain: isTriedAgain)
        return action
    }

    /// Handles a wake-up; one that was called off is ignored.
    mutating func woke(_ number: Int, now: Int64) -> TokenAction {
        switch self.state {
        case .held(let held, Alarm(number: number, purpose: .retry)):
            return self.fetch(old: held)
        case .held(let held, Alarm(number: number, purpose: .refresh)):
            // The wall clock was set back meanwhile.
            guard held.standing(at: now) != .fresh else { return self.hold(held, now: now) }
            guard !self.areRefreshesAtLimit else {
                self.move(to: .held(held, nil))
                return TokenAction(cancelsWork: true)
            }
            self.countIdleRefresh()
            return self.fetch(.expiring, old: held)
        case .retrying(number):
            return self.fetch()
        default:
            return TokenAction()
        }
    }

    /// Sets a token, or removes it; both begin anew.
    ///
    /// - Parameters:
    ///   - text: The token, checked; nil to remove it.
    ///   - now: The wall clock.
    /// - Returns: The action. Waiting callers get an answer, or wait for a token that has not expired.
    mutating func set(_ text: String?, now: Int64) -> TokenAction {
        self.resetCounts()
        self.forgetNeed()
        guard let text else {
            self.move(to: .empty)
            return TokenAction(cancelsWork: true, answer: .refused(.forgotten))
        }
        let token = Secret(text)
        guard let expiry = HeldToken.expiry(of: text) else {
            var action = self.doubt(token, .payloadInvalid, now: now)
            action.answer = .token(token)
            return action
        }
        // An old token is replaced before it is used, at once if callers wait.
        let held = HeldToken(text: token, expiry: expiry, refresh: self.refresh(before: expiry))
        let mayBeAwaited =
            switch self.state {
            case .fetching, .retrying: true
            case .empty, .held, .exhausted, .paused: false
            }
        let action = self.hold(held, now: now)
        guard mayBeAwaited else { return action }
        var next = held.standing(at: now) == .fresh ? action : self.request(now: now)
        if held.standing(at: now) == .fresh { next.answer = .token(token) }
        return next
    }

    /// Stops further tries.
    mutating func pause(now: Int64) -> TokenAction {
        self.resetCounts()
        switch self.state {
        case .empty, .exhausted:
            self.move(to: .paused(nil))
            return TokenAction()
        case .held(let held, _):
            self.move(to: .paused(held))
            return TokenAction(cancelsWork: true)
        case .fetching(_, let old):
            self.move(to: .paused(old))
            // Waiting callers get the same answer as new ones.
            var action = self.request(now: now)
            action.cancelsWork = true
            return action
        case .retrying:
            self.move(to: .paused(nil))
            return TokenAction(cancelsWork: true, answer: .refused(.paused))
        case .paused:
            return TokenAction()
        }
    }

    /// Allows tries again with a new count; the next one is made when a token is needed.
    mutating func resume(now: Int64) -> TokenAction {
        self.resetCounts()
        switch self.state {
        case .paused(nil), .exhausted:
            self.move(to: .empty)
        case .paused(let held?):
            return self.hold(held, now: now)
        case .empty, .held, .fetching, .retrying:
            break
        }
        return TokenAction()
    }

    /// Handles the change to another user, when no caller waits for this one's token.
    mutating func leave() -> TokenAction {
        switch self.state {
        case .held(let held, _):
            self.move(to: .held(held, nil))
        case .fetching(_, let old):
            self.move(to: old.map { .held($0, nil) } ?? .empty)
        case .retrying:
            self.move(to: .empty)
        case .empty, .exhausted, .paused:
            return TokenAction()
        }
        return TokenAction(cancelsWork: true)
    }
}
