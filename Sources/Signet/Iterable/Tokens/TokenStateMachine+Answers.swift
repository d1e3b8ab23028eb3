//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

// What comes from elsewhere than requests: the provider, the clock, the app.
extension TokenStateMachine {
    /// What the provider said.
    enum ProviderAnswer: Sendable, Hashable {
        case token(String)
        case failed(TokenFailure.Reason)
    }

    /// The provider has answered, or has not in time; an answer to an earlier question is ignored.
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
            // A short life would be refreshed at once, and again: such a token is used until its end.
            let refresh = self.refresh(before: expiry)
            action = self.hold(HeldToken(text: token, expiry: expiry, refresh: refresh > now ? refresh : nil), now: now)
        } else {
            // It may be good all the same: our clock can be wrong, and what we cannot read the service perhaps can.
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

    /// A wake-up is due; one that was called off is ignored.
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

    /// The app gives a token by hand, or takes it back; a new beginning either way.
    ///
    /// - Parameters:
    ///   - text: Checked; nil to take it back.
    ///   - now: The wall clock.
    /// - Returns: What is to be done; who waits is answered, or waits for a token that is not over.
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
        // It may be an old one: then it is replaced before it is used, for those who wait at once.
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

    /// The app wants no further tries.
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
            // Those who wait are told as those who come now.
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

    /// The app wants tries again; they are counted anew, and the next one is made when a token is needed.
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

    /// Another user has become the current one, and nobody waits for the token of this one.
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
