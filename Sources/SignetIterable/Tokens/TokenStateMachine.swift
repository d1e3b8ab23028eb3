// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// Decides about the token of one user: the time to ask for one, the number of tries, and the callers that wait.
///
/// Times are those of the wall clock, in milliseconds since 1970, because `exp` is.
struct TokenStateMachine: Sendable {
    /// A future wake-up, identified by its number.
    struct Alarm: Sendable, Hashable {
        enum Purpose: Sendable, Hashable {
            /// The token will expire soon.
            case refresh
            /// The last try failed, but there is a token that can be used meanwhile.
            case retry
        }

        let number: Int
        let purpose: Purpose
    }

    /// The states.
    enum State: Sendable, Hashable {
        /// No token was requested yet. No caller waits.
        case empty
        /// There is a token. No caller waits.
        case held(HeldToken, Alarm?)
        /// The provider is asked, and callers wait. If it fails, the old token is used until it expires.
        case fetching(Int, old: HeldToken?)
        /// There is no token, and the provider will be asked after a pause. Callers wait.
        case retrying(Int)
        /// There is no token, and the largest number of tries has been made. No caller waits.
        case exhausted
        /// The provider is not asked. No caller waits.
        case paused(HeldToken?)
    }

    /// The answer of the provider.
    enum ProviderAnswer: Sendable, Hashable {
        case token(String)
        case failed(TokenFailure.Reason)
    }

    private(set) var state = State.empty
    /// The number of tries in a row without a token that the service accepts.
    private var failures = 0
    /// The number of tokens in a row that were fetched ahead of time and then not used.
    private var idleRefreshes = 0
    private var need = TokenReason.absent
    private var nextNumber = 0
    private let policy: TokenRetryPolicy
    private let lead: Int64

    /// Makes the machine of a user without a token.
    ///
    /// - Parameters:
    ///   - policy: The retries.
    ///   - lead: The time before its expiry at which a token is replaced.
    init(policy: TokenRetryPolicy, lead: Duration) {
        self.policy = policy
        // A hundred years: no token lives longer, and no sum overflows.
        self.lead = max(.zero, min(lead, .seconds(100 * 365 * 86_400))).milliseconds
    }

    /// The number of the work that the machine waits for; any other work is called off.
    var number: Int? {
        switch self.state {
        case .fetching(let number, _), .retrying(let number): number
        case .held(_, let alarm): alarm?.number
        case .empty, .exhausted, .paused: nil
        }
    }

    // MARK: - Requests

    /// Handles a request for the token.
    mutating func request(now: Int64) -> TokenAction {
        self.idleRefreshes = 0
        switch self.state {
        case .empty:
            return self.fetch(.absent)
        case .held(let held, let alarm):
            return self.request(held, alarm, now: now)
        case .fetching, .retrying:
            return TokenAction()
        case .exhausted:
            return TokenAction(answer: .refused(.exhausted))
        case .paused(let held?) where held.standing(at: now) != .expired:
            return TokenAction(answer: .token(held.text))
        case .paused:
            return TokenAction(answer: .refused(.paused))
        }
    }

    private mutating func request(_ held: HeldToken, _ alarm: Alarm?, now: Int64) -> TokenAction {
        switch (held.standing(at: now), alarm) {
        case (.fresh, nil):
            // The user was not current, or too many refreshes were unused.
            var action = self.hold(held, now: now)
            action.answer = .token(held.text)
            return action
        case (.expired, let alarm?) where alarm.purpose == .retry:
            self.state = .retrying(alarm.number)
            return TokenAction()
        case (.expired, _) where self.isAtLimit:
            return self.giveUp()
        case (.expired, _):
            return self.fetch(.expiring)
        case (.due, _) where alarm?.purpose != .retry && !self.isAtLimit:
            return self.fetch(.expiring, old: held)
        case (.due, _), (.fresh, _):
            return TokenAction(answer: .token(held.text))
        }
    }

    /// Handles a token that the service did not accept.
    ///
    /// Only the present token counts. Of several requests with it the first refusal is handled; a late refusal of an
    /// older token says nothing new.
    mutating func refused(_ text: Secret, _ reason: TokenFailure.Reason, now: Int64) -> TokenAction {
        switch self.state {
        case .held(let held, _) where held.text == text:
            self.need = .rejected
            // The first time the provider is asked at once.
            return self.fail(reason, text, using: nil, pauses: self.failures, now: now)
        case .fetching(let number, let old?) where old.text == text:
            self.failures += 1
            self.state = .fetching(number, old: nil)
            return TokenAction(report: TokenAction.Report(reason: reason, token: text, willTryAgain: true))
        case .paused(let held?) where held.text == text:
            self.state = .paused(nil)
            let report = TokenAction.Report(reason: reason, token: text, willTryAgain: false)
            return TokenAction(report: report, answer: .refused(.paused))
        default:
            return self.request(now: now)
        }
    }

