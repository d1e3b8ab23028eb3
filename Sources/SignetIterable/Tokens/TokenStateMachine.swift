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

    private(set) var state = State.empty
    /// The number of tries in a row without a token that the service accepts.
    private(set) var failures = 0
    /// The number of tokens in a row that were fetched ahead of time and then not used.
    private(set) var idleRefreshes = 0
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

    // MARK: - Requests

    /// Handles a request for the token.
    mutating func request(now: Int64) -> TokenAction {
        self.idleRefreshes = 0
        switch self.state {
        case .empty:
            self.need = .absent
            return self.fetch()
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
        let isRetried = alarm?.purpose == .retry
        switch held.standing(at: now) {
        case .fresh:
            // No alarm: the user was not current, or too many refreshes were unused.
            var action = alarm == nil ? self.hold(held, now: now) : TokenAction()
            action.answer = .token(held.text)
            return action
        case .due where isRetried || self.isAtLimit:
            return TokenAction(answer: .token(held.text))
        case .due:
            self.need = .expiring
            return self.fetch(old: held)
        case .expired where isRetried:
            if let alarm { self.state = .retrying(alarm.number) }
            return TokenAction()
        case .expired where self.isAtLimit:
            self.state = .exhausted
            return TokenAction(cancelsWork: true, answer: .refused(.exhausted))
        case .expired:
            self.need = .expiring
            return self.fetch()
        }
    }

    /// Handles a token that the service did not accept.
    ///
    /// Only the present token counts. Of several requests with it the first refusal is handled; a late refusal of an
    /// older token says nothing new.
    mutating func refused(_ text: Secret, _ reason: TokenFailure.Reason, now: Int64) -> TokenAction {
        switch self.state {
        case .held(let held, _) where held.text == text:
            self.failures += 1
            self.need = .rejected
            var action: TokenAction
            if self.isAtLimit {
                self.state = .exhausted
                action = TokenAction(cancelsWork: true, answer: .refused(.exhausted))
            } else if self.failures == 1 {
                action = self.fetch()
            } else {
                action = self.retry(afterFailures: self.failures - 1)
            }
            action.report = TokenAction.Report(reason: reason, token: text, willTryAgain: self.state != .exhausted)
            return action
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
        case .held(let held, let alarm) where held.text == text:
            self.resetCounts()
            // The expiry is unreadable or our clock is wrong; only the acceptance matters.
            guard held.expiry == nil, alarm != nil else { return TokenAction() }
            self.state = .held(held, nil)
            return TokenAction(cancelsWork: true)
        case .fetching(_, let old?) where old.text == text:
            self.resetCounts()
        default:
            break
        }
        return TokenAction()
    }

    // MARK: - Steps, for this and the other file of the machine

    var isAtLimit: Bool {
        self.failures >= self.policy.maximumAttempts
    }

    var areRefreshesAtLimit: Bool {
        self.idleRefreshes >= self.policy.maximumAttempts
    }

    mutating func resetCounts() {
        self.failures = 0
        self.idleRefreshes = 0
    }

    /// Makes the next try begin anew, without the reason of the last one.
    mutating func forgetNeed() {
        self.need = .absent
    }

    mutating func countFailure() {
        self.failures += 1
    }

    mutating func countIdleRefresh() {
        self.idleRefreshes += 1
    }

    mutating func move(to state: State) {
        self.state = state
    }

    /// Asks the provider, for a new reason or that of the previous try.
    mutating func fetch(_ reason: TokenReason? = nil, old: HeldToken? = nil) -> TokenAction {
        if let reason { self.need = reason }
        let number = self.makeNumber()
        self.state = .fetching(number, old: old)
        return TokenAction(cancelsWork: true, work: .fetch(number, self.need))
    }

    /// Asks the provider after a pause; a usable token is used meanwhile.
    mutating func retry(afterFailures failures: Int, using held: HeldToken? = nil) -> TokenAction {
        let number = self.makeNumber()
        if let held {
            self.state = .held(held, Alarm(number: number, purpose: .retry))
        } else {
            self.state = .retrying(number)
        }
        return TokenAction(cancelsWork: true, work: .wakeUp(number, after: self.policy.pause(after: failures)))
    }

    /// Keeps a token, and wakes up before its expiry if there is still time until then.
    mutating func hold(_ held: HeldToken, now: Int64) -> TokenAction {
        guard !self.isAtLimit, let refresh = held.refresh, refresh > now else {
            self.state = .held(held, nil)
            return TokenAction(cancelsWork: true)
        }
        let number = self.makeNumber()
        self.state = .held(held, Alarm(number: number, purpose: .refresh))
        return TokenAction(cancelsWork: true, work: .wakeUp(number, after: .milliseconds(refresh - now)))
    }

    /// The time to replace a token with this expiry.
    func refresh(before expiry: Int64) -> Int64 {
        expiry - self.lead
    }

    private mutating func makeNumber() -> Int {
        defer { self.nextNumber += 1 }
        return self.nextNumber
    }
}
