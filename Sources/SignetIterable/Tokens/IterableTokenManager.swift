// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.Date

/// Provides tokens for the requests of one installation's visitor.
///
/// Each user has a machine, so that a token is never used for another user. Asking and waiting are jobs of `run()`: a
/// caller who leaves does not lose the answer for the others. Without a provider, tokens that the app sets are returned
/// as they are.
actor IterableTokenManager {
    // Requests of two users can alternate for a while: keeping both avoids asking for each one again.
    private static let handlersKept = 2

    private let provider: TokenProvider<IterableUserID>?
    private let policy: TokenRetryPolicy
    private let lead: Duration
    private let time: TimeSource
    private let jobs: WorkQueue
    private let onFailure: @Sendable (TokenFailure) -> Void
    private(set) var handlers: [IterableIdentity: TokenCacheEntry] = [:]
    /// The tokens that the app has set, used without a provider.
    private var given: [IterableIdentity: Secret] = [:]
    private var nextID = 0
    /// The error of all calls after the end.
    private var end: SignetError?

    /// Makes a manager without tokens.
    ///
    /// - Parameters:
    ///   - provider: The source of tokens; nil when the project needs none, or the app sets them.
    ///   - policy: The retries, validated.
    ///   - lead: The time before its expiry at which a token is replaced.
    ///   - time: The clocks.
    ///   - jobs: The queue for asking and waiting.
    ///   - onFailure: Receives failures; returns at once.
    init(
        provider: TokenProvider<IterableUserID>?,
        policy: TokenRetryPolicy = TokenRetryPolicy(),
        lead: Duration = .seconds(60),
        time: TimeSource,
        jobs: WorkQueue,
        onFailure: @escaping @Sendable (TokenFailure) -> Void = { _ in }
    ) {
        self.provider = provider
        self.policy = policy
        self.lead = lead
        self.time = time
        self.jobs = jobs
        self.onFailure = onFailure
    }

    // MARK: - Calls

    /// The token for a request of a user, who becomes the current one.
    ///
    /// Waits for the provider when there is no token, or when it will expire soon. Call it inside `run()`.
    ///
    /// - Returns: The token; nil when there is no provider and no token was set.
    /// - Throws: `tokenUnavailable`; `cancelled` when the calling task is, `notRunning` at the end of the runtime.
    func token(for identity: IterableIdentity) async throws(SignetError) -> String? {
        if let known = self.outcome(for: identity) { return try known.get() }
        return try await self.awaitAnswer(for: identity)
    }

    /// The token to repeat a request with, after the service refused its token.
    ///
    /// - Parameters:
    ///   - token: The token of the request; nil or empty when it had none.
    ///   - reason: The fault that the service reported.
    ///   - identity: The user of the request.
    /// - Returns: Another token than the refused one, as a rule; nil when there is no provider and no token was set.
    /// - Throws: As ``token(for:)``; `unauthorized` when there is no provider that could give another one.
    func refused(
        _ token: String?,
        _ reason: TokenFailure.Reason,
        for identity: IterableIdentity
    ) async throws(SignetError) -> String? {
        if let known = self.outcome(after: token, reason, for: identity) { return try known.get() }
        return try await self.awaitAnswer(for: identity)
    }

    // MARK: - Without waiting

    /// The token for a request of a user, as ``token(for:)``; nil if the provider is being asked.
    func outcome(for identity: IterableIdentity) -> TokenOutcome? {
        self.outcome(for: identity) { machine, now in machine.request(now: now) }
    }

    /// The token to repeat a request with, as ``refused(_:_:for:)``; nil if the provider is being asked.
    func outcome(
        after token: String?,
        _ reason: TokenFailure.Reason,
        for identity: IterableIdentity
    ) -> TokenOutcome? {
        let refused = Secret(token ?? "")
        guard self.provider == nil else {
            return self.outcome(for: identity) { machine, now in machine.refused(refused, reason, now: now) }
        }
        // Another token was set meanwhile.
        if let now = self.given[identity], now != refused { return .success(now.withExposed { $0 }) }
        self.given[identity] = nil
        self.tell(TokenAction.Report(reason: reason, token: refused, willTryAgain: false), identity)
        return .failure(
            SignetError(
                .unauthorized,
                "Iterable refused the token (\(reason)), and no token provider is set. Call identify with a new token."
            )
        )
    }

    /// Sets a token, or removes the present one; waiting callers get an answer.
    ///
    /// - Throws: `invalidArgument` for a text that cannot stand in a header.
    func set(_ token: String?, for identity: IterableIdentity) throws(SignetError) {
        if let token, !HeldToken.isUsable(token) {
            throw SignetError(.invalidArgument, "A token must have 1 to 16,384 visible ASCII characters.")
        }
        guard self.provider != nil else {
            self.given[identity] = token.map { Secret($0) }
            return
        }
        guard token != nil || self.handlers[identity] != nil else { return }
        let now = self.time.milliseconds
        self.change(identity) { $0.set(token, now: now) }
    }

    /// Notes that the service has accepted a request that needs a token.
    ///
    /// - Parameters:
    ///   - token: The token of the request; ignored if it is not the present one.
    ///   - identity: The user of the request.
    func succeeded(with token: String?, for identity: IterableIdentity) {
        guard let token, self.handlers[identity] != nil else { return }
        self.change(identity) { $0.succeeded(Secret(token)) }
    }

    /// Stops asking the provider until `resume`, a token that the app sets, or another user.
    func pause() {
        let now = self.time.milliseconds
        for identity in self.handlers.keys { self.change(identity) { $0.pause(now: now) } }
    }

    /// Stops asking the provider for a user, also before the first request for their token.
    func pause(for identity: IterableIdentity) {
        guard self.provider != nil, self.end == nil else { return }
        let now = self.time.milliseconds
        self.change(identity) { $0.pause(now: now) }
    }

    /// Allows asking the provider again, with a new count.
    func resume() {
        let now = self.time.milliseconds
        for identity in self.handlers.keys { self.change(identity) { $0.resume(now: now) } }
    }

    /// Forgets all tokens, counts and pauses, as for a logout.
    ///
    /// Waiting callers get an error, late answers are ignored.
    ///
    /// - Parameter identity: The next user, who keeps their token.
    func reset(keeping identity: IterableIdentity? = nil) {
        let kept = identity.flatMap { self.handlers.removeValue(forKey: $0) }
        let given = identity.flatMap { self.given[$0] }
        self.dismiss(Self.error(.forgotten))
        self.given = [:]
        if let identity {
            self.handlers[identity] = kept
            self.given[identity] = given
        }
    }

    /// Ends the manager: all callers that wait, now or later, get an error.
    func stop(_ error: SignetError) {
        self.end = error
        self.dismiss(error)
    }

    // MARK: - Handlers

    private func outcome(
        for identity: IterableIdentity,
        _ step: (inout TokenStateMachine, Int64) -> TokenAction
    ) -> TokenOutcome? {
        guard self.provider != nil else { return .success(self.given[identity]?.withExposed { $0 }) }
        if let end { return .failure(end) }
        self.makeCurrent(identity)
        let now = self.time.milliseconds
        return self.change(identity) { step(&$0, now) }.map { answer in Self.outcome(of: answer).map { Optional($0) } }
    }

    /// Waits for the answer of the provider, which is being asked.
    private func awaitAnswer(for identity: IterableIdentity) async throws(SignetError) -> String? {
        // The change could not be worked on, and the handler is gone.
        guard let promise = self.handlers[identity]?.promise else { throw .notRunning }
        let id = self.handlers[identity]?.id
        self.handlers[identity]?.waiters += 1
        let outcome = await promise.value()
        self.endWaiting(at: id, of: identity)
        guard let outcome = outcome ?? promise.current else { throw .cancelled }
        return try outcome.get()
    }

    /// The user of the last call.
    private var current: IterableIdentity? {
        self.handlers.max { $0.value.lastUse < $1.value.lastUse }?.key
    }

    private func makeCurrent(_ identity: IterableIdentity) {
        let previous = self.current
        self.nextID += 1
        let machine = TokenStateMachine(policy: self.policy, lead: self.lead)
        self.handlers[identity, default: TokenCacheEntry(id: self.nextID, machine: machine)].lastUse = self.nextID
        guard previous != identity else { return }
        for other in self.handlers.keys { self.leaveIfUnwanted(other) }
        self.clearHandlers()
    }

    private func endWaiting(at id: Int?, of identity: IterableIdentity) {
        guard let handler = self.handlers[identity], handler.id == id else { return }
        self.handlers[identity]?.waiters -= 1
        self.leaveIfUnwanted(identity)
        self.clearHandlers()
    }

    private func leaveIfUnwanted(_ identity: IterableIdentity) {
        guard identity != self.current, self.handlers[identity]?.waiters == 0 else { return }
        self.change(identity) { $0.leave() }
    }

    private func clearHandlers() {
        let current = self.current
        let idle = self.handlers.filter { $0.key != current && $0.value.waiters == 0 }
        let excess = self.handlers.count - Self.handlersKept
        for (identity, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(max(0, excess)) {
            self.handlers[identity] = nil
        }
    }

    private func dismiss(_ error: SignetError) {
        let handlers = self.handlers
        self.handlers = [:]
        for handler in handlers.values { handler.promise.resolve(.failure(error)) }
    }

    // MARK: - Actions

    /// Lets the machine of a user decide, and performs its action.
    @discardableResult
    private func change(
        _ identity: IterableIdentity,
        _ step: (inout TokenStateMachine) -> TokenAction
    ) -> TokenAction.Answer? {
        if self.handlers[identity] == nil { self.makeCurrent(identity) }
        guard var handler = self.handlers.removeValue(forKey: identity) else { return nil }
        let number = handler.machine.number
        let action = step(&handler.machine)
        if handler.machine.number != number { handler.job = nil }
        let work = action.work.map { ($0, TokenJob()) }
        if let work { handler.job = work.1 }
        let promise = handler.promise
        if action.answer != nil { handler.promise = Promise() }
        self.handlers[identity] = handler
        if let report = action.report { self.tell(report, identity) }
        if let answer = action.answer { promise.resolve(Self.outcome(of: answer)) }
        if let work, !self.begin(work.0, work.1, handler.id, identity) {
            self.handlers[identity] = nil
            handler.promise.resolve(.failure(.notRunning))
        }
        return action.answer
    }

    private func begin(_ work: TokenAction.Work, _ job: TokenJob, _ id: Int, _ identity: IterableIdentity) -> Bool {
        let (provider, time, calledOff) = (self.provider, self.time, job.calledOff)
        // A job may sleep for a day and must not keep the manager in memory; releasing the manager ends the job.
        return self.jobs.submit { [weak self] in
            await withTaskGroup(of: Void.self) { [weak self] group in
                var limit = Duration.zero
                switch work {
                case .wakeUp(_, let pause):
                    limit = pause
                case .fetch(_, let reason):
                    guard let provider else { break }
                    limit = provider.timeout
                    group.addTask { [weak self] in
                        let answer = await AbandonableCall.value {
                            await Self.answer(of: provider, for: IterableUserID(identity), reason)
                        }
                        // The result of a cancelled provider is not its answer.
                        guard let answer, !Task.isCancelled else { return }
                        await self?.finish(work, answer, id, identity)
                    }
                }
                // Called off also by an answer. Callers time out even when the provider ignores its cancellation.
                let isCalledOff = await withTimeLimit(limit, on: time) { await calledOff.value().map { true } }
                if isCalledOff == nil {
                    // The task is cancelled at the end of the runtime.
                    if Task.isCancelled {
                        await self?.stop(.notRunning)
                    } else {
                        await self?.finish(work, .failed(.providerTimedOut), id, identity)
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Asks the provider; nil and errors become failed answers.
    private static func answer(
        of provider: TokenProvider<IterableUserID>,
        for subject: IterableUserID,
        _ reason: TokenReason
    ) async -> TokenStateMachine.ProviderAnswer {
        do {
            return try await provider.body(subject, reason).map { .token($0.withExposed { $0 }) } ?? .failed(.noToken)
        } catch {
            return .failed(.providerFailed)
        }
    }

    private func finish(
        _ work: TokenAction.Work,
        _ answer: TokenStateMachine.ProviderAnswer,
        _ id: Int,
        _ identity: IterableIdentity
    ) {
        guard self.handlers[identity]?.id == id else { return }
        let now = self.time.milliseconds
        self.change(identity) { machine in
            switch work {
            case .wakeUp(let number, _): machine.woke(number, now: now)
            case .fetch(let number, _): machine.answered(number, answer, now: now)
            }
        }
    }

    private func tell(_ report: TokenAction.Report, _ identity: IterableIdentity) {
        let token = report.token?.withExposed { $0 }
        self.onFailure(
            TokenFailure(
                subject: IterableUserID(identity),
                reason: report.reason,
                failedToken: token == "" ? nil : token,
                date: Date(milliseconds: self.time.milliseconds),
                willTryAgain: report.willTryAgain
            )
        )
    }

    private static func outcome(of answer: TokenAction.Answer) -> TokenCacheEntry.Outcome {
        switch answer {
        case .token(let token): .success(token.withExposed { $0 })
        case .refused(let obstacle): .failure(self.error(obstacle))
        }
    }

    private static func error(_ obstacle: TokenAction.Obstacle) -> SignetError {
        let reason =
            switch obstacle {
            case .exhausted:
                "The token provider gave no usable token. Call resumeTokens(), or identify with a token."
            case .paused: "Token requests are paused. Call resumeTokens(), or identify with a token."
            case .forgotten: "The token was removed, as after a logout."
            }
        return SignetError(.tokenUnavailable, reason, cause: obstacle)
    }
}

/// The state for one user: the machine, its job, and the waiting callers.
struct TokenCacheEntry: Sendable {
    /// The outcome of a wait.
    typealias Outcome = Result<String, SignetError>

    /// Unique among handlers, so that a late answer is not taken for a user who left and returned.
    let id: Int
    var machine: TokenStateMachine
    var job: TokenJob?
    /// The promise of the callers that wait now; those after an answer get a new one.
    var promise = Promise<Outcome>()
    var waiters = 0
    /// The number of the last call for this user.
    var lastUse = 0
}

/// The job that a user's machine waits for: asking the provider, or waking up later.
///
/// Releasing it calls the job off.
final class TokenJob: Sendable {
    let calledOff = Promise<Void>()

    deinit {
        self.calledOff.resolve(())
    }
}