    /// Handles a token that the service has accepted.
    ///
    /// Only the present token counts: a request that needs no token says nothing about it.
    mutating func succeeded(_ text: Secret) -> TokenAction {
        switch self.state {
        case .held(let held, _) where held.text == text:
            self.resetCounts()
            // The expiry is unreadable or our clock is wrong; only the acceptance matters.
            if held.expiry == nil { self.state = .held(held, nil) }
        case .fetching(_, let old?) where old.text == text:
            self.resetCounts()
        default:
            break
        }
        return TokenAction()
    }

    // MARK: - The provider and the clock

    /// Handles an answer or a timeout of the provider; an answer to an earlier question is ignored.
    mutating func answered(_ number: Int, _ answer: ProviderAnswer, now: Int64) -> TokenAction {
        guard case .fetching(number, let old) = self.state else { return TokenAction() }
        let usable = old.flatMap { $0.standing(at: now) == .expired ? nil : $0 }
        switch answer {
        case .token(""):
            return self.fail(.noToken, nil, using: usable, now: now)
        case .token(let text) where !HeldToken.isUsable(text):
            return self.fail(.formatInvalid, Secret(text), using: usable, now: now)
        case .token(let text):
            return self.take(Secret(text), expiry: HeldToken.expiry(of: text), now: now)
        case .failed(let reason):
            return self.fail(reason, nil, using: usable, now: now)
        }
    }

    private mutating func take(_ token: Secret, expiry: Int64?, now: Int64) -> TokenAction {
        guard let expiry, expiry > now else {
            // The token may still be good: our clock can be wrong, and the service may read what we cannot.
            return self.fail(expiry == nil ? .payloadInvalid : .expired, token, using: HeldToken(text: token), now: now)
        }
        // A token with a short life would be refreshed at once, and again: it is used until its end.
        let refresh = expiry - self.lead
        let held = HeldToken(text: token, expiry: expiry, refresh: refresh > now ? refresh : nil)
        var action = self.hold(held, now: now)
        action.answer = .token(token)
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
            guard self.idleRefreshes < self.policy.maximumAttempts else {
                self.state = .held(held, nil)
                return TokenAction()
            }
            self.idleRefreshes += 1
            return self.fetch(.expiring, old: held)
        case .retrying(number):
            return self.fetch()
        default:
            return TokenAction()
        }
    }

    // MARK: - The app

    /// Sets a token, or removes it; both begin anew.
    ///
    /// - Parameters:
    ///   - text: The token, checked; nil to remove it.
    ///   - now: The wall clock.
    /// - Returns: The action. Waiting callers get an answer, or wait for a token that has not expired.
    mutating func set(_ text: String?, now: Int64) -> TokenAction {
        self.resetCounts()
        self.need = .absent
        guard let text else {
            self.state = .empty
            return TokenAction(answer: .refused(.forgotten))
        }
        let token = Secret(text)
        guard let expiry = HeldToken.expiry(of: text) else {
            return self.fail(.payloadInvalid, token, using: HeldToken(text: token), now: now)
        }
        let mayBeAwaited =
            switch self.state {
            case .fetching, .retrying: true
            case .empty, .held, .exhausted, .paused: false
            }
        // An old token is replaced before it is used, at once if callers wait.
        let held = HeldToken(text: token, expiry: expiry, refresh: expiry - self.lead)
        var action = self.hold(held, now: now)
        guard mayBeAwaited else { return action }
        guard held.standing(at: now) == .fresh else { return self.request(now: now) }
        action.answer = .token(token)
        return action
    }

    /// Stops further tries; waiting callers get the same answer as new ones.
    mutating func pause(now: Int64) -> TokenAction {
        self.resetCounts()
        switch self.state {
        case .empty, .exhausted:
            self.state = .paused(nil)
        case .held(let held, _):
            self.state = .paused(held)
        case .fetching(_, let old):
            self.state = .paused(old)
            return self.request(now: now)
        case .retrying:
            self.state = .paused(nil)
            return self.request(now: now)
        case .paused:
            break
        }
        return TokenAction()
    }

    /// Allows tries again with a new count; the next one is made when a token is needed.
    mutating func resume(now: Int64) -> TokenAction {
        self.resetCounts()
        switch self.state {
        case .paused(nil), .exhausted: self.state = .empty
        case .paused(let held?): return self.hold(held, now: now)
        case .empty, .held, .fetching, .retrying: break
        }
        return TokenAction()
    }

    /// Handles the change to another user, when no caller waits for this one's token.
    mutating func leave() -> TokenAction {
        switch self.state {
        case .held(let held, _), .fetching(_, let held?): self.state = .held(held, nil)
        case .fetching, .retrying: self.state = .empty
        case .empty, .exhausted, .paused: break
        }
        return TokenAction()
    }

    // MARK: - Steps

    private var isAtLimit: Bool {
        self.failures >= self.policy.maximumAttempts
    }

    private mutating func resetCounts() {
        self.failures = 0
        self.idleRefreshes = 0
    }

    /// Asks the provider, for a new reason or that of the previous try.
    private mutating func fetch(_ reason: TokenReason? = nil, old: HeldToken? = nil) -> TokenAction {
        if let reason { self.need = reason }
        let number = self.makeNumber()
        self.state = .fetching(number, old: old)
        return TokenAction(work: .fetch(number, self.need))
    }

    // Counts and reports a failure; a usable token is the answer meanwhile. `pauses` is the number of pauses in a row, this one
    // included: 0 to ask again at once, nil for one of each failure.
    private mutating func fail(
        _ reason: TokenFailure.Reason,
        _ token: Secret?,
        using held: HeldToken?,
        pauses: Int? = nil,
        now: Int64
    ) -> TokenAction {
        self.failures += 1
        let willTryAgain = !self.isAtLimit
        var action =
            switch (held, pauses ?? self.failures) {
            case (let held?, _) where !willTryAgain: self.hold(held, now: now)
            case (nil, _) where !willTryAgain: self.giveUp()
            case (_, 0): self.fetch()
            case (let held, let pauses): self.retry(after: self.policy.pause(after: pauses), using: held)
            }
        if let held { action.answer = .token(held.text) }
        action.report = TokenAction.Report(reason: reason, token: token, willTryAgain: willTryAgain)
        return action
    }

    private mutating func giveUp() -> TokenAction {
        self.state = .exhausted
        return TokenAction(answer: .refused(.exhausted))
    }

    private mutating func retry(after pause: Duration, using held: HeldToken?) -> TokenAction {
        let number = self.makeNumber()
        self.state = held.map { .held($0, Alarm(number: number, purpose: .retry)) } ?? .retrying(number)
        return TokenAction(work: .wakeUp(number, after: pause))
    }

    /// Keeps a token, and wakes up before its expiry if there is still time until then.
    private mutating func hold(_ held: HeldToken, now: Int64) -> TokenAction {
        guard !self.isAtLimit, let refresh = held.refresh, refresh > now else {
            self.state = .held(held, nil)
            return TokenAction()
        }
        let number = self.makeNumber()
        self.state = .held(held, Alarm(number: number, purpose: .refresh))
        return TokenAction(work: .wakeUp(number, after: .milliseconds(refresh - now)))
    }

    private mutating func makeNumber() -> Int {
        defer { self.nextNumber += 1 }
        return self.nextNumber
    }
}

/// The actions on a user's token, in the order of the members.
struct TokenAction: Sendable, Hashable {
    /// Work that takes time; each user has at most one, that of the machine's number.
    enum Work: Sendable, Hashable {
        /// Ask the provider.
        case fetch(Int, TokenReason)
        /// Wake the machine later.
        case wakeUp(Int, after: Duration)
    }

    /// The answer to waiting callers.
    enum Answer: Sendable, Hashable {
        case token(Secret)
        case refused(Obstacle)
    }

    /// The reason that there is no token.
    enum Obstacle: Error, Sendable, Hashable {
        /// The largest number of tries has been made.
        case exhausted
        /// The app has paused the tries.
        case paused
        /// The app has taken the token back.
        case forgotten
    }

    /// The report to the app.
    struct Report: Sendable, Hashable {
        let reason: TokenFailure.Reason
        let token: Secret?
        let willTryAgain: Bool
    }

    var report: Report?
    var work: Work?
    /// Nil: new callers wait, with those that wait already.
    var answer: Answer?
}
